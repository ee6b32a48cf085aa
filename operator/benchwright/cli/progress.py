"""Where a run stands, from raw resources (pure): what `benchwright watch` shows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from benchwright.api.base import parse_stored
from benchwright.api.run import FailurePolicy
from benchwright.api.task import TaskLimits
from benchwright.core.clock import parse_time

Json = Mapping[str, Any]
EVALUATING = ("Evaluating", "Grading")
IDLE_IS_STRANGE = 10.0
"""Between two trials an operator that works needs a second or two."""
_COLLECT_SECONDS = 120.0
"""More than it takes to fetch before a stage and to collect after it."""
_UNSEEN = (
    "the operator has not looked at this run yet: is Benchwright installed, and does it watch this "
    "namespace?"
)
_STALLED = "no trial is active and none is being started: is the operator running?"


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """An attempt that was invalid."""

    number: int
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class TrialProgress:
    """The few fields of a Trial that are shown."""

    name: str
    run_uid: str
    agent: str
    task: str
    baseline: bool
    phase: str
    attempt: int
    stage: str
    since: datetime | None
    """When the current stage's pod, or else the trial, was created."""
    outcome: str | None
    reason: str
    message: str
    failed_attempts: tuple[FailedAttempt, ...]
    allowed: float
    """Seconds that the current stage can take by the limits that hold for it."""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The few fields of a BenchmarkRun that are shown."""

    name: str
    uid: str
    seen: bool
    """Whether the operator has looked at it."""
    planned: int | None
    started: datetime | None
    finished: datetime | None
    complete: bool
    conditions: Mapping[str, tuple[str, str, str]]
    """Type → status, reason, message."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Everything at one moment."""

    run: RunProgress
    trials: tuple[TrialProgress, ...]
    starting: frozenset[str]
    """Trials whose current pod has not started its containers yet."""
    now: datetime
    idle: float = 0.0
    """Seconds for which no trial has been active."""

    @property
    def planned(self) -> tuple[TrialProgress, ...]:
        """Observations; baselines are none."""
        return tuple(t for t in self.trials if not t.baseline)

    @property
    def active(self) -> tuple[TrialProgress, ...]:
        """Trials without an outcome, baselines too."""
        return tuple(t for t in self.trials if not t.outcome)

    @property
    def overdue(self) -> tuple[TrialProgress, ...]:
        """Active trials that should have ended by their own limits: nobody looks after them."""
        late = (t for t in self.active if t.since)
        return tuple(t for t in late if self.seconds_in_stage(t) > t.allowed)

    def seconds_in_stage(self, trial: TrialProgress) -> float:
        return max(0.0, (self.now - trial.since).total_seconds()) if trial.since else 0.0

    def with_outcome(self, outcome: str) -> tuple[TrialProgress, ...]:
        return tuple(t for t in self.planned if t.outcome == outcome)

    @property
    def finished(self) -> int:
        return sum(bool(t.outcome) for t in self.planned)

    @property
    def elapsed(self) -> float:
        end = self.run.finished or self.now
        return max(0.0, (end - self.run.started).total_seconds()) if self.run.started else 0.0

    @property
    def settled(self) -> bool:
        """The run is complete, and all of its trials have been seen so."""
        return self.run.complete and self.finished >= (self.run.planned or 0)


def parse_trial(raw: Json) -> TrialProgress:
    """A raw Trial, as far as it has got."""
    meta, spec, status = raw["metadata"], raw.get("spec") or {}, raw.get("status") or {}
    stages = status.get("stages") or [{}]
    return TrialProgress(
        name=meta["name"],
        run_uid=(meta.get("ownerReferences") or [{}])[0].get("uid", ""),
        agent=(spec.get("agent") or {}).get("name", ""),
        task=(spec.get("task") or {}).get("name", ""),
        baseline=spec.get("purpose") == "baseline",
        phase=status.get("phase", "Pending"),
        attempt=int(status.get("attempt", 0)),
        stage=stages[-1].get("name", ""),
        since=parse_time(stages[-1].get("createdAt") or meta.get("creationTimestamp")),
        outcome=status.get("outcome"),
        reason=status.get("reason") or "",
        message=status.get("message") or "",
        failed_attempts=tuple(
            FailedAttempt(int(a["attempt"]), a.get("reason", ""), a.get("message", ""))
            for a in status.get("attempts") or []
        ),
        allowed=_allowed(spec, stages[-1].get("name", "")),
    )


def _allowed(spec: Json, stage: str) -> float:
    limits = parse_stored(TaskLimits, spec.get("limits") or {})
    policy = parse_stored(FailurePolicy, spec.get("failurePolicy") or {})
    criteria = ((spec.get("task") or {}).get("spec") or {}).get("criteria") or []
    evaluate = limits.evaluate_seconds * (1 + len(criteria))
    work = evaluate if stage == "evaluate" else limits.setup_seconds + limits.agent_seconds
    return policy.pending_timeout_seconds + work + _COLLECT_SECONDS


def parse_run(raw: Json) -> RunProgress:
    """A raw BenchmarkRun, as far as it has got."""
    meta, status = raw["metadata"], raw.get("status") or {}
    conditions = {
        c["type"]: (c["status"], c.get("reason", ""), c.get("message", ""))
        for c in status.get("conditions") or []
    }
    return RunProgress(
        name=meta["name"],
        uid=meta["uid"],
        seen=bool(status),
        planned=(status.get("counts") or {}).get("planned"),
        started=parse_time(status.get("startedAt") or meta.get("creationTimestamp")),
        finished=parse_time(status.get("finishedAt")),
        complete=conditions.get("Complete", ("",))[0] == "True",
        conditions=conditions,
    )


def state(trial: TrialProgress, starting: Iterable[str]) -> str:
    """What a trial without an outcome is at: preparing, running or evaluating."""
    if trial.phase in EVALUATING:
        return "evaluating"
    if trial.phase == "Pending" or trial.name in starting:
        return "preparing"
    return "running"


def counts(progress: Progress) -> dict[str, int]:
    """Planned trials by what they are at."""
    out = dict.fromkeys(("queued", "preparing", "running", "evaluating"), 0)
    out |= dict.fromkeys(("success", "failure", "timeout", "invalid"), 0)
    for trial in progress.planned:
        out[trial.outcome or state(trial, progress.starting)] += 1
    out["queued"] = max(0, (progress.run.planned or 0) - len(progress.planned))
    return out


def problems(progress: Progress) -> list[str]:
    """What keeps the run from going on, in words."""
    run, found = progress.run, []
    if run.complete:
        return []
    status, reason, message = run.conditions.get("Resolved", ("", "", ""))
    if status == "False":
        found.append(f"Resolved is False, {reason}: {message}")
    if run.conditions.get("Suspended", ("",))[0] == "True":
        found.append("the run is suspended: set spec.suspend to false to go on")
    for trial in progress.overdue:
        found.append(
            f"trial {trial.name} is at stage {trial.stage or 'start'} for longer than its limits allow "
            f"({trial.allowed:.0f} s): see the log of the operator"
        )
    if not found and progress.idle >= IDLE_IS_STRANGE:
        found.append(_STALLED if run.seen else _UNSEEN)
    return found


def invalid_summary(trials: Sequence[TrialProgress]) -> str:
    """Reasons of invalid trials with the first message of each."""
    by: dict[str, list[TrialProgress]] = {}
    for trial in trials:
        by.setdefault(trial.reason, []).append(trial)
    parts = [f"{len(t)} × {r} (such as {t[0].name}: {t[0].message})" for r, t in by.items()]
    return "; ".join(parts)
