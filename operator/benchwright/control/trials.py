"""One trial: observe, decide (core.trial), apply."""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

from benchwright.api import labels
from benchwright.api.run import FailurePolicy
from benchwright.api.trial import TrialStatus
from benchwright.control.context import Context
from benchwright.control.refusals import refused_pod
from benchwright.control.services import hand_over
from benchwright.control.views import status_patch
from benchwright.core.observed import PodView, parse_pod
from benchwright.core.record import record
from benchwright.core.refusal import POD_REFUSED, Refusal
from benchwright.core.removal import removal
from benchwright.core.trial import decide
from benchwright.core.trialend import refused, reject, without_details
from benchwright.core.trialview import (
    Decision,
    Observed,
    ProxyUsage,
    StageKey,
    TrialView,
    stage_names,
)
from benchwright.kube.client import PODS, TRIALS
from benchwright.kube.errors import ApiError
from benchwright.resources.pods import stage_pod
from benchwright.resources.stages import role_of

log = logging.getLogger(__name__)
_STEPS = 6
"""More decisions in a row than any state needs: close, grade, finish."""
_REFUSED = "StatusRefused"
_SWEEP_SECONDS = 2
_SWEEP_GRACE = FailurePolicy().node_lost_grace_seconds
"""The trial, and its own policy with it, is gone."""


async def reconcile(ctx: Context, name: str) -> float | None:
    """Bring one trial a step further; returns when to look again."""
    trial = ctx.trials.get(name)
    if trial is None or trial.status.outcome:
        ctx.pod_pauses.works(name)
        ctx.facts.forget(name)
    if trial is None:
        return await _sweep(ctx, name)
    if trial.status.outcome and not _pods(ctx, trial):
        return None
    idle = _idle(ctx, trial)
    if idle is not None:
        return idle.requeue_after
    seen = await observe(ctx, trial)
    for _ in range(_STEPS):
        decision = decide(seen, ctx.now())
        seen, again, again_after = await _apply(ctx, seen, decision)
        if not again:
            return again_after
    raise RuntimeError(f"trial {name}: {_STEPS} decisions in a row and no end")


def _idle(ctx: Context, trial: TrialView) -> Decision | None:
    """The decision by remembered facts, where it is to do nothing. Anything else is decided by facts
    that are at least as new as the pods, or a pod's end would be taken for one without facts."""
    facts = ctx.facts.remembered(trial, max(1, trial.status.attempt))
    if facts is None:
        return None
    decision = decide(Observed(trial=trial, pods=_pods(ctx, trial), facts=facts), ctx.now())
    return decision if decision.idle else None


async def _sweep(ctx: Context, name: str) -> float | None:
    """Pods of a trial that is gone: the garbage collector deletes them, but with their whole grace
    period, which is there to save evidence that nobody wants any more; and it does not force."""
    gone = removal((p for p in ctx.pods if p.trial == name), _SWEEP_GRACE, ctx.now())
    for pod in ctx.pods:
        if pod.trial == name and not pod.terminal and _slow(pod, ctx.now()):
            options = {"gracePeriodSeconds": _SWEEP_SECONDS, "preconditions": {"uid": pod.uid}}
            await ctx.kube.delete(PODS, ctx.settings.namespace, pod.name, **options)
    await _force(ctx, gone.force)
    return gone.look_again


def _slow(pod: PodView, now: datetime) -> bool:
    """Whether it may still take longer than a sweep."""
    if not pod.deleting or pod.over_by is None:
        return True
    return (pod.over_by - now).total_seconds() > _SWEEP_SECONDS


async def observe(ctx: Context, trial: TrialView) -> Observed:
    """Pods first, then facts: facts are then at least as new as the pods' ends."""
    pods = _pods(ctx, trial)
    attempt = max(1, trial.status.attempt)
    if trial.status.outcome:
        return Observed(trial=trial, pods=pods, facts={})
    # Even where no status and no pod tells of a stage: an operator that was killed right after it
    # had made a pod left no word of it, and the pod may be over and gone.
    facts = await ctx.facts.ask(trial, attempt)
    missed = [key for key in _begun(trial) if key not in pods and key not in facts]
    if missed:
        for key in missed:
            await _look_up(ctx, trial, key)
        pods, facts = _pods(ctx, trial), await ctx.facts.ask(trial, attempt)
    return Observed(trial=trial, pods=pods, facts=facts)


def _begun(trial: TrialView) -> list[StageKey]:
    return [(max(1, trial.status.attempt), stage.name) for stage in trial.status.stages]


async def _look_up(ctx: Context, trial: TrialView, key: StageKey) -> None:
    """Ask the API server itself for a pod that nothing was heard of. Its status is there, so it was
    made; but trials and pods are listed and watched one by one, and the news of the pod may be the
    later: an operator that was told to end makes pods while its successor reads the lists."""
    try:
        ctx.pods.upsert(
            await ctx.kube.get(PODS, trial.namespace, labels.pod_name(trial.name, *key))
        )
    except ApiError as error:
        if not error.not_found:
            raise


def _pods(ctx: Context, trial: TrialView) -> dict[StageKey, PodView]:
    """Found by their deterministic names; a pod of another owner is not ours."""
    found = {}
    for attempt in range(1, max(1, trial.status.attempt) + 1):
        for stage in stage_names(trial.spec):
            pod = ctx.pods.get(labels.pod_name(trial.name, attempt, stage))
            if pod is not None and pod.owner_uid == trial.uid:
                found[(attempt, stage)] = pod
    return found


async def _apply(
    ctx: Context, seen: Observed, decision: Decision
) -> tuple[Observed, bool, float | None]:
    """Do the steps in order; each is harmless to repeat, so that a crash in between is too."""
    if decision.close_proxy is not None:
        seen = replace(seen, usage=await _closed(ctx, seen.trial, decision.close_proxy))
    if decision.grade is not None:
        seen = replace(seen, verdict=await ctx.results.verdict(seen.trial, decision.grade))
    if decision.create is not None:
        seen, instead = await _create(ctx, seen, decision.create)
        if instead is not None:  # and what is deleted may be what makes room
            return await _apply(ctx, seen, _with_removals(instead, decision))
    if decision.status is not None:
        await _write(ctx, seen, decision.status)
    await _delete(ctx, seen, decision.delete)
    await _force(ctx, decision.force)
    return seen, decision.again, decision.requeue_after


async def _closed(ctx: Context, trial: TrialView, attempt: int) -> ProxyUsage:
    """What an attempt used. Its calls are kept before anything says that it has ended."""
    usage = await ctx.proxy.close(trial, attempt)
    if not usage.handed_over:
        keep = bool(usage.usage.total.requests) and trial.spec.evidence.calls != "none"
        await hand_over(ctx.proxy, ctx.results, trial, attempt, keep=keep)
    return usage


async def _delete(ctx: Context, seen: Observed, pods: tuple[str, ...]) -> None:
    """Ask pods to go; the answer is taken in, so that none is asked twice."""
    for pod in pods:
        raw = await _delete_one(ctx, seen.trial, pod)
        if raw is not None:
            ctx.pods.upsert(raw)
        else:
            ctx.pods.forget(pod)


async def _delete_one(ctx: Context, trial: TrialView, pod: str) -> dict[str, Any] | None:
    try:
        return await ctx.kube.delete(PODS, trial.namespace, pod)
    except ApiError as error:
        if error.rejected:  # it is asked again, and somebody should know
            await ctx.events.record(
                "Trial", trial.namespace, trial.name, trial.uid, "PodNotDeleted",
                f"pod {pod} cannot be deleted: {error}", ctx.now(), warning=True,
            )  # fmt: skip
        raise


async def _force(ctx: Context, pods: tuple[str, ...]) -> None:
    """Remove pods whose node does not answer: the API server's word is all that there will be."""
    for name in pods:
        pod = ctx.pods.get(name)
        if pod is not None:
            log.warning("pod %s is removed by force: its node %s is silent", name, pod.node)
            options = {"gracePeriodSeconds": 0, "preconditions": {"uid": pod.uid}}
            await ctx.kube.delete(PODS, ctx.settings.namespace, name, **options)
            ctx.pods.forget(name)


def _with_removals(instead: Decision, decision: Decision) -> Decision:
    return replace(
        instead,
        delete=tuple(dict.fromkeys((*decision.delete, *instead.delete))),
        force=tuple(dict.fromkeys((*decision.force, *instead.force))),
    )


async def _create(ctx: Context, seen: Observed, key: StageKey) -> tuple[Observed, Decision | None]:
    """Create a stage's pod; a decision where something else has to be done instead."""
    trial, (attempt, stage) = seen.trial, key
    pause = ctx.pod_pauses.left(trial.name)
    if pause:
        return seen, Decision(requeue_after=pause)
    body = await _pod(ctx, trial, key)
    name = body["metadata"]["name"]
    try:
        raw = await ctx.kube.create(PODS, trial.namespace, body)
        ctx.metrics.pods.labels(role_of(stage)).inc()
    except ApiError as error:
        if error.passing:
            raise
        if not error.already_exists:
            return await _refused(ctx, seen, attempt, refused_pod(error, name))
        raw = await ctx.kube.get(PODS, trial.namespace, name)
        if parse_pod(raw).owner_uid != trial.uid:
            # A pod of a deleted trial of the same name: the garbage collector is at it.
            return seen, Decision(requeue_after=2.0)
    ctx.pod_pauses.works(trial.name)
    ctx.pods.upsert(raw)
    return seen, None


async def _refused(
    ctx: Context, seen: Observed, attempt: int, refusal: Refusal
) -> tuple[Observed, Decision]:
    pause = ctx.pod_pauses.refused(seen.trial.name)
    return await _settle(ctx, seen, lambda now: refused(now, attempt, refusal, pause, ctx.now()))


async def _settle(
    ctx: Context, seen: Observed, rule: Callable[[Observed], Decision]
) -> tuple[Observed, Decision]:
    """The rule's decision; where it asks for the books first, they are closed at once, for to decide
    all anew would ask the API server for the same again."""
    decision = rule(seen)
    if decision.again:
        seen, _, _ = await _apply(ctx, seen, decision)
        decision = rule(seen)
    return seen, decision


async def _pod(ctx: Context, trial: TrialView, key: StageKey) -> dict[str, Any]:
    settings = await ctx.pod_settings(trial.spec.proxy)
    attempt, stage = key
    limits = trial.spec.limits
    seconds = limits.setup_seconds + limits.agent_seconds + limits.evaluate_seconds * 20
    calls = (
        ctx.tokens.model_calls(trial, attempt, stage, seconds)
        if role_of(stage) == "workspace"
        else None
    )
    return stage_pod(
        trial, attempt, stage, settings,
        upload_token=ctx.tokens.upload(trial, attempt, stage, seconds), proxy_token=calls,
    )  # fmt: skip


async def _write(ctx: Context, seen: Observed, status: TrialStatus) -> None:
    trial = seen.trial
    if status.outcome:
        # The record first: a trial with an outcome is never looked at again.
        await ctx.results.put_record(trial.uid, record(trial, status))
    try:
        raw = await _patch(ctx, trial, status)
    except ApiError as error:
        # Forbidden on the way is a role that is being mended; at the end it may be a policy's word.
        hopeless = error.rejected if status.outcome else error.impossible
        if not hopeless or status.reason == _REFUSED:
            raise
        # A trial that cannot say where it is would be stuck for ever: the harness is at fault.
        log.error("trial %s: its status was refused: %s", trial.name, error)
        await _write_less(ctx, seen, status, f"status refused: {error}")
        return
    ctx.trials.upsert(raw)
    await _tell(ctx, trial, status)


async def _write_less(ctx: Context, seen: Observed, status: TrialStatus, words: str) -> None:
    """End the trial with a status that has nothing in it that could be at fault."""
    if not status.outcome:
        seen, end = await _settle(
            ctx, seen, lambda now: reject(now, max(1, status.attempt), _REFUSED, words, ctx.now())
        )
        assert end.status is not None
        status = end.status.model_copy(
            update={"stages": (), "attempts": seen.trial.status.attempts}
        )
    await _write(ctx, seen, without_details(status, _REFUSED, words))


async def _patch(ctx: Context, trial: TrialView, status: TrialStatus) -> dict[str, Any]:
    return await ctx.kube.patch_status(
        TRIALS, trial.namespace, trial.name, status_patch(status), trial.resource_version
    )


async def _tell(ctx: Context, trial: TrialView, status: TrialStatus) -> None:
    """Metrics and events of what changed."""
    if len(status.attempts) > len(trial.status.attempts) and not status.outcome:
        last = status.attempts[-1]
        ctx.metrics.retry(last.reason)
        await ctx.events.record(
            "Trial", trial.namespace, trial.name, trial.uid, f"Retry{last.attempt}{last.reason}",
            last.message, ctx.now(), warning=True,
        )  # fmt: skip
    for condition in status.conditions:
        if condition.type == POD_REFUSED and condition not in trial.status.conditions:
            await ctx.events.record(
                "Trial", trial.namespace, trial.name, trial.uid, f"Pod{condition.reason}",
                condition.message, ctx.now(), warning=True,
            )  # fmt: skip
    if status.outcome:
        harness = status.seconds.harness if status.seconds else None
        ctx.metrics.finish(trial.spec.purpose, status.outcome, status.reason or "", harness)
    if status.outcome == "invalid":
        # An event a trial is a write a trial: of a valid one the status tells the same, and for longer.
        await ctx.events.record(
            "Trial", trial.namespace, trial.name, trial.uid, status.reason or "Invalid",
            f"invalid: {status.message}", ctx.now(), warning=True,
        )  # fmt: skip
