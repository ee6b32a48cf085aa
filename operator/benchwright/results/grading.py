"""Facts in the store → verdict in the store."""

import json
from typing import Any

from pydantic import ValidationError

from benchwright.api.facts import StageFacts
from benchwright.api.task import Task
from benchwright.core.grading import evaluator_needed, grade
from benchwright.core.verdict import Evidence, Verdict
from benchwright.results.store import Store


class FactsIncomplete(Exception):
    """A stage has no facts yet."""


async def grade_attempt(
    store: Store, trial_uid: str, attempt: int, task: Task, task_digest: str, purpose: str
) -> dict[str, Any]:
    """Grade, store and return the verdict as JSON. The same facts give the same verdict."""
    stages = _read(await store.facts(trial_uid, attempt))
    missing = [s for s in _wanted(task, purpose, stages) if s not in stages]
    if missing:
        raise FactsIncomplete(f"no facts of stage {', '.join(missing)} of attempt {attempt}")
    baselines = () if purpose == "baseline" else await _baselines(store, task_digest)
    verdict = grade(task, purpose, Evidence(stages, baselines))
    document = to_json(verdict)
    await store.put_verdict(trial_uid, attempt, json.dumps(document))
    return document


def _wanted(task: Task, purpose: str, stages: dict[str, StageFacts]) -> list[str]:
    if purpose == "baseline":
        return ["evaluate"]
    worked = all(stage in stages for stage in task.stages)
    if worked and not evaluator_needed(task, Evidence(stages)):
        return [*task.stages]
    return [*task.stages, "evaluate"]


async def _baselines(store: Store, task_digest: str) -> tuple[StageFacts, ...]:
    found = []
    for trial_uid, attempt in await store.good_baselines(task_digest):
        stages = _read(await store.facts(trial_uid, attempt))
        if "evaluate" in stages:
            found.append(stages["evaluate"])
    return tuple(found)


def _read(documents: dict[str, str]) -> dict[str, StageFacts]:
    try:
        return {stage: StageFacts.model_validate_json(text) for stage, text in documents.items()}
    except ValidationError as error:  # they were checked when they came
        raise FactsIncomplete(f"stored facts cannot be read: {error}") from error


def to_json(verdict: Verdict) -> dict[str, Any]:
    """As the operator reads it."""
    return {
        "outcome": verdict.outcome,
        "reason": verdict.reason,
        "message": verdict.message,
        "retry": verdict.retry,
        "measurements": verdict.measurements.dump() if verdict.measurements else None,
    }
