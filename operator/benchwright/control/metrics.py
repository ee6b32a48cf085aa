"""Prometheus metrics of the operator. Labels come from fixed sets only, never names of trials."""

from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram


@dataclass
class Metrics:
    """One registry, so that tests can have their own."""

    registry: CollectorRegistry = field(default_factory=CollectorRegistry)

    def __post_init__(self) -> None:
        r = self.registry
        self.finished = Counter(
            "benchwright_trials_finished",
            "Trials that got an outcome.",
            ["outcome", "reason"],
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
        self.active = Gauge("benchwright_trials_active", "Trials without an outcome.", registry=r)
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
