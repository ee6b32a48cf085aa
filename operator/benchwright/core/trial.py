"""The rules of one trial: what is observed → what to do next (pure, level-triggered).

Every call looks at the whole state and names the next step, so that it does not matter where an
earlier operator was killed: names of pods are deterministic, facts are in the results store, and
a step that was done already is seen as done.
"""

from datetime import datetime

from benchwright.api import labels
from benchwright.api.conditions import drop_condition
from benchwright.api.facts import StageFacts
from benchwright.api.trial import StageRecord, TrialStatus
from benchwright.core.classify import StageEnd, Wait, classify, out_of_memory
from benchwright.core.clock import format_time
from benchwright.core.grading import evaluator_needed
from benchwright.core.observed import PodView
from benchwright.core.refusal import POD_REFUSED
from benchwright.core.trialend import closed, conclude, end_attempt, finish, without
from benchwright.core.trialview import EVALUATE, Decision, Observed, StageKey, stage_names
from benchwright.core.verdict import Evidence, Verdict


def decide(seen: Observed, now: datetime) -> Decision:
    """The next step for a trial."""
    trial = seen.trial
    if trial.deleting:
        return Decision()  # the garbage collector takes its pods
    if trial.status.outcome:
        return without(Decision(), seen, seen.pods.values(), now)
    failure = trial.spec.baseline_failure
    if failure:
        return finish(seen, now, Verdict.invalid(failure.reason, failure.message))
    attempt = max(1, trial.status.attempt)
    leftovers = [p for p in seen.pods.values() if p.attempt < attempt and not p.terminal]
    if leftovers:
        # An attempt never starts before the previous one's pods have ended (tekton#7218).
        return without(Decision(), seen, leftovers, now)
    over: list[PodView] = []
    for stage in stage_names(trial.spec):
        if stage == EVALUATE and not _evaluated(seen, attempt):
            break
        step = _stage_step(seen, (attempt, stage), now)
        if step is not None:
            # What the pods of earlier stages knew is stored, and a quota may count them.
            return without(step, seen, over, now)
        over += [p for key, p in seen.pods.items() if key == (attempt, stage)]
    return conclude(seen, attempt, now)


def _evaluated(seen: Observed, attempt: int) -> bool:
    """Whether this attempt gets an evaluator; all stages before have facts."""
    spec, key = seen.trial.spec, (attempt, EVALUATE)
    if spec.purpose == "baseline" or key in seen.pods or key in seen.facts:
        return True
    mine = {stage: facts for (number, stage), facts in seen.facts.items() if number == attempt}
    return evaluator_needed(spec.task.spec, Evidence(mine))


def _stage_step(seen: Observed, key: StageKey, now: datetime) -> Decision | None:
    """What to do for this stage; None where it is done."""
    facts, pod = seen.facts.get(key), seen.pods.get(key)
    if facts is None:
        return _await_facts(seen, key, pod, now)
    end = _problem(seen, key, facts, pod, now)
    if isinstance(end, Wait):
        return Decision(requeue_after=end.recheck_after)
    return end_attempt(seen, key, end, now) if end else None


def _await_facts(seen: Observed, key: StageKey, pod: PodView | None, now: datetime) -> Decision:
    if pod is None:
        if any(s.name == key[1] for s in seen.trial.status.stages):
            name = labels.pod_name(seen.trial.name, *key)
            gone = StageEnd("invalid", "PodLost", f"pod {name} is gone and had left no facts")
            return end_attempt(seen, key, gone, now)
        return Decision(create=key, status=_started(seen, key, now))
    end = classify(pod, seen.trial.spec.failure_policy, now)
    if isinstance(end, StageEnd):
        return end_attempt(seen, key, end, now)
    return Decision(status=_started(seen, key, now), requeue_after=end.recheck_after)


def _started(seen: Observed, key: StageKey, now: datetime) -> TrialStatus | None:
    """Status that says that this stage runs; None where it says so already."""
    trial, (attempt, stage) = seen.trial, key
    status = trial.status
    if status.attempt == attempt and any(s.name == stage for s in status.stages):
        return None
    stamp = format_time(now)
    record = StageRecord(
        name=stage, pod=labels.pod_name(trial.name, attempt, stage), created_at=stamp
    )
    return status.model_copy(
        update={
            "observed_generation": trial.generation,
            "attempt": attempt,
            "phase": "Evaluating" if stage == EVALUATE else "Running",
            "started_at": status.started_at or stamp,
            "stages": (*closed(seen, stamp), record),
            "conditions": drop_condition(status.conditions, POD_REFUSED),
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
