"""trial.decide, the way forward: pods one after the other, books closed, graded, finished once."""

from dataclasses import replace

import pytest

from benchwright.api.facts import StageFacts
from benchwright.api.measurements import Measurements
from benchwright.core.trial import decide
from benchwright.core.trialview import Decision, Observed, stage_names
from benchwright.core.verdict import Verdict
from tests.builders import NOW, PodBuilder, TrialBuilder, a_pod, a_trial, at
from tests.unit.core.evidence import measured, spent, worked

GOOD = Verdict.success("CoverageGained", "1 added test passes", Measurements())


def seen(
    trial: TrialBuilder,
    *pods: PodBuilder,
    facts: dict[str, StageFacts] | None = None,
    attempt: int = 1,
) -> Observed:
    views = [pod.view() for pod in pods]
    return Observed(
        trial=trial.view(),
        pods={(view.attempt, view.stage): view for view in views},
        facts={(attempt, stage): found for stage, found in (facts or {}).items()},
    )


ALL = {"write": worked(), "evaluate": measured()}
DONE = seen(a_trial().in_stage("write", "evaluate"), facts=ALL)


def test_stages_of_a_kind_and_then_the_evaluator() -> None:
    assert stage_names(a_trial().spec()) == ("write", "evaluate")
    assert stage_names(a_trial().of("testRunning").spec()) == ("detect", "setup", "evaluate")
    assert stage_names(a_trial().of("repair").spec()) == ("repair", "evaluate")
    assert stage_names(a_trial().baseline().spec()) == ("evaluate",)


def test_a_new_trial_creates_its_first_pod_and_says_so_in_the_same_step() -> None:
    decision = decide(seen(a_trial()), NOW)
    assert decision.create == (1, "write")
    assert decision.status is not None
    assert decision.status.attempt == 1
    assert decision.status.phase == "Running"
    assert [(s.name, s.pod) for s in decision.status.stages] == [
        ("write", "run-1-script-task-0-1-write")
    ]
    assert decision.delete == ()


def test_a_pod_that_is_there_but_not_in_the_status_is_recorded_and_not_created_again() -> None:
    """An operator was killed between creating the pod and writing the status."""
    decision = decide(seen(a_trial(), a_pod().running()), NOW)
    assert decision.create is None
    assert decision.status is not None
    assert [s.name for s in decision.status.stages] == ["write"]


def test_a_running_pod_is_waited_for_without_a_write() -> None:
    decision = decide(seen(a_trial().in_stage("write"), a_pod().running()), NOW)
    assert decision == Decision()


def test_the_next_stage_starts_when_the_facts_are_stored_even_if_the_pod_still_runs() -> None:
    state = seen(a_trial().in_stage("write"), a_pod().running(), facts={"write": worked()})
    decision = decide(state, NOW)
    assert decision.create == (1, "evaluate")
    assert decision.status is not None
    assert decision.status.phase == "Evaluating"
    first, second = decision.status.stages
    assert (first.finished_at, second.finished_at) == (at(0), None)


def test_a_stage_keeps_the_node_that_it_ran_on() -> None:
    on_node = replace(a_pod().running().view(), node="node-7")
    state = seen(a_trial().in_stage("write"), facts={"write": worked()})
    first = decide(replace(state, pods={(1, "write"): on_node}), NOW)
    assert first.status is not None
    assert [s.node for s in first.status.stages] == ["node-7", None]
    # Its pod is gone by the end, and what it said is not.
    trial = replace(state.trial, status=first.status)
    end = replace(state, trial=trial, facts=DONE.facts, usage=spent(), verdict=GOOD)
    last = decide(end, NOW)
    assert last.status is not None
    assert [s.node for s in last.status.stages] == ["node-7", None]


DELIVERED = worked(answers={"test.sh": "pytest"})


@pytest.mark.parametrize(
    ("facts", "wanted"),
    [({}, "detect"), ({"detect": worked()}, "setup"), ({"detect": worked(), "setup": DELIVERED}, "evaluate")],
    ids=["nothing yet", "detect is done", "both are done"],
)  # fmt: skip
def test_test_running_goes_through_its_two_stages_in_order(
    facts: dict[str, StageFacts], wanted: str
) -> None:
    trial = a_trial().of("testRunning")
    if facts:
        trial = trial.in_stage(*facts)
    assert decide(seen(trial, facts=facts), NOW).create == (1, wanted)


NOTHING_LEFT = {
    "no test to measure": (a_trial().in_stage("write"), {"write": worked(files=0)}),
    "no command to replay": (
        a_trial().of("testRunning").in_stage("detect", "setup"),
        {"detect": worked(), "setup": worked()},
    ),
}


@pytest.mark.parametrize(("trial", "facts"), NOTHING_LEFT.values(), ids=NOTHING_LEFT.keys())
def test_where_an_evaluator_would_see_the_base_alone_none_is_made(
    trial: TrialBuilder, facts: dict[str, StageFacts]
) -> None:
    state = seen(trial, facts=facts)
    assert decide(state, NOW) == Decision(close_proxy=1, again=True)
    assert decide(replace(state, usage=spent()), NOW) == Decision(grade=1, again=True)


def test_an_evaluator_that_is_there_already_is_waited_for() -> None:
    """An operator of another version has made it."""
    trial = a_trial().in_stage("write", "evaluate")
    state = seen(trial, a_pod("evaluate").running(), facts={"write": worked(files=0)})
    assert decide(state, NOW) == Decision()


def test_an_untouched_repair_is_evaluated_all_the_same() -> None:
    """Its criteria may pass: then the task was solved before anybody began."""
    trial = a_trial().of("repair").in_stage("repair")
    state = seen(trial, facts={"repair": worked(files=0)})
    assert decide(state, NOW).create == (1, "evaluate")


def test_the_agents_own_exit_code_does_not_stop_the_evaluation() -> None:
    state = seen(a_trial().in_stage("write"), facts={"write": worked(3)})
    assert decide(state, NOW).create == (1, "evaluate")


def test_after_the_last_facts_the_books_are_closed_before_anything_is_judged() -> None:
    assert decide(DONE, NOW) == Decision(close_proxy=1, again=True)


def test_then_it_is_graded() -> None:
    assert decide(replace(DONE, usage=spent()), NOW) == Decision(grade=1, again=True)


def test_then_it_is_finished_with_all_that_is_published() -> None:
    pods = {(1, "evaluate"): a_pod("evaluate").succeeded().view()}
    decision = decide(replace(DONE, pods=pods, usage=spent(), verdict=GOOD), NOW)
    status = decision.status
    assert status is not None
    assert (status.outcome, status.reason, status.phase) == (
        "success",
        "CoverageGained",
        "Finished",
    )
    assert status.finished_at == at(0)
    assert status.usage == spent().usage
    assert status.measurements == Measurements()
    assert status.evidence_uri == "/trials/uid-trial/evidence.tar.gz"
    assert [(c.type, c.status, c.reason) for c in status.conditions] == [
        ("Finished", "True", "CoverageGained")
    ]
    assert all(stage.finished_at for stage in status.stages)
    assert decision.delete == ("run-1-script-task-0-1-evaluate",)
    assert not decision.again


def test_a_baseline_needs_no_proxy_it_has_no_agent() -> None:
    state = seen(a_trial().baseline().in_stage("evaluate"), facts={"evaluate": measured()})
    assert decide(state, NOW) == Decision(grade=1, again=True)
    done = decide(replace(state, verdict=GOOD), NOW)
    assert done.status is not None
    assert (done.status.outcome, done.status.usage) == ("success", None)


def test_an_outcome_is_never_written_again_only_pods_are_cleaned_up() -> None:
    state = seen(a_trial().in_stage("write").finished(), a_pod().succeeded(), facts=ALL)
    decision = decide(replace(state, verdict=Verdict.failure("Other", "no"), usage=spent()), NOW)
    assert decision == Decision(delete=("run-1-script-task-0-1-write",))


def test_pods_that_are_being_deleted_are_not_deleted_again() -> None:
    state = seen(a_trial().in_stage("write").finished(), a_pod().succeeded().deleting())
    assert decide(state, NOW) == Decision(requeue_after=120.0)


def test_pods_of_all_attempts_are_cleaned_up_after_the_outcome() -> None:
    trial = a_trial().after_invalid("Disrupted").in_stage("write", attempt=2).finished()
    decision = decide(seen(trial, a_pod().failed(), a_pod(attempt=2).succeeded()), NOW)
    assert decision.delete == ("run-1-script-task-0-1-write", "run-1-script-task-0-2-write")


@pytest.mark.parametrize(
    "trial",
    [a_trial(), a_trial().in_stage("write"), a_trial().finished()],
    ids=["new", "running", "finished"],
)
def test_a_trial_that_is_being_deleted_is_left_to_the_garbage_collector(
    trial: TrialBuilder,
) -> None:
    assert decide(seen(trial.deleting(), a_pod().running()), NOW) == Decision()


def test_a_failed_baseline_ends_the_trial_without_any_pod_or_agent() -> None:
    trial = a_trial().with_failed_baseline("BaselineTestsFail", "2 of 9 tests fail")
    decision = decide(seen(trial), NOW)
    assert decision.create is None
    assert decision.close_proxy is None
    assert decision.status is not None
    assert (decision.status.outcome, decision.status.reason) == ("invalid", "BaselineTestsFail")
    assert decision.status.message == "2 of 9 tests fail"
    assert decision.status.attempt == 0
    assert decision.status.attempts == ()
    assert decision.status.seconds is None


def test_long_messages_are_cut_so_that_the_status_is_always_accepted() -> None:
    verdict = Verdict.failure("AddedTestsFail", "x" * 5000)
    decision = decide(replace(DONE, usage=spent(), verdict=verdict), NOW)
    assert decision.status is not None
    assert decision.status.message is not None
    assert len(decision.status.message) == 1024
    assert decision.status.message.endswith("…")
    assert len(decision.status.conditions[0].message) == 1024


@pytest.mark.parametrize("outcome", ["success", "failure", "timeout", "invalid"])
def test_every_outcome_is_one_that_the_api_server_takes(outcome: str) -> None:
    """The CEL rules of the status: an outcome comes with a reason and phase Finished."""
    verdict = Verdict(outcome, "Some", "words", Measurements(), retry=False)  # type: ignore[arg-type]
    status = decide(replace(DONE, usage=spent(), verdict=verdict), NOW).status
    assert status is not None
    assert (status.outcome, status.reason, status.phase) == (outcome, "Some", "Finished")


def test_deciding_twice_about_the_same_state_gives_the_same_decision() -> None:
    for state in (seen(a_trial()), DONE, replace(DONE, usage=spent(), verdict=GOOD)):
        assert decide(state, NOW) == decide(state, NOW)
