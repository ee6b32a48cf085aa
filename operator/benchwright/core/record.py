"""One row of results.json: everything that is published of a trial (pure).

Unknown is null. Field names are snake_case, as readers of results.json expect from data files.
"""

from typing import Any

from benchwright.api.agent import AgentSnapshot
from benchwright.api.base import Model
from benchwright.api.measurements import Measurements, StageUsage
from benchwright.api.task import TaskSnapshot
from benchwright.api.trial import TrialSpec, TrialStatus
from benchwright.core.clock import seconds_between
from benchwright.core.plan import Plan
from benchwright.core.runview import RunView
from benchwright.core.spending import spent
from benchwright.core.trialview import TrialView

RECORD_VERSION = 1
PROTOCOL = "benchwright/1"


def record(trial: TrialView, status: TrialStatus) -> dict[str, Any]:
    """The trial's row, from its frozen spec and its final status."""
    return {
        "version": RECORD_VERSION,
        "protocol": PROTOCOL,
        **_plan(trial),
        **_end(status),
        **_measured(status.measurements),
        **_cost(trial.spec, status),
        "evidence": status.evidence_uri,
    }


def plan_record(run: RunView, corpus: str, plan: Plan) -> dict[str, Any]:
    """What a run set out to observe, so that a trial that is missing is known to be."""
    agents = {p.agent.name: p.agent for p in plan.trials}
    return {
        "version": RECORD_VERSION,
        "protocol": PROTOCOL,
        "namespace": run.namespace,
        "run": run.name,
        "run_uid": run.uid,
        "plan_digest": plan.digest,
        "corpus_digest": corpus,
        "network": run.spec.network,
        "seed": run.spec.seed,
        "trials_per_task": run.spec.trials_per_task,
        "agents": [_agent(agents[name]) for name in sorted(agents)],
        "tasks": [_task(task) for task in plan.tasks],
    }


def _agent(agent: AgentSnapshot | None) -> dict[str, Any]:
    return {
        "agent": agent.name if agent else None,
        "agent_digest": agent.digest if agent else None,
        "scaffold": agent.spec.scaffold if agent else None,
        "model": agent.spec.model if agent else None,
        "effort": agent.spec.effort if agent else None,
    }


def _task(task: TaskSnapshot) -> dict[str, Any]:
    return {
        "task": task.name,
        "task_digest": task.digest,
        "kind": task.spec.kind,
        "split": task.spec.split,
        "identities": _snake(task.spec.identities),
    }


def _plan(trial: TrialView) -> dict[str, Any]:
    """What was to be observed."""
    spec = trial.spec
    return {
        "namespace": trial.namespace,
        "run": spec.run_name,
        "run_uid": trial.run_uid,
        "trial": trial.name,
        "purpose": spec.purpose,
        **_agent(spec.agent),
        **_task(spec.task),
        "corpus_digest": spec.task_set_digest,
        "network": spec.network,
        "index": spec.index,
        "order": spec.order,
    }


def _end(status: TrialStatus) -> dict[str, Any]:
    return {
        "attempt": status.attempt,
        "attempts": [_snake(a) for a in status.attempts],
        "outcome": status.outcome,
        "reason": status.reason,
        "message": status.message,
        "started_at": status.started_at,
        "finished_at": status.finished_at,
    }


def _measured(measured: Measurements | None) -> dict[str, Any]:
    found = measured or Measurements()
    return {
        "tests": _snake(found.tests),
        "coverage": _snake(found.coverage),
        "changes": _snake(found.changes),
        "criteria": [_snake(c) for c in found.criteria],
        "criterion_score": found.criterion_score,
        "detect": _snake(found.detect),
        "replay": _snake(found.replay),
        "would_pass": found.would_pass,
        "findings": [_snake(f) for f in found.findings],
    }


def _cost(spec: TrialSpec, status: TrialStatus) -> dict[str, Any]:
    """Of the attempt that counts, but for `spent`."""
    return {
        "usage": _usage(status),
        "usage_by_stage": _usage_by_stage(status),
        "prices": "; ".join(status.usage.prices) or None if status.usage else None,
        "spent": _snake(spent(status) if spec.agent else None),
        "seconds": _snake(status.seconds),
        "nodes": {s.name: s.node for s in status.stages},
        "stage_seconds": {s.name: _stage(s.created_at, s.finished_at) for s in status.stages},
    }


def _snake(model: Model | None) -> dict[str, Any] | None:
    return model.model_dump(mode="json", by_alias=False) if model else None


def _usage(status: TrialStatus) -> dict[str, Any] | None:
    if status.usage is None:
        return None
    models = {"answered": status.usage.answered, "fingerprints": status.usage.fingerprints}
    return {**_tokens(status.usage.total), "cost_usd": status.usage.cost_usd, **models}


def _usage_by_stage(status: TrialStatus) -> dict[str, Any]:
    return {s: _tokens(u) for s, u in status.usage.stages.items()} if status.usage else {}


def _tokens(usage: StageUsage) -> dict[str, Any]:
    return usage.model_dump(mode="json", by_alias=False)


def _stage(start: str, end: str | None) -> float | None:
    seconds = seconds_between(start, end)
    return round(seconds, 3) if seconds is not None else None
