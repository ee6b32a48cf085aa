"""Prometheus metrics of the operator. Labels come from small sets, never names of trials.

A trial without an outcome, an invalid one and one that failed are three things, and so are
measurements and baselines. Reasons can come from pods, so their number is bounded here.
"""

from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

MAX_REASONS = 150
"""More than there are (docs/outcomes.md), with those of baselines."""


@dataclass
class Metrics:
    """One registry, so that tests can have their own."""

    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    _reasons: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        r = self.registry
        self.finished = Counter(
            "benchwright_trials_finished",
            "Trials that got an outcome.",
            ["purpose", "outcome", "reason"],
            registry=r,
        )
        self.retries = Counter(
            "benchwright_infra_retries",
            "Attempts repeated for infrastructure.",
            ["reason"],
            registry=r,
        )
        self.pods = Counter("benchwright_pods_created", "Pods created.", ["role"], registry=r)
        self.reconcile = Histogram(
            "benchwright_reconcile_duration_seconds", "Time of one reconcile.", ["kind"], registry=r
        )
        self.failures = Counter(
            "benchwright_reconcile_failures", "Reconciles that raised.", ["kind"], registry=r
        )
        self.harness = Histogram(
            "benchwright_trial_harness_seconds",
            "Seconds of a trial beyond the agent's and evaluator's own commands.",
            buckets=(1, 2, 3, 4, 5, 6, 8, 10, 15, 30, 60, 120),
            registry=r,
        )
        self.active = Gauge(
            "benchwright_trials_active", "Trials without an outcome.", ["purpose"], registry=r
        )
        self.depth = Gauge("benchwright_queue_depth", "Keys that wait for a worker.", registry=r)
        self.oldest = Gauge(
            "benchwright_queue_oldest_seconds", "Longest wait for a worker.", registry=r
        )
        self.silence = Gauge(
            "benchwright_watch_last_event_age_seconds",
            "Silence of a watch.",
            ["resource"],
            registry=r,
        )

    def finish(self, purpose: str, outcome: str, reason: str, harness: float | None) -> None:
        """Count a trial that got its outcome. Unknown seconds are not observed as none."""
        self.finished.labels(purpose, outcome, self._reason(reason)).inc()
        if harness is not None:
            self.harness.observe(harness)

    def retry(self, reason: str) -> None:
        """Count an attempt that is repeated."""
        self.retries.labels(self._reason(reason)).inc()

    def _reason(self, reason: str) -> str:
        if reason not in self._reasons and len(self._reasons) >= MAX_REASONS:
            return "Other"
        self._reasons.add(reason)
        return reason
