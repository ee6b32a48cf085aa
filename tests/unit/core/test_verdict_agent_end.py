"""How the agent ended and what it left, as one verdict."""

import pytest

from benchwright.api.facts import StageFacts
from benchwright.api.measurements import Measurements
from benchwright.api.task import Task
from benchwright.core.grading import grade
from benchwright.core.verdict import Evidence, Verdict, with_agent_end
from tests.builders import a_task
from tests.unit.core.evidence import measured, step, unmeasured, worked

TASK = a_task()
GOOD = measured({"tests.test_b::new": "passed"}, range(1, 8))


def graded(work: StageFacts, evaluation: StageFacts = GOOD) -> Verdict:
    evidence = Evidence({"write": work, "evaluate": evaluation}, (measured(),))
    return grade(TASK, "measurement", evidence)


LATE = worked(None, timed_out=True)


def test_past_its_limit_with_work_that_would_have_passed_is_a_timeout_that_says_so() -> None:
    verdict = graded(LATE)
    assert (verdict.outcome, verdict.reason) == ("timeout", "AgentTimeout")
    assert verdict.measurements is not None
    assert verdict.measurements.would_pass is True
    assert verdict.measurements.coverage is not None
    assert verdict.measurements.coverage.gained_lines == 3
    assert "would have passed" in verdict.message


def test_past_its_limit_with_nothing_left_is_a_timeout_that_would_not_have_passed() -> None:
    verdict = graded(LATE, measured())
    assert verdict.outcome == "timeout"
    assert verdict.measurements is not None
    assert verdict.measurements.would_pass is False
    assert "would not have passed" in verdict.message


def test_past_its_limit_without_a_report_is_still_a_timeout() -> None:
    verdict = graded(LATE, unmeasured())
    assert verdict.outcome == "timeout"
    assert verdict.measurements is not None
    assert verdict.measurements.would_pass is False


def test_past_its_limit_and_unmeasurable_is_invalid_nothing_was_learnt() -> None:
    evidence = Evidence({"write": LATE, "evaluate": GOOD}, ())
    assert grade(TASK, "measurement", evidence).outcome == "invalid"


def test_the_exit_code_of_a_killed_agent_does_not_matter() -> None:
    assert graded(worked(137, timed_out=True)).outcome == "timeout"
    assert graded(worked(127, timed_out=True), measured()).reason == "AgentTimeout"


@pytest.mark.parametrize("code", [126, 127], ids=["not executable", "not found"])
def test_a_command_that_is_not_there_is_named_instead_of_what_came_of_it(code: int) -> None:
    work = worked(code, files=0, log_tail="sh: mini-swe: not found")
    verdict = graded(work, measured())
    assert (verdict.outcome, verdict.reason) == ("failure", "AgentCommandNotFound")
    assert "mini-swe: not found" in verdict.message
    assert "spec.run" in verdict.message
    assert verdict.measurements is not None


def test_exit_127_after_good_work_is_no_reason_against_it() -> None:
    verdict = graded(worked(127))
    assert (verdict.outcome, verdict.reason) == ("success", "CoverageGained")


@pytest.mark.parametrize(("code", "said"), [(1, True), (139, True), (0, False)])
def test_another_exit_code_is_mentioned_and_does_not_decide(code: int, said: bool) -> None:
    verdict = graded(worked(code))
    assert verdict.outcome == "success"
    assert verdict.message.endswith(f"(the agent ended with {code})") is said


def test_an_agent_that_crashed_and_left_nothing_keeps_the_graders_reason() -> None:
    verdict = graded(worked(1, files=0), measured())
    assert (verdict.outcome, verdict.reason) == ("failure", "NoChanges")


def test_any_stage_past_its_limit_makes_the_trial_a_timeout() -> None:
    stages = {
        "detect": worked(answers={"tooling.json": '{"tooling": "full", "runners": ["pytest"]}'}),
        "setup": worked(None, timed_out=True, answers={"test.sh": "pytest"}),
        "evaluate": measured(steps=(step("test"),)),
    }
    verdict = grade(a_task("testRunning"), "measurement", Evidence(stages))
    assert verdict.outcome == "timeout"
    assert verdict.measurements is not None
    assert verdict.measurements.would_pass is True


def test_an_invalid_grade_stays_as_it_is_whatever_the_agent_did() -> None:
    def invalid(task: Task, evidence: Evidence) -> Verdict:
        return Verdict.invalid("Because", "nothing learnt", retry=False)

    verdict = with_agent_end(TASK, Evidence({"write": LATE}), invalid)
    assert verdict == Verdict.invalid("Because", "nothing learnt", retry=False)


def test_a_timeout_without_measurements_still_says_whether_it_would_have_passed() -> None:
    def failure(task: Task, evidence: Evidence) -> Verdict:
        return Verdict.failure("NoReport", "none")

    verdict = with_agent_end(TASK, Evidence({"write": LATE}), failure)
    assert verdict.measurements == Measurements(would_pass=False)
