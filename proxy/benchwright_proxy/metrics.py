"""Prometheus metrics. Labels come from the configuration and from fixed sets, never from a request:
their number is bounded, and they name no trial."""

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest

from .journal.reading import size_of
from .ledger import Ledger
from .refusal import Reason
from .tally import Tally
from .traces import Traces


class Metrics:
    """All of the proxy's metrics, in a registry of its own."""

    def __init__(self, ledger: Ledger, traces: Traces) -> None:
        self._registry = registry = CollectorRegistry()
        self.calls = Tally()
        registry.register(self.calls)
        self._refusals = Counter(
            "benchwright_proxy_refusals",
            "Requests that were refused, by reason.",
            ("reason",),
            registry=registry,
        )
        self._gauges(ledger, traces)

    def _gauges(self, ledger: Ledger, traces: Traces) -> None:
        gauges = (
            ("in_flight", "Calls under way.", ledger.in_flight),
            ("journal_broken", "1 if the journal cannot be written.", lambda: _broken(ledger)),
            ("journal_torn_lines", "Last lines torn by a crash.", lambda: ledger.damage.torn),
            ("journal_corrupt_lines", "Unreadable lines.", lambda: ledger.damage.corrupt),
            ("journal_bytes", "Size of the journal.", lambda: size_of(ledger.journal.folder)),
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

    def refused(self, reason: Reason) -> None:
        """Count a refusal."""
        self._refusals.labels(reason).inc()

    def text(self) -> bytes:
        """The exposition format."""
        return generate_latest(self._registry)


def _broken(ledger: Ledger) -> int:
    return int(ledger.journal.broken is not None)
