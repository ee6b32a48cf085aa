"""How an attempt and a trial end: repeated, concluded, finished once, or refused (pure)."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from benchwright.api.conditions import Condition, drop_condition, set_condition, truncate
from benchwright.api.trial import AttemptRecord, StageRecord, TrialSpec, TrialStatus
from benchwright.core.budget import RUN_BUDGET_SPENT, cut_short
from benchwright.core.classify import StageEnd
from benchwright.core.clock import format_time, parse_time
from benchwright.core.observed import PodView
from benchwright.core.refusal import POD_REFUSED, Refusal, told
from benchwright.core.removal import removal
from benchwright.core.seconds import seconds_spent
from benchwright.core.trialview import EVALUATE, Decision, Observed, StageKey
from benchwright.core.verdict import Verdict


def without(step: Decision, seen: Observed, pods: Iterable[PodView], now: datetime) -> Decision:
    """The step, and these pods are made to go."""
    gone = removal(pods, seen.trial.spec.failure_policy.node_lost_grace_seconds, now)
    times = [t for t in (step.requeue_after, gone.look_again) if t is not None]
    return replace(
        step,
        delete=tuple(dict.fromkeys((*step.delete, *gone.ask))),
        force=tuple(dict.fromkeys((*step.force, *gone.force))),
        requeue_after=min(times, default=None),
    )


def _charged(seen: Observed, end: StageEnd) -> StageEnd:
    """Memory is the agent's own doing the second time, or it could crash for a second chance."""
    spec = seen.trial.spec
    if end.reason != "OutOfMemory":
        return end
    before = any(a.reason == "OutOfMemory" for a in seen.trial.status.attempts)
    if not before and spec.failure_policy.oom_policy != "Fail":
        return end
    memory = f"{spec.task.spec.resources.memory} × {spec.task.spec.resources.memory_headroom}"
    text = f"{end.message} ({memory}); raise the task's resources if that is unfair"
    return StageEnd("failure", "MemoryLimit", text)


def end_attempt(seen: Observed, key: StageKey, end: StageEnd, now: datetime) -> Decision:
    attempt, _ = key
    end = _charged(seen, end)
    if end.kind == "failure":
        return _with_usage(seen, attempt, now, Verdict.failure(end.reason, end.message))
    status = seen.trial.status
    if end.retry and len(status.attempts) < seen.trial.spec.failure_policy.max_infra_retries:
        return _retry(seen, attempt, end, now)
    return _with_usage(seen, attempt, now, Verdict.invalid(end.reason, end.message))


def _retry(seen: Observed, attempt: int, end: StageEnd, now: datetime) -> Decision:
    """The next attempt, once the proxy has said what this one spent and lets it spend no more."""
    if seen.usage is None and _calls_models(seen.trial.spec):
        return Decision(close_proxy=attempt, again=True)
    status = seen.trial.status.model_copy(
        update={
            "attempt": attempt + 1,
            "attempts": (
                *seen.trial.status.attempts,
                _record(seen, attempt, end.reason, end.message, now),
            ),
            "stages": (),
            "phase": "Pending",
            "started_at": None,
        }
    )
    step = Decision(status=status, requeue_after=0.0)
    return without(step, seen, (p for p in seen.pods.values() if p.attempt == attempt), now)


def _record(
    seen: Observed, attempt: int, reason: str, message: str, now: datetime
) -> AttemptRecord:
    used = seen.usage.usage if seen.usage else None
    return AttemptRecord(
        attempt=attempt, reason=reason, message=truncate(message), finished_at=format_time(now),
        usage=used and used.total, cost_usd=used and used.cost_usd,
    )  # fmt: skip


def _calls_models(spec: TrialSpec) -> bool:
    return spec.agent is not None


def _with_usage(seen: Observed, attempt: int, now: datetime, verdict: Verdict) -> Decision:
    """Finish, but not before the proxy has said what was spent."""
    if seen.usage is None and _calls_models(seen.trial.spec):
        return Decision(close_proxy=attempt, again=True)
    return finish(seen, now, verdict, attempt)


def conclude(seen: Observed, attempt: int, now: datetime) -> Decision:
    """All stages have facts: close the books, grade, finish."""
    if seen.usage is None and _calls_models(seen.trial.spec):
        return Decision(close_proxy=attempt, again=True)
    if seen.usage and cut_short(seen.usage.limit_hit):
        limit = (seen.usage.limit_hit or "").removeprefix("run_")
        message = f"the run's {limit} budget was spent while it worked: model calls were refused"
        end = StageEnd("invalid", RUN_BUDGET_SPENT, message, retry=False)
        return end_attempt(seen, (attempt, EVALUATE), end, now)
    if seen.usage and seen.usage.interrupted:
        message = (
            f"the proxy was restarted during {seen.usage.interrupted} model call(s), whose tokens "
            "are unknown; what was metered before is kept"
        )
        end = StageEnd("invalid", "ProxyInterrupted", message)
        return end_attempt(seen, (attempt, EVALUATE), end, now)
    if seen.verdict is None:
        return Decision(grade=attempt, again=True)
    if seen.verdict.outcome == "invalid":
        end = StageEnd("invalid", seen.verdict.reason, seen.verdict.message, seen.verdict.retry)
        return end_attempt(seen, (attempt, EVALUATE), end, now)
    return finish(seen, now, seen.verdict, attempt)


def closed(seen: Observed, stamp: str) -> tuple[StageRecord, ...]:
    """The stages so far as they ended, each with its node, where its pod is there to say."""
    status = seen.trial.status
    return tuple(_closed(s, seen.pods.get((status.attempt, s.name)), stamp) for s in status.stages)


def _closed(stage: StageRecord, pod: PodView | None, stamp: str) -> StageRecord:
    node = stage.node or (pod.node if pod else "") or None
    if stage.finished_at and node == stage.node:
        return stage
    return stage.model_copy(update={"finished_at": stage.finished_at or stamp, "node": node})


def finish(seen: Observed, now: datetime, verdict: Verdict, attempt: int = 0) -> Decision:
    """The final status. `attempt` 0: none was ever made."""
    trial, status, stamp = seen.trial, seen.trial.status, format_time(now)
    attempts = status.attempts
    if verdict.outcome == "invalid" and attempt:
        attempts = (*attempts, _record(seen, attempt, verdict.reason, verdict.message, now))
    final = status.model_copy(
        update={
            "observed_generation": trial.generation,
            "phase": "Finished",
            "attempt": attempt,
            "finished_at": stamp,
            "stages": closed(seen, stamp),
            "attempts": attempts,
            "outcome": verdict.outcome,
            "reason": verdict.reason,
            "message": truncate(verdict.message),
            "measurements": verdict.measurements,
            "usage": seen.usage.usage if seen.usage else None,
            "evidence_uri": f"/trials/{trial.uid}/evidence.tar.gz",
        }
    )
    final = final.model_copy(
        update={
            "seconds": seconds_spent(trial.created_at, final, seen.facts),
            "conditions": set_condition(
                drop_condition(status.conditions, POD_REFUSED),
                _finished(final, trial.generation, stamp),
            ),
        }
    )
    return without(Decision(status=final), seen, seen.pods.values(), now)


def _finished(status: TrialStatus, generation: int, stamp: str) -> Condition:
    return Condition(
        type="Finished",
        status="True",
        reason=status.reason or "Finished",
        message=status.message or "",
        observed_generation=generation,
        last_transition_time=stamp,
    )


def refused(
    seen: Observed, attempt: int, refusal: Refusal, again_after: float, now: datetime
) -> Decision:
    """The API server did not take a pod: said and tried again, or the trial ends."""
    since = _refused_since(seen.trial.status, refusal)
    patience = timedelta(seconds=seen.trial.spec.failure_policy.pending_timeout_seconds)
    # A quota is full because others work: that is no reason to end a trial (argo#3645).
    if refusal.final or (since and not refusal.quota and now - since >= patience):
        return reject(seen, attempt, "PodRejected", refusal.message("no pod was made"), now)
    status = seen.trial.status
    new = Condition(
        type=POD_REFUSED, status="True", reason=refusal.reason,
        message=refusal.message("it is tried again, and the trial goes on when it is taken"),
        observed_generation=seen.trial.generation, last_transition_time=format_time(now),
    )  # fmt: skip
    conditions = told(status.conditions, new)
    if conditions == status.conditions:
        return Decision(requeue_after=again_after)
    changed = status.model_copy(update={"conditions": conditions})
    return Decision(status=changed, requeue_after=again_after)


def _refused_since(status: TrialStatus, refusal: Refusal) -> datetime | None:
    for condition in status.conditions:
        if (condition.type, condition.reason) == (POD_REFUSED, refusal.reason):
            return parse_time(condition.last_transition_time)
    return None


def reject(seen: Observed, attempt: int, reason: str, message: str, now: datetime) -> Decision:
    """The API server will never take what the trial needs: invalid, and repeating is useless."""
    verdict = Verdict.invalid(reason, message)
    if not seen.facts:  # no agent has worked yet, so there is nothing to ask the proxy for
        return finish(seen, now, verdict, attempt)
    return _with_usage(seen, attempt, now, verdict)


def without_details(status: TrialStatus, reason: str, message: str) -> TrialStatus:
    """The final status as invalid and without measurements, where the API server refused those."""
    return status.model_copy(
        update={
            "outcome": "invalid",
            "reason": reason,
            "message": truncate(message),
            "measurements": None,
            "usage": None,
            "seconds": None,
            "conditions": (),
        }
    )
