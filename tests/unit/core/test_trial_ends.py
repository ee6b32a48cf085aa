"""trial.decide, what goes wrong: repeated without charge, or charged, and never for ever."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from benchwright.api.facts import StageFacts, StepFacts
from benchwright.api.measurements import Measurements
from benchwright.core.trial import decide
from benchwright.core.trialend import reject, without_details
from benchwright.core.trialview import Decision, Observed
from benchwright.core.verdict import Verdict
from tests.builders import NOW, PodBuilder, TrialBuilder, a_pod, a_trial, at
from tests.unit.core.evidence import broken, killed, measured, spent, step, tokens, worked
from tests.unit.core.test_trial_progress import seen

WORKING = a_trial().in_stage("write")
OOM = a_pod().main_ended(137, "OOMKilled")
LIMIT = 'Usage of EmptyDir volume "workspace" exceeds the limit "2Gi". '


def _outcome(decision: Decision) -> tuple[str | None, str | None]:
    assert decision.status is not None, decision
    return decision.status.outcome, decision.status.reason


def _repeated(decision: Decision, reason: str) -> None:
    """The attempt was given up for `reason` and the next one may begin."""
    assert decision.status is not None, decision
    assert decision.status.outcome is None, decision.status
    assert decision.status.attempts[-1].reason == reason
    assert decision.status.attempt == decision.status.attempts[-1].attempt + 1
    assert decision.create is None
    assert decision.requeue_after == 0.0


def _after_closing(state: Observed, now: datetime = NOW) -> Decision:
    """The proxy is asked first, and told to let the attempt spend no more; nothing else is done
    before it has answered."""
    first = decide(state, now)
    assert first.close_proxy == max(1, state.trial.status.attempt), first
    assert (first.again, first.status, first.create) == (True, None, None)
    return decide(replace(state, usage=spent()), now)


# Lost pods


def test_a_pod_that_vanished_without_facts_is_lost_not_created_again() -> None:
    """argo#1414, k8s#82218: the same name a second time would be a second, unseen run."""
    _repeated(_after_closing(seen(WORKING)), "PodLost")


def test_a_pod_that_vanished_after_its_facts_were_stored_is_no_loss() -> None:
    assert decide(seen(WORKING, facts={"write": worked()}), NOW).create == (1, "evaluate")


def test_a_repeat_closes_the_old_attempts_books_and_deletes_its_pods_and_forgets_its_stages() -> (
    None
):
    state = seen(WORKING, a_pod().running().disrupted("PreemptionByScheduler"))
    decision = _after_closing(state)
    _repeated(decision, "Disrupted")
    assert decision.status is not None
    assert decision.close_proxy is None
    assert decision.delete == ("run-1-script-task-0-1-write",)
    assert (decision.status.stages, decision.status.phase) == ((), "Pending")
    assert decision.status.attempts[0].finished_at == at(0)


@pytest.mark.parametrize(
    "pod",
    [a_pod().running(), a_pod(), a_pod().running().deleting()],
    ids=["runs", "waits for a node", "is being deleted"],
)
def test_the_next_attempt_never_starts_before_the_old_pod_ended(pod: PodBuilder) -> None:
    """tekton#7218, k8s#115844: an old pod that comes to life later would work for two trials."""
    trial = a_trial().after_invalid("Disrupted")
    decision = decide(seen(trial, pod), NOW)
    assert decision.create is None
    assert decision.status is None
    assert decision.force == ()


# Pods of nodes that do not answer

DEAD = a_pod().lasting(1000, grace=240).started(0).running()
"""Must be over after 1240 s; the policy's slack is 120 s."""
NAME = "run-1-script-task-0-1-write"


def _later(seconds: float, state: Observed) -> Decision:
    return decide(state, NOW + timedelta(seconds=seconds))


def _later_closed(seconds: float, state: Observed) -> Decision:
    return _after_closing(state, NOW + timedelta(seconds=seconds))


def test_a_pod_that_is_never_over_ends_its_attempt_and_goes_by_force() -> None:
    """An agent that still works somewhere spends nothing more: its books are closed by then."""
    decision = _later_closed(1360, seen(WORKING, DEAD))
    _repeated(decision, "NodeLost")
    assert (decision.delete, decision.force) == ((), (NAME,))


def test_until_its_deadline_it_is_waited_for_without_asking_again_and_again() -> None:
    assert _later(360, seen(WORKING, DEAD)) == Decision(requeue_after=1000.0)


def test_facts_that_are_stored_win_over_a_node_that_does_not_answer() -> None:
    decision = _later(5000, seen(WORKING, DEAD, facts={"write": worked()}))
    assert decision.create == (1, "evaluate")
    assert decision.force == (NAME,)


def test_a_runner_that_was_killed_on_a_node_that_then_died_is_not_waited_for_for_ever() -> None:
    state = seen(WORKING, DEAD, facts={"write": killed()})
    assert _later(360, state) == Decision(requeue_after=1000.0)
    _repeated(_later_closed(1360, state), "NodeLost")


@pytest.mark.parametrize(
    ("pod", "after", "expected"),
    [
        (a_pod().running().deleting(by=240), 100, Decision(requeue_after=260.0)),
        (a_pod().running().deleting(by=240), 360, Decision(force=(NAME,))),
        (a_pod().succeeded().deleting(by=240), 100, None),
        (DEAD, 100, Decision(delete=(NAME,))),
        (DEAD, 1360, Decision(force=(NAME,))),
    ],
    ids=["Terminating", "Terminating for ever", "over, but not gone", "runs", "runs for ever"],
)
def test_the_next_attempt_waits_for_the_old_pod_until_its_node_is_given_up(
    pod: PodBuilder, after: float, expected: Decision | None
) -> None:
    """The taint manager's deletion is never confirmed by a node that is dead: this waited, once a
    second, until somebody removed the node."""
    decision = _later(after, seen(a_trial().after_invalid("Disrupted"), pod))
    if expected is None:
        assert decision.create == (2, "write")
    else:
        assert decision == expected


def test_a_finished_trial_leaves_no_pod_on_a_dead_node() -> None:
    """It would count against the quota until somebody removed the node."""
    trial = a_trial().in_stage("write").finished()
    state = seen(trial, a_pod().succeeded().deleting(by=240))
    assert _later(100, state) == Decision(requeue_after=260.0)
    assert _later(360, state) == Decision(force=(NAME,))


def test_the_slack_is_the_policys() -> None:
    trial = a_trial().with_policy(node_lost_grace_seconds=10).in_stage("write")
    assert _later(1240, seen(trial, DEAD)) == Decision(requeue_after=10.0)
    _repeated(_later_closed(1250, seen(trial, DEAD)), "NodeLost")


def test_an_old_pod_that_still_runs_is_deleted_again_after_a_crash() -> None:
    trial = a_trial().after_invalid("Disrupted")
    assert decide(seen(trial, a_pod().running()), NOW).delete == ("run-1-script-task-0-1-write",)


@pytest.mark.parametrize("pods", [[], [a_pod().failed()]], ids=["gone", "terminal"])
def test_the_next_attempt_starts_once_the_old_pods_are_gone_or_terminal(
    pods: list[PodBuilder],
) -> None:
    trial = a_trial().after_invalid("Disrupted")
    decision = decide(seen(trial, *pods), NOW)
    assert decision.create == (2, "write")
    assert decision.status is not None
    assert decision.status.attempt == 2
    assert [r.reason for r in decision.status.attempts] == ["Disrupted"]


def test_facts_of_an_earlier_attempt_say_nothing_about_this_one() -> None:
    state = seen(a_trial().after_invalid("Disrupted"), facts={"write": worked()}, attempt=1)
    assert decide(state, NOW).create == (2, "write")


@pytest.mark.parametrize("retries", [0, 1, 2, 8])
def test_after_so_many_repeats_the_outcome_is_invalid(retries: int) -> None:
    trial = a_trial().with_policy(max_infra_retries=retries).after_invalid(*["Disrupted"] * retries)
    attempt = retries + 1
    state = seen(trial.in_stage("write", attempt=attempt), attempt=attempt)
    first = decide(state, NOW)
    assert first == Decision(close_proxy=attempt, again=True)
    decision = decide(replace(state, usage=spent()), NOW)
    assert _outcome(decision) == ("invalid", "PodLost")
    assert decision.status is not None
    assert len(decision.status.attempts) == attempt
    assert decision.status.usage == spent().usage


def test_waiting_for_a_node_is_looked_at_again_without_an_event() -> None:
    decision = decide(seen(a_trial().in_stage("write"), a_pod()), NOW + timedelta(seconds=10))
    assert decision == Decision(requeue_after=890.0)


# Out of memory


def test_out_of_memory_once_is_invalid_and_repeated() -> None:
    _repeated(_after_closing(seen(WORKING, OOM, facts={"write": killed()})), "OutOfMemory")


def test_out_of_memory_twice_in_a_trial_is_the_agents_failure() -> None:
    """Otherwise an agent could crash on purpose to earn repeats (inspect limitations.md)."""
    trial = a_trial().after_invalid("OutOfMemory").in_stage("write", attempt=2)
    pod = a_pod(attempt=2).main_ended(137, "OOMKilled")
    state = replace(seen(trial, pod, facts={"write": killed()}, attempt=2), usage=spent())
    decision = decide(state, NOW)
    assert _outcome(decision) == ("failure", "MemoryLimit")
    assert decision.status is not None
    assert decision.status.usage == spent().usage


def test_a_failure_is_not_written_before_the_proxy_has_said_what_was_spent() -> None:
    trial = a_trial().after_invalid("OutOfMemory").in_stage("write", attempt=2)
    pod = a_pod(attempt=2).main_ended(137, "OOMKilled")
    state = seen(trial, pod, facts={"write": killed()}, attempt=2)
    assert decide(state, NOW) == Decision(close_proxy=2, again=True)


def test_another_loss_in_between_does_not_hide_the_first_out_of_memory() -> None:
    trial = a_trial().after_invalid("OutOfMemory", "Disrupted").in_stage("write", attempt=3)
    pod = a_pod(attempt=3).main_ended(137, "OOMKilled")
    state = replace(seen(trial, pod, facts={"write": killed()}, attempt=3), usage=spent())
    assert _outcome(decide(state, NOW)) == ("failure", "MemoryLimit")


def test_where_the_policy_says_fail_the_first_out_of_memory_counts() -> None:
    state = seen(WORKING.with_policy(oom_policy="Fail"), OOM, facts={"write": killed()})
    assert _outcome(decide(replace(state, usage=spent()), NOW)) == ("failure", "MemoryLimit")


def test_out_of_memory_that_took_the_evidence_along_counts_as_the_second_too() -> None:
    """An agent that also kills the harness's evidence must not earn more repeats than one that
    does not."""
    trial = a_trial().after_invalid("OutOfMemory").in_stage("write", attempt=2)
    pod = a_pod(attempt=2).main_ended(137, "OOMKilled").harness_ended(137).failed()
    state = replace(seen(trial, pod, attempt=2), usage=spent())
    assert _outcome(decide(state, NOW)) == ("failure", "MemoryLimit")


def test_out_of_memory_without_evidence_counts_at_once_where_the_policy_says_fail() -> None:
    pod = OOM.harness_ended(137).failed()
    state = replace(seen(WORKING.with_policy(oom_policy="Fail"), pod), usage=spent())
    assert _outcome(decide(state, NOW)) == ("failure", "MemoryLimit")


@pytest.mark.parametrize("oom_policy", ["Invalid", "Fail"])
@pytest.mark.parametrize("before", [(), ("EnvOOM",), ("OutOfMemory",)], ids=lambda b: b or "first")
@pytest.mark.parametrize("collected", [True, False], ids=["with facts", "evidence lost"])
def test_an_evaluator_out_of_memory_is_never_charged(
    oom_policy: str, before: tuple[str, ...], collected: bool
) -> None:
    """Table 1.5: invalid, EnvOOM. oomPolicy and the second time speak of workspaces."""
    attempt = len(before) + 1
    trial = a_trial().with_policy(oom_policy=oom_policy).after_invalid(*before)
    trial = trial.in_stage("write", "evaluate", attempt=attempt)
    pod = a_pod("evaluate", attempt=attempt).main_ended(137, "OOMKilled")
    facts = {"write": worked()}
    if collected:
        facts["evaluate"] = killed()
    else:
        pod = pod.harness_ended(137).failed()
    state = seen(trial, pod, facts=facts, attempt=attempt)
    _repeated(decide(replace(state, usage=spent()), NOW), "EnvOOM")


def test_an_evaluator_out_of_memory_every_time_is_invalid_in_the_end() -> None:
    trial = a_trial().with_policy(max_infra_retries=1).after_invalid("EnvOOM")
    trial = trial.in_stage("write", "evaluate", attempt=2)
    pod = a_pod("evaluate", attempt=2).main_ended(137, "OOMKilled")
    facts = {"write": worked(), "evaluate": killed()}
    state = replace(seen(trial, pod, facts=facts, attempt=2), usage=spent())
    assert _outcome(decide(state, NOW)) == ("invalid", "EnvOOM")


def test_an_evaluators_memory_does_not_make_a_workspaces_first_time_its_second() -> None:
    trial = a_trial().after_invalid("EnvOOM").in_stage("write", attempt=2)
    pod = a_pod(attempt=2).main_ended(137, "OOMKilled")
    _repeated(_after_closing(seen(trial, pod, facts={"write": killed()}, attempt=2)), "OutOfMemory")


def test_a_baseline_out_of_memory_never_fails_there_is_no_agent_to_blame() -> None:
    trial = a_trial().baseline().after_invalid("EnvOOM").in_stage("evaluate", attempt=2)
    pod = a_pod("evaluate", attempt=2).main_ended(137, "OOMKilled")
    _repeated(decide(seen(trial, pod, facts={"evaluate": killed()}, attempt=2), NOW), "EnvOOM")


# The runner did not report


def test_a_killed_runner_waits_until_the_kubelet_says_how_main_ended() -> None:
    state = seen(WORKING, a_pod().running(), facts={"write": killed()})
    assert decide(state, NOW) == Decision()


@pytest.mark.parametrize(
    "pods",
    [[a_pod().main_ended(137, "Error")], [a_pod().main_ended(143)], []],
    ids=["SIGKILL from outside", "SIGTERM from outside", "the pod is gone"],
)
def test_a_runner_killed_from_outside_is_invalid(pods: list[PodBuilder]) -> None:
    state = seen(WORKING, *pods, facts={"write": killed()})
    _repeated(_after_closing(state), "RunnerLost")


def test_a_killed_runner_in_a_pod_that_is_over_is_not_waited_for_for_ever() -> None:
    """A lost node reports no end of the container; the pod's own end must do."""
    pod = a_pod().running().failed("NodeLost", "node is gone").disrupted("DeletionByPodGC")
    decision = _after_closing(seen(WORKING, pod, facts={"write": killed()}))
    assert decision.status is not None, "still waits although the pod is terminal"
    assert decision.status.attempt == 2


def test_a_full_disk_is_charged_even_where_the_harness_could_still_report() -> None:
    """The table: Evicted for its own emptyDir is the agent's doing; facts don't change that."""
    pod = a_pod().main_ended(137).failed("Evicted", LIMIT)
    state = replace(seen(WORKING, pod, facts={"write": killed()}), usage=spent())
    assert _outcome(decide(state, NOW)) == ("failure", "DiskLimit")


def test_a_full_disk_without_facts_is_charged() -> None:
    state = replace(seen(WORKING, a_pod().running().failed("Evicted", LIMIT)), usage=spent())
    assert _outcome(decide(state, NOW)) == ("failure", "DiskLimit")


def test_a_disruption_is_called_so_even_where_the_harness_could_still_report() -> None:
    pod = a_pod().main_ended(143).disrupted("EvictionByEvictionAPI").deleting()
    _repeated(_after_closing(seen(WORKING, pod, facts={"write": killed()})), "Disrupted")


# What the harness says


def test_a_harness_that_could_not_fetch_is_invalid_and_repeated() -> None:
    state = seen(WORKING, a_pod().running(), facts={"write": broken()})
    _repeated(_after_closing(state), "FetchFailed")


@pytest.mark.parametrize(
    "setup",
    [step("setup", 1, log_tail="no such module"), step("setup", None, timed_out=True)],
    ids=["exit 1", "ran past its limit"],
)
def test_a_failed_setup_script_is_invalid_and_repeating_is_useless(setup: StepFacts) -> None:
    facts = StageFacts(steps=(setup, step("agent", None, seconds=None)))
    state = replace(seen(WORKING, facts={"write": facts}), usage=spent())
    decision = decide(state, NOW)
    assert _outcome(decision) == ("invalid", "AgentSetupFailed")
    assert decision.status is not None
    assert "spec.setup" in (decision.status.message or "")


def test_what_a_failed_setup_script_printed_is_in_the_message() -> None:
    facts = StageFacts(steps=(step("setup", 1, log_tail="no such module"),))
    decision = decide(replace(seen(WORKING, facts={"write": facts}), usage=spent()), NOW)
    assert decision.status is not None
    assert "no such module" in (decision.status.message or "")


def test_a_replayed_setup_script_that_fails_in_the_evaluator_is_the_agents_own() -> None:
    """testRunning: the evaluator's step `setup` is what the agent delivered, not spec.setup."""
    trial = a_trial().of("testRunning").in_stage("detect", "setup", "evaluate")
    replay = StageFacts(steps=(step("setup", 1), step("test", None, seconds=None)))
    state = seen(trial, facts={"detect": worked(), "setup": worked(), "evaluate": replay})
    assert decide(replace(state, usage=spent()), NOW) == Decision(grade=1, again=True)


# The books and the verdict


def test_what_an_attempt_had_spent_when_it_was_given_up_is_kept_with_it() -> None:
    state = replace(seen(WORKING), usage=spent(requests=7, input_tokens=70, output_tokens=8))
    decision = decide(state, NOW)
    _repeated(decision, "PodLost")
    assert decision.status is not None
    assert decision.status.attempts[0].usage == tokens(requests=7, input_tokens=70, output_tokens=8)
    assert decision.status.usage is None, "the next attempt has spent nothing yet"


def test_an_invalid_attempt_that_ends_the_trial_has_its_usage_in_both_places() -> None:
    trial = a_trial().with_policy(max_infra_retries=0).in_stage("write")
    status = decide(replace(seen(trial), usage=spent()), NOW).status
    assert status is not None
    assert status.usage is not None
    assert [a.usage for a in status.attempts] == [status.usage.total]


def test_baselines_spend_nothing_and_nobody_is_asked() -> None:
    decision = decide(seen(a_trial().baseline().in_stage("evaluate")), NOW)
    _repeated(decision, "PodLost")
    assert decision.status is not None
    assert decision.status.attempts[0].usage is None


ALL = {"write": worked(), "evaluate": measured()}
DONE = seen(a_trial().in_stage("write", "evaluate"), facts=ALL)


def test_an_interrupted_proxy_makes_the_attempt_invalid_its_tokens_are_unknown() -> None:
    decision = decide(replace(DONE, usage=spent(interrupted=2)), NOW)
    _repeated(decision, "ProxyInterrupted")
    assert decision.status is not None
    assert "2 model call(s)" in decision.status.attempts[0].message


def test_an_interrupted_proxy_with_no_repeat_left_ends_invalid_and_keeps_what_was_metered() -> None:
    trial = a_trial().with_policy(max_infra_retries=0).in_stage("write", "evaluate")
    state = replace(seen(trial, facts=ALL), usage=spent(interrupted=1))
    decision = decide(state, NOW)
    assert _outcome(decision) == ("invalid", "ProxyInterrupted")
    assert decision.status is not None
    assert decision.status.usage == spent().usage


def test_an_invalid_verdict_that_may_be_repeated_is() -> None:
    verdict = Verdict.invalid("BaselineMissing", "no baseline")
    _repeated(decide(replace(DONE, usage=spent(), verdict=verdict), NOW), "BaselineMissing")


def test_an_invalid_verdict_that_must_not_be_repeated_is_final() -> None:
    trial = a_trial().baseline().in_stage("evaluate")
    verdict = Verdict.invalid("TestsFail", "2 of 9 fail", retry=False)
    state = replace(seen(trial, facts={"evaluate": measured()}), verdict=verdict)
    assert _outcome(decide(state, NOW)) == ("invalid", "TestsFail")


def test_a_timeout_is_a_valid_outcome_and_never_repeated() -> None:
    verdict = Verdict("timeout", "AgentTimeout", "ran past", Measurements(would_pass=True))
    decision = decide(replace(DONE, usage=spent(), verdict=verdict), NOW)
    assert _outcome(decision) == ("timeout", "AgentTimeout")
    assert decision.status is not None
    assert decision.status.measurements == Measurements(would_pass=True)
    assert decision.status.attempts == ()


# Refused pods


def test_a_pod_that_is_refused_for_good_ends_the_trial_with_the_api_servers_words() -> None:
    state = replace(seen(a_trial()), usage=spent())
    decision = reject(state, 1, "PodRejected", "pod x was refused: 422 Invalid: spec", NOW)
    assert _outcome(decision) == ("invalid", "PodRejected")
    assert decision.status is not None
    assert "422 Invalid" in (decision.status.message or "")


def test_a_refused_evaluator_does_not_lose_what_the_agent_has_spent() -> None:
    """The agent worked and was metered: its usage is not known to be nothing."""
    state: Observed = seen(a_trial().in_stage("write"), facts={"write": worked()})
    decision = reject(state, 1, "PodRejected", "refused", NOW)
    known = decision.status is not None and decision.status.usage is not None
    assert known or decision.close_proxy == 1, "finished without asking the proxy"


def test_a_final_status_that_was_refused_is_invalid_and_keeps_nothing_that_could_be_at_fault() -> (
    None
):
    verdict = Verdict.success("CoverageGained", "fine", Measurements(criterion_score=0.5))
    status = decide(replace(DONE, usage=spent(), verdict=verdict), NOW).status
    assert status is not None
    found = without_details(status, "StatusRefused", "422 " + "x" * 2000)
    assert (found.outcome, found.reason, found.phase) == ("invalid", "StatusRefused", "Finished")
    assert (found.measurements, found.usage, found.seconds) == (None, None, None)
    assert len(found.message or "") <= 1024
    assert (found.attempt, found.stages) == (status.attempt, status.stages)


@pytest.mark.parametrize("trial", [WORKING, a_trial().baseline().in_stage("evaluate")])
def test_attempts_never_outgrow_the_status(trial: TrialBuilder) -> None:
    """status.attempts takes 10; the policy allows 8 repeats, and the last one is recorded too."""
    full = trial.with_policy(max_infra_retries=8).after_invalid(*["Disrupted"] * 8)
    stage = "evaluate" if full.agent is None else "write"
    state = replace(seen(full.in_stage(stage, attempt=9), attempt=9), usage=spent())
    decision = decide(state, NOW)
    assert decision.status is not None
    assert len(decision.status.attempts) == 9
