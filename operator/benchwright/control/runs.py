"""One run: gather its inputs, decide (core.run), create trials, write the status."""

import asyncio
from dataclasses import dataclass, field, replace

from benchwright.api.conditions import Condition
from benchwright.api.run import BenchmarkRunStatus
from benchwright.control.context import Context
from benchwright.control.gathering import gather
from benchwright.control.refusals import refused_trial
from benchwright.control.views import (
    run_view,
    status_patch,
    summary,
    trial_object,
)
from benchwright.core.budget import BUDGET_SPENT
from benchwright.core.pinning import pinned
from benchwright.core.refusal import TRIALS_REFUSED, Refusal
from benchwright.core.run import decide, refused
from benchwright.core.runstatus import only_counts
from benchwright.core.runview import Inputs, NewTrial, RunDecision, RunView, TrialSummary
from benchwright.kube.client import RUNS, TRIALS
from benchwright.kube.errors import ApiError


async def reconcile(ctx: Context, name: str) -> float | None:
    """Bring one run a step further; returns when to look again."""
    namespace = ctx.settings.namespace
    try:
        run = run_view(await ctx.kube.get(RUNS, namespace, name))
    except ApiError as error:
        if error.not_found:
            _forget(ctx, name)
            return None
        raise
    # Before the inputs: a baseline's record is stored before its trial says that it succeeded.
    trials = ctx.roster.of(run)
    inputs = Inputs() if run.deleting or run.status.finished_at else await gather(ctx, run)
    decision = decide(run, inputs, trials, ctx.now())
    again_after = decision.requeue_after
    if decision.create:
        run, decision, again_after = await _fill(ctx, run, inputs, trials, decision)
    if decision.delete:
        await ctx.kube.delete(RUNS, namespace, name)
    if decision.status:
        pause = ctx.run_pace.left(name) if only_counts(run.status, decision.status) else 0.0
        if pause:
            return pause if again_after is None else min(pause, again_after)
        await _write(ctx, run, decision.status)
    return again_after


def _forget(ctx: Context, name: str) -> None:
    ctx.trial_pauses.works(name)
    ctx.inputs.forget(name)
    ctx.run_pace.forget(name)
    ctx.own_writes.pop(name, None)


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
    key = run.uid if run.spec.budget.run else f"{run.uid}/{item.name}"
    number = pinned(key, ctx.settings.proxy_replicas)
    spec = item.spec.model_copy(update={"proxy": number})
    body = trial_object(run, item.name, spec, ctx.now())
    ctx.roster.expect(item.name)
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
    trial = ctx.trials.get(item.name)
    if trial is not None:  # or somebody has deleted it at once
        made.trials.append(summary(trial))


async def _write(ctx: Context, run: RunView, status: BenchmarkRunStatus) -> RunView:
    raw = await ctx.kube.patch_status(
        RUNS, run.namespace, run.name, status_patch(status), run.resource_version
    )
    ctx.own_writes[run.name] = raw["metadata"]["resourceVersion"]
    ctx.run_pace.done(run.name)
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
    return (condition.type, condition.status) in {
        ("Resolved", "False"),
        (TRIALS_REFUSED, "True"),
        (BUDGET_SPENT, "True"),
    }
