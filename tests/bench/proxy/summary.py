"""From samples to one figure for each peer and scenario: medians over rounds."""

import statistics
from collections.abc import Callable, Iterable, Sequence

from pydantic import BaseModel

from .measuring import Quantiles, Sample


class Added(BaseModel):
    """What a peer adds to `direct` of the same round, in milliseconds. `worst_p99` is of the worst
    round: a stall that does not come in every one has no place in a median."""

    p50: float
    p99: float
    worst_p99: float


class Figures(BaseModel):
    """Medians; None where there is nothing to take one of. Memory is in MiB."""

    calls: int
    errors: int
    first_error: str
    calls_per_second: float
    calls_per_cpu_second: float | None = None
    cpu_ms_per_call: float | None = None
    latency_ms: Quantiles
    added_latency_ms: Added | None = None
    added_first_byte_ms: Added | None = None
    added_gap_ms: Added | None = None
    rss_before: float | None = None
    rss_after: float | None = None
    rss_peak: float | None = None


Summary = dict[str, dict[str, Figures]]


def summarize(samples: Sequence[Sample]) -> Summary:
    """Figures by scenario and peer, in the order of the samples."""
    found: Summary = {}
    for sample in samples:
        peers = found.setdefault(sample.scenario, {})
        if sample.peer not in peers:
            mine = _of(samples, sample.scenario, sample.peer)
            peers[sample.peer] = _figures(mine, _of(samples, sample.scenario, "direct"))
    return found


def _of(samples: Iterable[Sample], scenario: str, peer: str) -> list[Sample]:
    return [sample for sample in samples if (sample.scenario, sample.peer) == (scenario, peer)]


def _figures(mine: list[Sample], direct: list[Sample]) -> Figures:
    cpu = _cpu_ms(mine)
    errors = [sample.load.first_error for sample in mine if sample.load.errors]
    pairs = [] if mine[0].peer == "direct" else list(zip(mine, direct, strict=True))
    spent = [sample.spent for sample in mine if sample.spent]
    return Figures(
        calls=sum(sample.load.calls for sample in mine),
        errors=sum(sample.load.errors for sample in mine),
        first_error=errors[0] if errors else "",
        calls_per_second=_median(sample.load.calls / sample.load.seconds for sample in mine),
        calls_per_cpu_second=1000 / cpu if cpu else None,
        cpu_ms_per_call=cpu,
        latency_ms=Quantiles(
            p50=_median(sample.load.latency_ms.p50 for sample in mine),
            p99=_median(sample.load.latency_ms.p99 for sample in mine),
        ),
        added_latency_ms=_added(pairs, lambda sample: sample.load.latency_ms),
        added_first_byte_ms=_added(pairs, lambda sample: sample.load.first_byte_ms),
        added_gap_ms=_added(pairs, lambda sample: sample.load.gap_ms),
        rss_before=_median(one.rss_before for one in spent) if spent else None,
        rss_after=_median(one.rss_after for one in spent) if spent else None,
        rss_peak=max(one.rss_peak for one in spent) if spent else None,
    )


def _cpu_ms(mine: list[Sample]) -> float | None:
    each = [
        1000 * sample.spent.cpu_seconds / sample.load.calls
        for sample in mine
        if sample.spent and sample.load.calls
    ]
    return _median(each) if each else None


def _added(
    pairs: list[tuple[Sample, Sample]], which: Callable[[Sample], Quantiles]
) -> Added | None:
    """None if a round had no whole answer: a latency of none is no latency."""
    both = [(which(mine), which(direct)) for mine, direct in pairs if mine.load.calls]
    if not both:
        return None
    high = [mine.p99 - direct.p99 for mine, direct in both]
    return Added(
        p50=_median(mine.p50 - direct.p50 for mine, direct in both),
        p99=_median(high),
        worst_p99=max(high),
    )


def _median(values: Iterable[float]) -> float:
    return statistics.median(values)
