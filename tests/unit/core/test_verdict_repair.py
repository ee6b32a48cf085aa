"""Repair: every required criterion passes, or it is no success; the weighted score is secondary."""

from typing import Any

import pytest

from benchwright.api.facts import StageFacts, StepFacts
from benchwright.api.measurements import CriterionResult
from benchwright.api.task import Criterion
from benchwright.changes.classify import PathClass
from benchwright.changes.model import Kind
from benchwright.core.grading import grade
from benchwright.core.verdict import Evidence, Verdict
from tests.builders import a_task
from tests.unit.core.evidence import changed, changes, step, worked


def criteria(*rows: tuple[str, bool, int]) -> tuple[Criterion, ...]:
    return tuple(Criterion(name=n, command="true", required=r, weight=w) for n, r, w in rows)


ROWS = criteria(("regression", True, 1), ("suite", True, 2), ("style", False, 1))


def graded(*steps: StepFacts, rows: tuple[Criterion, ...] = ROWS, **work: Any) -> Verdict:
    task = a_task("repair", criteria=rows)
    evidence = Evidence({"repair": worked(**work), "evaluate": StageFacts(steps=steps)})
    return grade(task, "measurement", evidence)


def ran(**codes: int | None) -> tuple[StepFacts, ...]:
    return tuple(step(f"criterion-{name}", code) for name, code in codes.items())


def test_all_criteria_pass() -> None:
    verdict = graded(*ran(regression=0, suite=0, style=0))
    assert (verdict.outcome, verdict.reason) == ("success", "CriteriaPassed")
    assert verdict.message == "3 of 3 criteria pass"
    assert verdict.measurements is not None
    assert verdict.measurements.criterion_score == 1.0
    assert verdict.measurements.changes is not None


def test_an_optional_criterion_lowers_the_score_and_not_the_outcome() -> None:
    verdict = graded(*ran(regression=0, suite=0, style=1))
    assert verdict.outcome == "success"
    assert verdict.measurements is not None
    assert verdict.measurements.criterion_score == 0.75


@pytest.mark.parametrize(
    ("steps", "score"),
    [
        (ran(regression=1, suite=0, style=0), 0.75),
        (ran(regression=0, suite=0, style=0)[:1], 0.25),
        ((*ran(regression=0, style=0), step("criterion-suite", 0, timed_out=True)), 0.5),
        ((*ran(regression=0, style=0), step("criterion-suite", None)), 0.5),
        (ran(regression=127, suite=127, style=127), 0.0),
        ((), 0.0),
    ],
    ids=[
        "a required one fails",
        "the later ones never ran",
        "0, but past its limit",
        "killed",
        "commands not found",
        "nothing ran",
    ],
)  # fmt: skip
def test_a_required_criterion_that_did_not_pass_is_a_failure(
    steps: tuple[StepFacts, ...], score: float
) -> None:
    verdict = graded(*steps)
    assert (verdict.outcome, verdict.reason) == ("failure", "CriteriaFailed")
    assert verdict.measurements is not None
    assert verdict.measurements.criterion_score == score


def test_the_missed_required_criteria_are_named() -> None:
    verdict = graded(*ran(regression=1, suite=1, style=1))
    assert verdict.message == "0 of 3 criteria pass; required but failed: regression, suite"


def test_every_criterion_is_a_row_in_the_tasks_order() -> None:
    verdict = graded(*ran(style=1, suite=0, regression=0))
    assert verdict.measurements is not None
    assert verdict.measurements.criteria == (
        CriterionResult(name="regression", passed=True, required=True, weight=1),
        CriterionResult(name="suite", passed=True, required=True, weight=2),
        CriterionResult(name="style", passed=False, required=False, weight=1),
    )


def test_without_any_weight_there_is_no_score_rather_than_a_division_by_zero() -> None:
    verdict = graded(*ran(only=0), rows=criteria(("only", True, 0)))
    assert verdict.outcome == "success"
    assert verdict.measurements is not None
    assert verdict.measurements.criterion_score is None


FIXED, BROKEN = ran(regression=0, suite=0, style=0), ran(regression=1, suite=0, style=0)


@pytest.mark.parametrize(
    ("steps", "work", "odd"),
    [
        (FIXED, {"files": 0}, True),
        (FIXED, {"files": 1}, False),
        (BROKEN, {"files": 0}, False),
        (FIXED, {"changes": None}, False),
        (FIXED, {"changes": changes(files=0, truncated=True)}, False),
        (FIXED, {"changes": changed(("vendor/x.py", PathClass.VENDORED, Kind.MODIFIED))}, False),
    ],
    ids=[
        "nothing changed and all pass", "something changed", "nothing changed and one fails",
        "what changed is unknown", "what changed is not wholly known",
        "a file that counts nowhere changed, and crossed over",
    ],
)  # fmt: skip
def test_a_success_without_any_change_is_one_and_says_that_it_is_odd(
    steps: tuple[StepFacts, ...], work: dict[str, Any], odd: bool
) -> None:
    verdict = graded(*steps, **work)
    assert verdict.outcome == ("success" if steps is FIXED else "failure")
    assert verdict.measurements is not None
    assert [f.reason for f in verdict.measurements.findings] == ["SolvedWithoutChange"] * odd
    assert all("check its criteria" in f.message for f in verdict.measurements.findings)


def test_a_task_that_is_solved_already_shows_also_where_the_agent_ran_out_of_time() -> None:
    verdict = graded(*FIXED, files=0, code=None, timed_out=True)
    assert verdict.outcome == "timeout"
    assert verdict.measurements is not None
    assert [f.reason for f in verdict.measurements.findings] == ["SolvedWithoutChange"]


def test_a_step_of_another_name_is_no_criterion() -> None:
    assert graded(step("regression", 0), step("suite", 0)).outcome == "failure"


def test_the_agents_own_exit_code_does_not_decide() -> None:
    verdict = graded(*ran(regression=0, suite=0, style=0), code=3)
    assert verdict.outcome == "success"
    assert verdict.message.endswith("(the agent ended with 3)")
