"""Counts of calls that ended, for Prometheus: counted by plain additions, made into samples when
somebody scrapes."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from .journal.records import Dispatch, Settle

_WHO = ("dialect", "provider", "model")
_KINDS = ("input", "cache_read", "cache_write", "output", "reasoning")
_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, float("inf"))
#: dialect, provider, model, status, usage source, class of the HTTP status.
Key = tuple[str, str, str, str, str, str]
Labels = tuple[str, ...]


@dataclass(slots=True)
class _Ended:
    """Calls that ended alike: `tokens` by _KINDS, `waits` (for the first byte) by _SECONDS."""

    calls: int = 0
    tokens: list[int] = field(default_factory=lambda: [0] * len(_KINDS))
    waits: list[int] = field(default_factory=lambda: [0] * len(_SECONDS))
    waited: float = 0.0


class Tally(Collector):
    """Labels come from the configuration and from fixed sets, so there are few keys."""

    def __init__(self) -> None:
        self._ended: dict[Key, _Ended] = {}

    def settled(self, dispatch: Dispatch, settle: Settle) -> None:
        """Count a call that ended."""
        http, usage = settle.http_status, settle.usage
        key = (
            dispatch.dialect,
            dispatch.provider,
            dispatch.model,
            settle.status,
            usage.source,
            f"{http // 100}xx" if http else "none",
        )
        ended = self._ended.get(key)
        if ended is None:
            ended = self._ended[key] = _Ended()
        ended.calls += 1
        tokens = ended.tokens
        tokens[0] += usage.input_tokens or 0
        tokens[1] += usage.cache_read or 0
        tokens[2] += usage.cache_write or 0
        tokens[3] += usage.output_tokens or 0
        tokens[4] += usage.reasoning_tokens or 0
        if settle.ttfb_seconds is not None:
            ended.waits[bisect_left(_SECONDS, settle.ttfb_seconds)] += 1
            ended.waited += settle.ttfb_seconds

    def collect(self) -> Iterator[Metric]:
        """All samples."""
        yield _counter(
            "calls",
            "Calls to models that ended, by the class of the provider's status (none: no answer).",
            (*_WHO, "status_class"),
            (((*key[:3], key[5]), ended.calls) for key, ended in self._ended.items()),
        )
        yield _counter(
            "call_ends",
            "Calls to models that ended, by how they ended and where their usage is from.",
            (*_WHO, "status", "usage_source"),
            ((key[:5], ended.calls) for key, ended in self._ended.items()),
        )
        yield _counter(
            "tokens",
            "Tokens that providers reported; cache_read and cache_write are part of input, "
            "reasoning of output.",
            (*_WHO, "kind"),
            self._tokens(),
        )
        yield self._first_bytes()

    def _tokens(self) -> Iterator[tuple[Labels, int]]:
        for key, ended in self._ended.items():
            for kind, count in zip(_KINDS, ended.tokens, strict=True):
                if count:
                    yield (*key[:3], kind), count

    def _first_bytes(self) -> Metric:
        family = HistogramMetricFamily(
            "benchwright_proxy_time_to_first_byte_seconds",
            "From the dispatch of a call to the first byte of its answer.",
            labels=_WHO[:2],
        )
        waits: dict[Labels, list[int]] = defaultdict(lambda: [0] * len(_SECONDS))
        waited: dict[Labels, float] = defaultdict(float)
        for key, ended in self._ended.items():
            if any(ended.waits):
                waits[key[:2]] = [a + b for a, b in zip(waits[key[:2]], ended.waits, strict=True)]
                waited[key[:2]] += ended.waited
        for labels, counts in waits.items():
            below = [sum(counts[: n + 1]) for n in range(len(counts))]
            buckets = [(_le(s), n) for s, n in zip(_SECONDS, below, strict=True)]
            family.add_metric(labels, buckets, waited[labels])
        return family


def _le(seconds: float) -> str:
    return "+Inf" if seconds == float("inf") else str(float(seconds))


def _counter(
    name: str, text: str, labels: Labels, samples: Iterable[tuple[Labels, int]]
) -> CounterMetricFamily:
    sums: Mapping[Labels, int] = _summed(samples)
    family = CounterMetricFamily(f"benchwright_proxy_{name}", text, labels=labels)
    for values, count in sums.items():
        family.add_metric(values, count)
    return family


def _summed(samples: Iterable[tuple[Labels, int]]) -> dict[Labels, int]:
    sums: dict[Labels, int] = defaultdict(int)
    for labels, count in samples:
        sums[labels] += count
    return sums
