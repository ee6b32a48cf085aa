"""Agents and task sets: low-volume kinds whose status says whether a run may use them."""

import logging
from typing import Any

from pydantic import ValidationError

from benchwright.api.agent import AgentStatus
from benchwright.api.base import parse_stored
from benchwright.api.conditions import Condition, set_condition, truncate
from benchwright.api.task import TaskSnapshot
from benchwright.api.taskset import TaskCounts, TaskSetSpec, TaskSetStatus
from benchwright.control.context import Context
from benchwright.control.services import TaskSetProblem
from benchwright.control.views import agent_snapshot, status_patch
from benchwright.core.clock import format_time
from benchwright.kube.client import AGENTS, CONFIGMAPS, TASKSETS, Resource
from benchwright.kube.errors import ApiError

log = logging.getLogger(__name__)
_RETRY_SECONDS = 20.0


async def reconcile_agent(ctx: Context, name: str) -> float | None:
    """Digest and Ready condition."""
    raw = await _get(ctx, AGENTS, name)
    if raw is None:
        return None
    old = parse_stored(AgentStatus, raw.get("status") or {})
    try:
        digest, status, reason, message = agent_snapshot(raw).digest, "True", "Valid", ""
    except ValidationError as error:
        digest, status, reason, message = None, "False", "Invalid", str(error)
    condition = _condition(ctx, raw, "Ready", status, reason, message)
    new = AgentStatus(
        observed_generation=raw["metadata"]["generation"],
        digest=digest,
        conditions=set_condition(old.conditions, condition),
    )
    if new != old:
        await ctx.kube.patch_status(AGENTS, ctx.settings.namespace, name, status_patch(new))
    return None


async def reconcile_taskset(ctx: Context, name: str) -> float | None:
    """Resolve the source, unless that was done for this generation and is still stored."""
    raw = await _get(ctx, TASKSETS, name)
    if raw is None:
        return None
    old = parse_stored(TaskSetStatus, raw.get("status") or {})
    if await _is_resolved(ctx, raw, old):
        return None
    new = await _resolve(ctx, raw, old)
    if new != old:
        await ctx.kube.patch_status(TASKSETS, ctx.settings.namespace, name, status_patch(new))
    else:
        ctx.queue.add(("Waiting", ""))  # no change that runs could hear of, but it is there again
    return None if new.digest else _RETRY_SECONDS


async def _is_resolved(ctx: Context, raw: dict[str, Any], status: TaskSetStatus) -> bool:
    if status.observed_generation != raw["metadata"]["generation"] or status.digest is None:
        return False
    return await ctx.results.corpus(status.digest) is not None


async def _resolve(ctx: Context, raw: dict[str, Any], old: TaskSetStatus) -> TaskSetStatus:
    generation = raw["metadata"]["generation"]
    try:
        spec = parse_stored(TaskSetSpec, raw["spec"])
        digest, tasks = await ctx.results.resolve(raw["spec"]["source"], await _packed(ctx, spec))
    except (TaskSetProblem, ValidationError) as error:
        reason = error.reason if isinstance(error, TaskSetProblem) else "TaskInvalid"
        condition = _condition(ctx, raw, "Resolved", "False", reason, str(error))
        return TaskSetStatus(
            observed_generation=generation, conditions=set_condition(old.conditions, condition)
        )
    condition = _condition(
        ctx, raw, "Resolved", "True", "TasksLoaded", f"{len(tasks)} tasks are ready"
    )
    return TaskSetStatus(
        observed_generation=generation,
        digest=digest,
        counts=_counts(tasks),
        conditions=set_condition(old.conditions, condition),
    )


async def _packed(ctx: Context, spec: TaskSetSpec) -> str | None:
    source = spec.source.config_map
    if source is None:
        return None
    raw = await _get(ctx, CONFIGMAPS, source.name)
    data = (raw or {}).get("binaryData") or {}
    if source.key not in data:
        what = f"no key {source.key!r} in binaryData of" if raw else "no"
        message = (
            f"source.configMap: there is {what} ConfigMap {source.name!r}: make it with "
            "`benchwright pack`"
        )
        raise TaskSetProblem("ConfigMapMissing", message)
    return str(data[source.key])


def _counts(tasks: list[TaskSnapshot]) -> TaskCounts:
    kinds = [t.spec.kind for t in tasks]
    return TaskCounts(
        total=len(kinds),
        test_writing=kinds.count("testWriting"),
        test_running=kinds.count("testRunning"),
        repair=kinds.count("repair"),
    )


async def _get(ctx: Context, resource: Resource, name: str) -> dict[str, Any] | None:
    try:
        return await ctx.kube.get(resource, ctx.settings.namespace, name)
    except ApiError as error:
        if error.not_found:
            return None
        raise


def _condition(
    ctx: Context, raw: dict[str, Any], kind: str, status: Any, reason: str, message: str
) -> Condition:
    return Condition(
        type=kind,
        status=status,
        reason=reason,
        message=truncate(message),
        observed_generation=raw["metadata"]["generation"],
        last_transition_time=format_time(ctx.now()),
    )
