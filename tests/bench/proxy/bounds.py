"""What is promised of the proxy, and whether these figures keep it."""

from collections.abc import Sequence

from pydantic import BaseModel

from .measuring import Sample
from .summary import Figures, Summary

CPU_MS_PER_JSON_CALL = 0.35
CPU_MS_PER_STREAM = 5.0
TIMES_LITELLM = 30.0
TIMES_GO_PER_CPU = 1.0
ADDED_GAP_MS = 5.0
#: MiB from the end of the first round to the end of the last.
RSS_GROWTH = 4.0


class Bound(BaseModel):
    """A promise; `value` None is one that could not be looked at, which is not kept either."""

    name: str
    value: float | None
    bound: float
    held: bool
    note: str = ""

    def text(self) -> str:
        if self.value is None:
            return f"not measured  {self.name}"
        return f"{'held' if self.held else 'NOT held':12}  {self.name}: {self.value:.3g}{self.note}"


def check(summary: Summary, samples: Sequence[Sample]) -> list[Bound]:
    """All bounds."""
    ours = {scenario: peers["ours"] for scenario, peers in summary.items() if "ours" in peers}
    errors = float(sum(figures.errors for figures in ours.values()))
    paced = ours.get("paced-500")
    gap = paced.added_gap_ms if paced else None
    return [
        _at_most("CPU ms per JSON call", _cpu(ours.get("json-20")), CPU_MS_PER_JSON_CALL),
        _at_most("CPU ms per burst of 50 events", _cpu(ours.get("burst")), CPU_MS_PER_STREAM),
        _at_most("CPU ms per paced 50 events", _cpu(ours.get("paced")), CPU_MS_PER_STREAM),
        _at_least("JSON calls/s, × LiteLLM", _times(summary, "litellm"), TIMES_LITELLM),
        _at_least("JSON calls per CPU second, × Go", _per_cpu(summary, "go"), TIMES_GO_PER_CPU),
        _at_least(
            "JSON calls per CPU second, × Go with connections kept",
            _per_cpu(summary, "go-pooled"),
            TIMES_GO_PER_CPU,
        ),
        _at_most(
            "500 paced streams: added p99 between chunks, ms",
            gap.p99 if gap else None,
            ADDED_GAP_MS,
            note=f" (in the worst round {gap.worst_p99:.3g})" if gap else "",
        ),
        _at_most("RSS growth from the first round to the last, MiB", growth(samples), RSS_GROWTH),
        _at_most("calls that failed", errors if ours else None, 0.0),
    ]


def growth(samples: Sequence[Sample]) -> float | None:
    """How much RSS grew after the first round; None if there was no other."""
    mine = [sample for sample in samples if sample.peer == "ours" and sample.spent]
    ends = {sample.round: sample.spent.rss_after for sample in mine if sample.spent}
    return ends[max(ends)] - ends[min(ends)] if len(ends) > 1 else None


def _cpu(figures: Figures | None) -> float | None:
    return figures.cpu_ms_per_call if figures else None


def _times(summary: Summary, other: str) -> float | None:
    peers = summary.get("json-20", {})
    if "ours" not in peers or other not in peers:
        return None
    return peers["ours"].calls_per_second / peers[other].calls_per_second


def _per_cpu(summary: Summary, other: str) -> float | None:
    peers = summary.get("json-20", {})
    mine, base = _cpu(peers.get("ours")), _cpu(peers.get(other))
    return base / mine if mine and base else None


def _at_most(name: str, value: float | None, bound: float, note: str = "") -> Bound:
    held = value is not None and value <= bound
    return Bound(name=f"{name} (at most {bound:g})", value=value, bound=bound, held=held, note=note)


def _at_least(name: str, value: float | None, bound: float) -> Bound:
    held = value is not None and value >= bound
    return Bound(name=f"{name} (at least {bound:g})", value=value, bound=bound, held=held)
