"""Raw Trials and BenchmarkRuns → the few fields that `benchwright watch` shows (pure)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from benchwright.api.base import parse_stored
from benchwright.api.run import FailurePolicy
from benchwright.api.task import TaskLimits
from benchwright.core.clock import parse_time

Json = Mapping[str, Any]
_COLLECT_SECONDS = 120.0
"""More than it takes to fetch before a stage and to collect after it."""


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
