"""What a run refers to: agents, models, tasks and baselines, and the plan that comes of them.

Kept for a while, for a run is looked at whenever one of its trials ends. A change of an Agent or a
TaskSet and a results service that was away end it; a change that nobody told of is seen when the
time is over. Meanwhile trials are made of what the run was planned with, never of two versions.
"""

from dataclasses import replace

from benchwright.api.agent import AgentSnapshot
from benchwright.api.base import parse_stored
from benchwright.api.run import Budget
from benchwright.api.taskset import TaskSetStatus
from benchwright.control.context import Context
from benchwright.control.views import agent_snapshot
from benchwright.core.baselines import wanted
from benchwright.core.plan import SelectorError
from benchwright.core.record import plan_record
from benchwright.core.run import planned
from benchwright.core.runview import Inputs, RunView
from benchwright.kube.client import AGENTS, TASKSETS
from benchwright.kube.errors import ApiError


async def gather(ctx: Context, run: RunView) -> Inputs:
    """Agents, tasks, models and baselines; the first thing that is wrong ends it."""
    inputs, era = ctx.inputs.kept(run), ctx.inputs.era
    if inputs is None:
        inputs = await _resolve(ctx, run)
        if inputs.problem:
            return inputs
        await _tell(ctx, run, inputs)
    inputs = await _with_ledger(ctx, run, await _with_baselines(ctx, inputs))
    ctx.inputs.keep(run, inputs, era)
    return inputs


async def _tell(ctx: Context, run: RunView, inputs: Inputs) -> None:
    """The plan, to the results service: before the first trial, and again now and then, for the store
    may be another one. Never another plan than that which the run was begun with."""
    plan = inputs.plan
    if plan and run.status.plan_digest in {None, plan.digest}:
        await ctx.results.put_plan(run.uid, plan_record(run, inputs.corpus, plan))


async def _with_baselines(ctx: Context, inputs: Inputs) -> Inputs:
    """Those that are missing are asked for each time: a trial may have made one just now."""
    tasks = inputs.plan.tasks if inputs.plan else inputs.tasks
    missing = [t.digest for t in tasks if inputs.baselines.get(t.digest, 0) < wanted(t)]
    if not missing:
        return inputs
    counts = await ctx.results.baselines(missing)
    return replace(inputs, baselines={**inputs.baselines, **counts})


async def _with_ledger(ctx: Context, run: RunView, inputs: Inputs) -> Inputs:
    """The proxy is told the run's budget before a trial of it starts, and each time again: another
    proxy may have taken its place. It answers what is used."""
    if not any(agent.spec.model for agent in inputs.agents):
        return inputs
    return replace(inputs, ledger=await ctx.proxy.run(run.uid, run.spec.budget.run))


async def _resolve(ctx: Context, run: RunView) -> Inputs:
    agents: list[AgentSnapshot] = []
    for name in run.spec.agents:
        try:
            agents.append(agent_snapshot(await ctx.kube.get(AGENTS, run.namespace, name)))
        except ApiError as error:
            if not error.not_found:
                raise
            text = f"spec.agents: there is no Agent {name!r} in namespace {run.namespace}: apply it"
            return Inputs(problem=("AgentNotFound", text))
    problem = await _model_problem(ctx, run.spec.budget, agents)
    if problem:
        return Inputs(problem=problem)
    return _planned(run, await _tasks(ctx, run, tuple(agents)))


async def _model_problem(
    ctx: Context, budget: Budget, agents: list[AgentSnapshot]
) -> tuple[str, str] | None:
    wanted = {a.spec.model: a.name for a in agents if a.spec.model}
    if not wanted:
        return None
    known = await ctx.proxy.models()
    money = bool(budget.trial.cost_usd or (budget.run and budget.run.cost_usd))
    for model, agent in wanted.items():
        if model not in known:
            text = (
                f"Agent {agent}: spec.model {model!r} is not configured at the proxy, which knows: "
                f"{', '.join(sorted(known)) or 'none'}. Add it to proxy.models of the chart's values"
            )
            return "ModelUnknown", text
        if money and not known[model]:
            text = (
                f"Agent {agent}: spec.budget limits costUsd, and the proxy knows no price of "
                f"spec.model {model!r}. Set prices of its provider in the chart's values, or add a row "
                "to proxy.prices"
            )
            return "ModelUnpriced", text
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
    return Inputs(agents=agents, tasks=tuple(tasks), corpus=status.digest)


def _planned(run: RunView, inputs: Inputs) -> Inputs:
    if inputs.problem:
        return inputs
    try:
        return replace(inputs, plan=planned(run, inputs))
    except SelectorError:
        return inputs  # the rules say what is wrong with it
