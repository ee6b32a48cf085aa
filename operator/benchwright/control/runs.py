"""One run: gather its inputs, decide (core.run), create trials, write the status."""

import asyncio
import logging

from benchwright.api.agent import AgentSnapshot
from benchwright.api.base import parse_stored
from benchwright.api.run import BenchmarkRunStatus
from benchwright.api.taskset import TaskSetStatus
from benchwright.control.context import Context
from benchwright.control.views import (
    agent_snapshot,
    run_view,
    status_patch,
    summary,
    trial_object,
)
from benchwright.core.run import decide
from benchwright.core.runview import Inputs, NewTrial, RunView
from benchwright.kube.client import AGENTS, RUNS, TASKSETS, TRIALS
from benchwright.kube.errors import ApiError

log = logging.getLogger(__name__)


async def reconcile(ctx: Context, name: str) -> float | None:
    """Bring one run a step further; returns when to look again."""
    namespace = ctx.settings.namespace
    try:
        run = run_view(await ctx.kube.get(RUNS, namespace, name))
    except ApiError as error:
        if error.not_found:
            return None
        raise
    trials = [summary(t) for t in ctx.trials if t.spec.run_name == name and t.run_uid == run.uid]
    inputs = Inputs() if run.deleting or run.status.finished_at else await gather(ctx, run)
    decision = decide(run, inputs, trials, ctx.now())
    created = await _create(ctx, run, decision.create)
    if decision.delete:
        await ctx.kube.delete(RUNS, namespace, name)
    if decision.status:
        await _write(ctx, run, decision.status)
    return 0.0 if created else decision.requeue_after


async def gather(ctx: Context, run: RunView) -> Inputs:
    """Agents, tasks, models and baselines; the first thing that is wrong ends it."""
    agents: list[AgentSnapshot] = []
    for name in run.spec.agents:
        try:
            agents.append(agent_snapshot(await ctx.kube.get(AGENTS, run.namespace, name)))
        except ApiError as error:
            if not error.not_found:
                raise
            text = f"spec.agents: there is no Agent {name!r} in namespace {run.namespace}: apply it"
            return Inputs(problem=("AgentNotFound", text))
    problem = await _unknown_model(ctx, agents)
    if problem:
        return Inputs(problem=("ModelUnknown", problem))
    return await _tasks(ctx, run, tuple(agents))


async def _unknown_model(ctx: Context, agents: list[AgentSnapshot]) -> str | None:
    wanted = {a.spec.model: a.name for a in agents if a.spec.model}
    if not wanted:
        return None
    known = await ctx.proxy.models()
    for model, agent in wanted.items():
        if model not in known:
            return (
                f"Agent {agent}: spec.model {model!r} is not configured at the proxy, which knows: "
                f"{', '.join(sorted(known)) or 'none'}. Add it to proxy.models of the chart's values"
            )
    return None


async def _tasks(ctx: Context, run: RunView, agents: tuple[AgentSnapshot, ...]) -> Inputs:
    name = run.spec.task_set
    try:
        raw = await ctx.kube.get(TASKSETS, run.namespace, name)
    except ApiError as error:
        if not error.not_found:
            raise
        text = f"spec.taskSet: there is no TaskSet {name!r} in namespace {run.namespace}: apply it"
        return Inputs(problem=("TaskSetNotFound", text))
    status = parse_stored(TaskSetStatus, raw.get("status") or {})
    ready = next((c for c in status.conditions if c.type == "Resolved"), None)
    if ready is None or status.observed_generation != raw["metadata"]["generation"]:
        return Inputs(problem=("TaskSetPending", f"TaskSet {name} has not been resolved yet"))
    if ready.status != "True" or status.digest is None:
        return Inputs(problem=("TaskSetUnresolved", f"TaskSet {name}: {ready.message}"))
    tasks = await ctx.results.corpus(status.digest)
    if tasks is None:
        # The store is another one: nothing but this tells the TaskSet's reconciler.
        ctx.queue.add(("TaskSet", name))
        return Inputs(problem=("TaskSetPending", f"TaskSet {name} is being resolved again"))
    measured = [t.digest for t in tasks if t.spec.kind == "testWriting"]
    baselines = await ctx.results.baselines(measured)
    return Inputs(agents=agents, tasks=tuple(tasks), corpus=status.digest, baselines=baselines)


async def _create(ctx: Context, run: RunView, new: tuple[NewTrial, ...]) -> int:
    """Create trials; one that is there already was created by an operator that was killed."""
    created = await asyncio.gather(*(_create_one(ctx, run, item) for item in new))
    return sum(created)


async def _create_one(ctx: Context, run: RunView, item: NewTrial) -> bool:
    try:
        raw = await ctx.kube.create(TRIALS, run.namespace, trial_object(run, item.name, item.spec))
    except ApiError as error:
        if not error.already_exists:
            raise
        raw = await ctx.kube.get(TRIALS, run.namespace, item.name)
        if (raw["metadata"].get("ownerReferences") or [{}])[0].get("uid") != run.uid:
            # A deleted run of the same name: its trial is being collected.
            ctx.queue.add_after(("BenchmarkRun", run.name), 2.0)
            return False
    ctx.trials.upsert(raw)
    return True


async def _write(ctx: Context, run: RunView, status: BenchmarkRunStatus) -> None:
    await ctx.kube.patch_status(
        RUNS, run.namespace, run.name, status_patch(status), run.resource_version
    )
    for condition in status.conditions:
        old = next((c for c in run.status.conditions if c.type == condition.type), None)
        if condition.message and (
            old is None or (old.status, old.reason) != (condition.status, condition.reason)
        ):
            await ctx.events.record(
                "BenchmarkRun", run.namespace, run.name, run.uid, condition.reason, condition.message,
                ctx.now(), warning=condition.type == "Resolved" and condition.status == "False",
            )  # fmt: skip
