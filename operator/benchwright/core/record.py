"""One row of results.json: everything that is published of a trial (pure).

Unknown is null. Field names are snake_case, as readers of results.json expect from data files.
"""

from typing import Any

from benchwright.api.base import Model
from benchwright.api.measurements import StageUsage
from benchwright.api.trial import TrialStatus
from benchwright.core.clock import seconds_between
from benchwright.core.trialview import TrialView

RECORD_VERSION = 1
PROTOCOL = "benchwright/1"


def record(trial: TrialView, status: TrialStatus) -> dict[str, Any]:
    """The trial's row, from its frozen spec and its final status."""
    spec, task = trial.spec, trial.spec.task
    measured = status.measurements
    return {
        "version": RECORD_VERSION,
        "protocol": PROTOCOL,
        "namespace": trial.namespace,
        "run": spec.run_name,
        "run_uid": trial.run_uid,
        "trial": trial.name,
        "purpose": spec.purpose,
        "agent": spec.agent.name if spec.agent else None,
        "agent_digest": spec.agent.digest if spec.agent else None,
        "scaffold": spec.agent.spec.scaffold if spec.agent else None,
        "model": spec.agent.spec.model if spec.agent else None,
        "effort": spec.agent.spec.effort if spec.agent else None,
        "task": task.name,
        "task_digest": task.digest,
        "kind": task.spec.kind,
        "identities": _snake(task.spec.identities),
        "corpus_digest": spec.task_set_digest,
        "network": spec.network,
        "index": spec.index,
        "order": spec.order,
        "attempt": status.attempt,
        "attempts": [_snake(a) for a in status.attempts],
        "outcome": status.outcome,
        "reason": status.reason,
        "message": status.message,
        "started_at": status.started_at,
        "finished_at": status.finished_at,
        "tests": _snake(measured.tests) if measured else None,
        "coverage": _snake(measured.coverage) if measured else None,
        "changes": _snake(measured.changes) if measured else None,
        "criteria": [_snake(c) for c in measured.criteria] if measured else [],
        "criterion_score": measured.criterion_score if measured else None,
        "detect": _snake(measured.detect) if measured else None,
        "replay": _snake(measured.replay) if measured else None,
        "would_pass": measured.would_pass if measured else None,
        "usage": _usage(status),
        "usage_by_stage": _usage_by_stage(status),
        "seconds": _snake(status.seconds),
        "stage_seconds": {s.name: _stage(s.created_at, s.finished_at) for s in status.stages},
        "evidence": status.evidence_uri,
    }


def _snake(model: Model | None) -> dict[str, Any] | None:
    return model.model_dump(mode="json", by_alias=False) if model else None


def _usage(status: TrialStatus) -> dict[str, Any] | None:
    if status.usage is None:
        return None
    return {**_tokens(status.usage.total), "cost_usd": status.usage.cost_usd}


def _usage_by_stage(status: TrialStatus) -> dict[str, Any]:
    return {s: _tokens(u) for s, u in status.usage.stages.items()} if status.usage else {}


def _tokens(usage: StageUsage) -> dict[str, Any]:
    return usage.model_dump(mode="json", by_alias=False)


def _stage(start: str, end: str | None) -> float | None:
    seconds = seconds_between(start, end)
    return round(seconds, 3) if seconds is not None else None
