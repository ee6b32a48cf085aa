"""Test running: the answer against the labelled truth, and the delivered scripts replayed."""

import pytest

from benchwright.api.facts import StageFacts
from benchwright.api.measurements import DetectResult, ReplayResult
from benchwright.api.task import Truth
from benchwright.core.grading import evaluator_needed, grade
from benchwright.core.testrunning import detect
from benchwright.core.verdict import Evidence, Verdict
from tests.builders import a_task
from tests.unit.core.evidence import cases, coverage, measured, step, worked

RIGHT = '{"tooling": "full", "runners": ["pytest"]}'
TRUTH = Truth(tooling="full", runners=("pytest", "tox"), tests=2, covered_lines=4)
SCRIPTS = {"setup.sh": "true", "test.sh": "pytest"}
RAN = (step("setup"), step("test"))
TASK = a_task("testRunning", truth=TRUTH)


def graded(
    answer: str | None = RIGHT,
    scripts: dict[str, str] | None = None,
    replay: StageFacts | None = None,
    truth: Truth = TRUTH,
) -> Verdict:
    stages = {
        "detect": worked(answers={} if answer is None else {"tooling.json": answer}),
        "setup": worked(answers=SCRIPTS if scripts is None else scripts),
        "evaluate": replay or measured(steps=RAN),
    }
    return grade(a_task("testRunning", truth=truth), "measurement", Evidence(stages))


def test_the_right_answer_and_a_replay_like_the_truth_is_a_success() -> None:
    verdict = graded()
    assert (verdict.outcome, verdict.reason) == ("success", "ToolingRight")
    assert verdict.message == "replayed: 2 tests ran, 4 lines covered"
    found = verdict.measurements
    assert found is not None
    assert found.detect == DetectResult(
        answered=True, tooling="full", tooling_right=True, runner_right=True
    )
    assert found.replay is not None
    assert (found.replay.setup_exit, found.replay.test_exit) == (0, 0)
    assert (found.replay.tests_right, found.replay.covered_lines_right) == (True, True)


NO_ANSWERS = {
    "nothing was left": None,
    "an empty file": "",
    "no JSON": "full",
    "a list": "[]",
    "a string": '"full"',
    "null": "null",
    "a number": "3",
    "no tooling in it": '{"runners": ["pytest"]}',
    "tooling is no text": '{"tooling": 1}',
    "tooling is very long": '{"tooling": "%s"}' % ("x" * 300),
    "runners is null": '{"tooling": "full", "runners": null}',
    "runners is a number": '{"tooling": "full", "runners": 1}',
    "nested too deeply": "[" * 4000,
}


@pytest.mark.parametrize("answer", NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_what_is_no_answer_is_a_failure_and_never_an_error(answer: str | None) -> None:
    verdict = graded(answer)
    assert (verdict.outcome, verdict.reason) == ("failure", "NoAnswer")


def test_a_half_surrogate_in_the_answer_does_not_wedge_the_trial() -> None:
    r"""JSON allows "\ud800", UTF-8 does not: the agent must not be able to make grading raise."""
    found = detect(TRUTH, '{"tooling": "\\ud800", "runners": ["pytest"]}')
    assert not found.tooling_right


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ('{"tooling": "none"}', "ToolingWrong"),
        ('{"tooling": "FULL", "runners": ["pytest"]}', "ToolingWrong"),
        ('{"tooling": "full", "runners": ["nose"]}', "RunnerWrong"),
        ('{"tooling": "full", "runners": []}', "RunnerWrong"),
        ('{"tooling": "full"}', "RunnerWrong"),
        ('{"tooling": "full", "runners": [1, null, {"a": 1}]}', "RunnerWrong"),
    ],
)
def test_a_wrong_answer_says_what_was_wrong(answer: str, reason: str) -> None:
    verdict = graded(answer)
    assert (verdict.outcome, verdict.reason) == ("failure", reason)


def test_naming_any_one_of_the_runners_is_right() -> None:
    assert graded('{"tooling": "full", "runners": ["nose", "tox"]}').outcome == "success"


def test_where_the_truth_names_no_runner_none_is_asked_for() -> None:
    verdict = graded('{"tooling": "full"}', truth=Truth(tooling="full"))
    assert verdict.outcome == "success"
    assert verdict.measurements is not None
    assert verdict.measurements.detect is not None
    assert verdict.measurements.detect.runner_right is None


REPLAYS: dict[str, tuple[StageFacts, str]] = {
    "setup.sh fails": (measured(steps=(step("setup", 1), step("test"))), "SetupFailed"),
    "setup.sh hangs": (
        measured(steps=(step("setup", None, timed_out=True),)),
        "SetupFailed",
    ),
    "test.sh fails": (measured(steps=(step("setup"), step("test", 2))), "TestFailed"),
    "test.sh is not found": (measured(steps=(step("setup"), step("test", 127))), "TestFailed"),
    "test.sh hangs": (
        measured(steps=(step("setup"), step("test", 0, timed_out=True))),
        "TestFailed",
    ),
    "exit 0 and no report": (
        measured(steps=RAN).model_copy(update={"tests": None}),
        "NoTestsRan",
    ),
    "exit 0 and an empty report": (
        measured(steps=RAN).model_copy(update={"tests": cases({})}),
        "NoTestsRan",
    ),
    "every test is skipped": (
        measured(steps=RAN).model_copy(update={"tests": cases({"a": "skipped", "b": "skipped"})}),
        "NoTestsRan",
    ),
    "half of the suite": (
        measured(steps=RAN).model_copy(update={"tests": cases({"a": "passed"})}),
        "TestCountWrong",
    ),
    "no coverage": (measured(steps=RAN).model_copy(update={"coverage": None}), "CoverageWrong"),
    "less coverage": (measured(steps=RAN, coverage=coverage([1])), "CoverageWrong"),
}


@pytest.mark.parametrize(("replay", "reason"), REPLAYS.values(), ids=REPLAYS)
def test_a_replay_that_does_not_work_is_a_failure(replay: StageFacts, reason: str) -> None:
    verdict = graded(replay=replay)
    assert (verdict.outcome, verdict.reason) == ("failure", reason)
    assert verdict.measurements is not None
    assert verdict.measurements.replay is not None


def test_a_project_that_needs_no_setup_needs_no_setup_script() -> None:
    verdict = graded(scripts={"test.sh": "pytest"}, replay=measured(steps=(step("test"),)))
    assert verdict.outcome == "success"
    assert verdict.measurements is not None
    assert verdict.measurements.replay is not None
    assert verdict.measurements.replay.setup_exit is None


def test_without_a_test_command_there_is_nothing_to_replay() -> None:
    answers = {"detect": worked(answers={"tooling.json": RIGHT}), "setup": worked()}
    assert not evaluator_needed(TASK, Evidence(answers))
    verdict = grade(TASK, "measurement", Evidence(answers))
    assert (verdict.outcome, verdict.reason) == ("failure", "NoTestCommand")
    assert verdict.measurements is not None
    assert verdict.measurements.replay == ReplayResult(delivered=False)


def test_a_test_command_is_replayed_whatever_the_answer_was() -> None:
    answers = {"detect": worked(), "setup": worked(answers=SCRIPTS)}
    assert evaluator_needed(TASK, Evidence(answers))


@pytest.mark.parametrize(
    ("tests", "right"), [(8, True), (9, True), (12, True), (13, False), (7, False)]
)
def test_counts_may_differ_by_the_tolerance_and_no_more(tests: int, right: bool) -> None:
    truth = Truth(tooling="full", tests=10, tests_tolerance=2)
    ran = cases({f"t{n}": "passed" for n in range(tests)})
    verdict = graded(replay=measured(steps=RAN).model_copy(update={"tests": ran}), truth=truth)
    assert verdict.measurements is not None
    assert verdict.measurements.replay is not None
    assert verdict.measurements.replay.tests_right is right
    assert verdict.outcome == ("success" if right else "failure")


def test_numbers_that_the_truth_does_not_have_are_not_judged() -> None:
    verdict = graded(truth=Truth(tooling="full"))
    assert verdict.measurements is not None
    assert verdict.measurements.replay is not None
    found = verdict.measurements.replay
    assert (found.tests_right, found.covered_lines_right) == (None, None)
    assert (found.tests, found.covered_lines) == (2, 4)


NONE = Truth(tooling="none")


def test_saying_that_there_are_no_tests_where_there_are_none_is_right() -> None:
    verdict = graded('{"tooling": "none"}', {}, StageFacts(), NONE)
    assert verdict.outcome == "success"
    assert verdict.message == "the project has no tests, and the agent says so"


def test_delivering_a_test_command_where_there_are_no_tests_is_an_invention() -> None:
    verdict = graded('{"tooling": "none"}', SCRIPTS, measured(steps=RAN), NONE)
    assert (verdict.outcome, verdict.reason) == ("failure", "InventedTests")


def test_the_wrong_answer_is_quoted_in_the_message() -> None:
    assert "partial" in graded('{"tooling": "partial"}').message
