"""One run: gather its inputs, decide (core.run), create trials, write the status."""

import asyncio
from dataclasses import dataclass, field, replace

from benchwright.api.agent import AgentSnapshot
from benchwright.api.base import parse_stored
from benchwright.api.conditions import Condition
from benchwright.api.run import BenchmarkRunStatus
from benchwright.api.taskset import TaskSetStatus
from benchwright.control.context import Context
from benchwright.control.refusals import refused_trial
from benchwright.control.views import (
    agent_snapshot,
    run_view,
    status_patch,
    summary,
    trial_object,
    trial_view,
)
from benchwright.core.refusal import TRIALS_REFUSED, Refusal
from benchwright.core.run import decide, refused
from benchwright.core.runview import Inputs, NewTrial, RunDecision, RunView, TrialSummary
from benchwright.kube.client import AGENTS, RUNS, TASKSETS, TRIALS
from benchwright.kube.errors import ApiError


async def reconcile(ctx: Context, name: str) -> float | None:
    """Bring one run a step further; returns when to look again."""
    namespace = ctx.settings.namespace
    try:
        run = run_view(await ctx.kube.get(RUNS, namespace, name))
    except ApiError as error:
        if error.not_found:
            ctx.trial_pauses.works(name)
            return None
        raise
    # Before the inputs: a baseline's record is stored before its trial says that it succeeded.
    trials = [summary(t) for t in ctx.trials if t.spec.run_name == name and t.run_uid == run.uid]
    inputs = Inputs() if run.deleting or run.status.finished_at else await gather(ctx, run)
    decision = decide(run, inputs, trials, ctx.now())
    again_after = decision.requeue_after
    if decision.create:
        run, decision, again_after = await _fill(ctx, run, inputs, trials, decision)
    if decision.delete:
        await ctx.kube.delete(RUNS, namespace, name)
    if decision.status:
        await _write(ctx, run, decision.status)
    return again_after


async def _fill(
    ctx: Context, run: RunView, inputs: Inputs, trials: list[TrialSummary], decision: RunDecision
) -> tuple[RunView, RunDecision, float | None]:
    """Make the trials that were decided; what there is to say after that, and when to go on."""
    pause = ctx.trial_pauses.left(run.name)
    if pause:
        return run, decision, pause
    if run.status.plan_digest is None and decision.status:
        # The plan is recorded before its first trial: no other agent may take the name meanwhile.
        run = await _write(ctx, run, decision.status)
    careful = ctx.trial_pauses.waits(run.name)  # one to try whether they are taken again
    made = await _create(ctx, run, decision.create[:1] if careful else decision.create)
    known = [*trials, *made.trials]
    decision = decide(run, inputs, known, ctx.now())
    if made.refusal is None:
        ctx.trial_pauses.works(run.name)
        return run, decision, 2.0 if made.foreign else 0.0 if careful else decision.requeue_after
    wait = None if made.refusal.final else ctx.trial_pauses.refused(run.name)
    cap = ctx.trial_pauses.cap
    status = refused(run, decision, made.refusal, {t.name: t for t in known}, cap, ctx.now())
    return run, replace(decision, status=status), wait


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


@dataclass
class _Made:
    """What came of creating trials."""

    trials: list[TrialSummary] = field(default_factory=list)
    refusal: Refusal | None = None
    foreign: bool = False
    """A trial of a deleted run of the same name is in the way: it is being collected."""


async def _create(ctx: Context, run: RunView, new: tuple[NewTrial, ...]) -> _Made:
    """Create trials; one that is there already was created by an operator that was killed."""
    made = _Made()
    results = await asyncio.gather(
        *(_create_one(ctx, run, item, made) for item in new), return_exceptions=True
    )
    for error in results:
        if error is not None:
            raise error
    return made


async def _create_one(ctx: Context, run: RunView, item: NewTrial, made: _Made) -> None:
    body = trial_object(run, item.name, item.spec, ctx.now())
    try:
        raw = await ctx.kube.create(TRIALS, run.namespace, body)
    except ApiError as error:
        if error.passing:
            raise
        if not error.already_exists:
            refusal = refused_trial(error, item.name)
            if made.refusal is None or refusal.final:
                made.refusal = refusal
            return
        raw = await ctx.kube.get(TRIALS, run.namespace, item.name)
        if (raw["metadata"].get("ownerReferences") or [{}])[0].get("uid") != run.uid:
            made.foreign = True
            return
    ctx.trials.upsert(raw)
    made.trials.append(summary(trial_view(raw)))


async def _write(ctx: Context, run: RunView, status: BenchmarkRunStatus) -> RunView:
    raw = await ctx.kube.patch_status(
        RUNS, run.namespace, run.name, status_patch(status), run.resource_version
    )
    for condition in status.conditions:
        old = next((c for c in run.status.conditions if c.type == condition.type), None)
        if condition.message and (
            old is None or (old.status, old.reason) != (condition.status, condition.reason)
        ):
            await ctx.events.record(
                "BenchmarkRun", run.namespace, run.name, run.uid, condition.reason, condition.message,
                ctx.now(), warning=_is_trouble(condition),
            )  # fmt: skip
    return run_view(raw)


def _is_trouble(condition: Condition) -> bool:
    return (condition.type, condition.status) in {("Resolved", "False"), (TRIALS_REFUSED, "True")}
