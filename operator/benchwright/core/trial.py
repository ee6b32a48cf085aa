"""The rules of one trial: what is observed → what to do next (pure, level-triggered).

Every call looks at the whole state and names the next step, so that it does not matter where an
earlier operator was killed: names of pods are deterministic, facts are in the results store, and
a step that was done already is seen as done.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from benchwright.api import labels
from benchwright.api.conditions import Condition, set_condition, truncate
from benchwright.api.facts import StageFacts
from benchwright.api.measurements import Usage
from benchwright.api.trial import AttemptRecord, StageRecord, TrialSpec, TrialStatus
from benchwright.core.classify import StageEnd, Wait, classify, out_of_memory
from benchwright.core.clock import format_time
from benchwright.core.observed import PodView
from benchwright.core.removal import removal
from benchwright.core.seconds import seconds_spent
from benchwright.core.verdict import Verdict

EVALUATE = "evaluate"
StageKey = tuple[int, str]
"""Attempt number and stage name."""


@dataclass(frozen=True, slots=True)
class TrialView:
    """A Trial as the API server has it."""

    namespace: str
    name: str
    uid: str
    spec: TrialSpec
    status: TrialStatus
    created_at: str
    generation: int = 1
    resource_version: str = ""
    deleting: bool = False
    run_uid: str = ""


@dataclass(frozen=True, slots=True)
class ProxyUsage:
    """What the proxy says of one attempt after it was closed."""

    usage: Usage
    interrupted: int = 0
    limit_hit: str | None = None


@dataclass(frozen=True, slots=True)
class Observed:
    """Everything that the next step depends on."""

    trial: TrialView
    pods: Mapping[StageKey, PodView] = field(default_factory=dict)
    facts: Mapping[StageKey, StageFacts] = field(default_factory=dict)
    usage: ProxyUsage | None = None
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Steps in the order in which they are done. `again`: decide anew with what came of them."""

    create: StageKey | None = None
    delete: tuple[str, ...] = ()
    force: tuple[str, ...] = ()
    """Pods to remove without waiting for their node, which does not answer."""
    close_proxy: int | None = None
    grade: int | None = None
    status: TrialStatus | None = None
    again: bool = False
    requeue_after: float | None = None


def stage_names(spec: TrialSpec) -> tuple[str, ...]:
    """The pods of an attempt, in order."""
    return (EVALUATE,) if spec.purpose == "baseline" else (*spec.task.spec.stages, EVALUATE)


def decide(seen: Observed, now: datetime) -> Decision:
    """The next step for a trial."""
    trial = seen.trial
    if trial.deleting:
        return Decision()  # the garbage collector takes its pods
    if trial.status.outcome:
        return _without(Decision(), seen, seen.pods.values(), now)
    failure = trial.spec.baseline_failure
    if failure:
        return _finish(seen, now, Verdict.invalid(failure.reason, failure.message))
    attempt = max(1, trial.status.attempt)
    leftovers = [p for p in seen.pods.values() if p.attempt < attempt and not p.terminal]
    if leftovers:
        # An attempt never starts before the previous one's pods have ended (tekton#7218).
        return _without(Decision(), seen, leftovers, now)
    over: list[PodView] = []
    for stage in stage_names(trial.spec):
        step = _stage_step(seen, (attempt, stage), now)
        if step is not None:
            # What the pods of earlier stages knew is stored, and a quota may count them.
            return _without(step, seen, over, now)
        over += [p for key, p in seen.pods.items() if key == (attempt, stage)]
    return _conclude(seen, attempt, now)


def _without(step: Decision, seen: Observed, pods: Iterable[PodView], now: datetime) -> Decision:
    """The step, and these pods are made to go."""
    gone = removal(pods, seen.trial.spec.failure_policy.node_lost_grace_seconds, now)
    times = [t for t in (step.requeue_after, gone.look_again) if t is not None]
    return replace(
        step,
        delete=tuple(dict.fromkeys((*step.delete, *gone.ask))),
        force=tuple(dict.fromkeys((*step.force, *gone.force))),
        requeue_after=min(times, default=None),
    )


def _stage_step(seen: Observed, key: StageKey, now: datetime) -> Decision | None:
    """What to do for this stage; None where it is done."""
    facts, pod = seen.facts.get(key), seen.pods.get(key)
    if facts is None:
        return _await_facts(seen, key, pod, now)
    end = _problem(seen, key, facts, pod, now)
    if isinstance(end, Wait):
        return Decision(requeue_after=end.recheck_after)
    return _end_attempt(seen, key, end, now) if end else None


def _await_facts(seen: Observed, key: StageKey, pod: PodView | None, now: datetime) -> Decision:
    if pod is None:
        if any(s.name == key[1] for s in seen.trial.status.stages):
            name = labels.pod_name(seen.trial.name, *key)
            gone = StageEnd("invalid", "PodLost", f"pod {name} is gone and had left no facts")
            return _end_attempt(seen, key, gone, now)
        return Decision(create=key, status=_started(seen, key, now))
    end = classify(pod, seen.trial.spec.failure_policy, now)
    if isinstance(end, StageEnd):
        return _end_attempt(seen, key, end, now)
    return Decision(status=_started(seen, key, now), requeue_after=end.recheck_after)


def _started(seen: Observed, key: StageKey, now: datetime) -> TrialStatus | None:
    """Status that says that this stage runs; None where it says so already."""
    trial, (attempt, stage) = seen.trial, key
    status = trial.status
    if status.attempt == attempt and any(s.name == stage for s in status.stages):
        return None
    stamp = format_time(now)
    done = tuple(
        s if s.finished_at else s.model_copy(update={"finished_at": stamp}) for s in status.stages
    )
    record = StageRecord(
        name=stage, pod=labels.pod_name(trial.name, attempt, stage), created_at=stamp
    )
    return status.model_copy(
        update={
            "observed_generation": trial.generation,
            "attempt": attempt,
            "phase": "Evaluating" if stage == EVALUATE else "Running",
            "started_at": status.started_at or stamp,
            "stages": (*done, record),
        }
    )


def _problem(
    seen: Observed, key: StageKey, facts: StageFacts, pod: PodView | None, now: datetime
) -> StageEnd | Wait | None:
    """What is wrong with a stage that has facts."""
    if facts.error:
        return StageEnd("invalid", facts.error.reason, facts.error.message)
    if not facts.runner_finished:
        return _killed(seen, key, pod, now)
    setup = facts.step("setup")
    if key[1] != EVALUATE and setup and (setup.timed_out or setup.exit_code != 0):
        how = "ran past its time limit" if setup.timed_out else f"ended with {setup.exit_code}"
        message = f"the agent's setup script {how}: mend spec.setup of the Agent. It printed: "
        return StageEnd("invalid", "AgentSetupFailed", message + setup.log_tail[-400:], retry=False)
    return None


def _killed(seen: Observed, key: StageKey, pod: PodView | None, now: datetime) -> StageEnd | Wait:
    """The main container died under the runner: out of memory, evicted, or killed from outside."""
    main = pod.main if pod else None
    if pod is not None:
        end = classify(pod, seen.trial.spec.failure_policy, now)
        if isinstance(end, StageEnd) and end.reason != "HarnessLost":
            return end
        if main is not None and main.oom_killed:
            return out_of_memory(pod, "")
        if isinstance(end, Wait) and (main is None or not main.ended):
            return end  # the kubelet will say how it ended in a second or so
    code = main.exit_code if main else "unknown"
    return StageEnd("invalid", "RunnerLost", f"the runner was killed from outside (exit {code})")


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


def _end_attempt(seen: Observed, key: StageKey, end: StageEnd, now: datetime) -> Decision:
    attempt, _ = key
    end = _charged(seen, end)
    if end.kind == "failure":
        return _with_usage(seen, attempt, now, Verdict.failure(end.reason, end.message))
    status = seen.trial.status
    if end.retry and len(status.attempts) < seen.trial.spec.failure_policy.max_infra_retries:
        return _retry(seen, attempt, end, now)
    return _with_usage(seen, attempt, now, Verdict.invalid(end.reason, end.message))


def _retry(seen: Observed, attempt: int, end: StageEnd, now: datetime) -> Decision:
    status = seen.trial.status.model_copy(
        update={
            "attempt": attempt + 1,
            "attempts": (
                *seen.trial.status.attempts,
                _record(attempt, end.reason, end.message, now),
            ),
            "stages": (),
            "phase": "Pending",
            "started_at": None,
        }
    )
    close = attempt if _calls_models(seen.trial.spec) else None
    step = Decision(close_proxy=close, status=status, requeue_after=0.0)
    return _without(step, seen, (p for p in seen.pods.values() if p.attempt == attempt), now)


def _record(attempt: int, reason: str, message: str, now: datetime) -> AttemptRecord:
    return AttemptRecord(
        attempt=attempt, reason=reason, message=truncate(message), finished_at=format_time(now)
    )


def _calls_models(spec: TrialSpec) -> bool:
    return spec.agent is not None


def _with_usage(seen: Observed, attempt: int, now: datetime, verdict: Verdict) -> Decision:
    """Finish, but not before the proxy has said what was spent."""
    if seen.usage is None and _calls_models(seen.trial.spec):
        return Decision(close_proxy=attempt, again=True)
    return _finish(seen, now, verdict, attempt)


def _conclude(seen: Observed, attempt: int, now: datetime) -> Decision:
    """All stages have facts: close the books, grade, finish."""
    if seen.usage is None and _calls_models(seen.trial.spec):
        return Decision(close_proxy=attempt, again=True)
    if seen.usage and seen.usage.interrupted:
        message = (
            f"the proxy was restarted during {seen.usage.interrupted} model call(s), whose tokens "
            "are unknown; what was metered before is kept"
        )
        end = StageEnd("invalid", "ProxyInterrupted", message)
        return _end_attempt(seen, (attempt, EVALUATE), end, now)
    if seen.verdict is None:
        return Decision(grade=attempt, again=True)
    if seen.verdict.outcome == "invalid":
        end = StageEnd("invalid", seen.verdict.reason, seen.verdict.message, seen.verdict.retry)
        return _end_attempt(seen, (attempt, EVALUATE), end, now)
    return _finish(seen, now, seen.verdict, attempt)


def _finish(seen: Observed, now: datetime, verdict: Verdict, attempt: int = 0) -> Decision:
    """The final status. `attempt` 0: none was ever made."""
    trial, status, stamp = seen.trial, seen.trial.status, format_time(now)
    attempts = status.attempts
    if verdict.outcome == "invalid" and attempt:
        attempts = (*attempts, _record(attempt, verdict.reason, verdict.message, now))
    stages = tuple(
        s if s.finished_at else s.model_copy(update={"finished_at": stamp}) for s in status.stages
    )
    final = status.model_copy(
        update={
            "observed_generation": trial.generation,
            "phase": "Finished",
            "attempt": attempt,
            "finished_at": stamp,
            "stages": stages,
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
                status.conditions, _finished(final, trial.generation, stamp)
            ),
        }
    )
    return _without(Decision(status=final), seen, seen.pods.values(), now)


def _finished(status: TrialStatus, generation: int, stamp: str) -> Condition:
    return Condition(
        type="Finished",
        status="True",
        reason=status.reason or "Finished",
        message=status.message or "",
        observed_generation=generation,
        last_transition_time=stamp,
    )


def reject(seen: Observed, attempt: int, message: str, now: datetime) -> Decision:
    """The API server will never take the pod: invalid, and repeating is useless."""
    verdict = Verdict.invalid("PodRejected", message)
    if not seen.facts:  # no agent has worked yet, so there is nothing to ask the proxy for
        return _finish(seen, now, verdict, attempt)
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
