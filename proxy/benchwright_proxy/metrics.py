"""Prometheus metrics. Labels come from the configuration and from fixed sets, never from a request:
their number is bounded, and they name no trial."""

from typing import TypeVar, cast

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from .journal.records import Dispatch, Settle
from .ledger import Ledger
from .refusal import Reason
from .traces import Traces

M = TypeVar("M", Counter, Histogram)
_WHO = ("dialect", "provider", "model")
_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)


class Metrics:
    """All of the proxy's metrics, in a registry of its own."""

    def __init__(self, ledger: Ledger, traces: Traces) -> None:
        self._registry = registry = CollectorRegistry()
        self._children: dict[tuple[object, tuple[str, ...]], object] = {}
        self._calls = Counter(
            "benchwright_proxy_calls",
            "Calls to models that ended, by the class of the provider's status (none: no answer).",
            (*_WHO, "status_class"),
            registry=registry,
        )
        self._ends = Counter(
            "benchwright_proxy_call_ends",
            "Calls to models that ended, by how they ended and where their usage is from.",
            (*_WHO, "status", "usage_source"),
            registry=registry,
        )
        self._tokens = Counter(
            "benchwright_proxy_tokens",
            "Tokens that providers reported; cache_read and cache_write are part of input, "
            "reasoning of output.",
            (*_WHO, "kind"),
            registry=registry,
        )
        self._refusals = Counter(
            "benchwright_proxy_refusals",
            "Requests that were refused, by reason.",
            ("reason",),
            registry=registry,
        )
        self._ttfb = Histogram(
            "benchwright_proxy_time_to_first_byte_seconds",
            "From the dispatch of a call to the first byte of its answer.",
            ("dialect", "provider"),
            buckets=_SECONDS,
            registry=registry,
        )
        self._gauges(ledger, traces)

    def _gauges(self, ledger: Ledger, traces: Traces) -> None:
        gauges = (
            ("in_flight", "Calls under way.", ledger.in_flight),
            ("journal_broken", "1 if the journal cannot be written.", lambda: _broken(ledger)),
            ("journal_torn_lines", "Last lines torn by a crash.", lambda: ledger.damage.torn),
            ("journal_corrupt_lines", "Unreadable lines.", lambda: ledger.damage.corrupt),
            ("traces_kept", "Bodies of calls that were kept.", lambda: traces.kept),
            (
                "traces_dropped",
                "Bodies of calls for which there was no room.",
                lambda: traces.dropped,
            ),
        )
        for name, text, function in gauges:
            gauge = Gauge(f"benchwright_proxy_{name}", text, registry=self._registry)
            gauge.set_function(function)

    def settled(self, dispatch: Dispatch, settle: Settle) -> None:
        """Count a call that ended."""
        who = (dispatch.dialect, dispatch.provider, dispatch.model)
        status = settle.http_status
        self._of(self._calls, *who, f"{status // 100}xx" if status else "none").inc()
        self._of(self._ends, *who, settle.status, settle.usage.source).inc()
        for kind, count in _kinds(settle).items():
            if count:
                self._of(self._tokens, *who, kind).inc(count)
        if settle.ttfb_seconds is not None:
            self._of(self._ttfb, *who[:2]).observe(settle.ttfb_seconds)

    def _of(self, metric: M, *labels: str) -> M:
        """The child of a metric; to look one up by its labels is what costs."""
        key = (metric, labels)
        found = self._children.get(key)
        if found is None:
            found = self._children[key] = metric.labels(*labels)
        return cast(M, found)

    def refused(self, reason: Reason) -> None:
        """Count a refusal."""
        self._refusals.labels(reason).inc()

    def text(self) -> bytes:
        """The exposition format."""
        return generate_latest(self._registry)


def _kinds(settle: Settle) -> dict[str, int | None]:
    usage = settle.usage
    return {
        "input": usage.input_tokens,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "output": usage.output_tokens,
        "reasoning": usage.reasoning_tokens,
    }


def _broken(ledger: Ledger) -> int:
    return int(ledger.journal.broken is not None)
