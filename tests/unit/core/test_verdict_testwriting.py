"""Test writing: nop gains exactly nothing; tests must be added, pass, break none and cover more."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.api.facts import StageFacts
from benchwright.api.measurements import ChangeNumbers, CoverageNumbers, TestNumbers
from benchwright.changes.classify import PathClass
from benchwright.changes.model import Kind
from benchwright.core.grading import evaluator_needed, grade
from benchwright.core.verdict import Evidence, Verdict
from tests.builders import a_task
from tests.unit.core.evidence import (
    BASE_TESTS,
    cases,
    changed,
    changes,
    coverage,
    measured,
    step,
    unmeasured,
    worked,
)

TASK = a_task()
BASELINES = (measured(), measured())
NEW = {"tests.test_b::new": "passed"}


def graded(
    work: StageFacts, evaluation: StageFacts, baselines: tuple[StageFacts, ...] = BASELINES
) -> Verdict:
    return grade(TASK, "measurement", Evidence({"write": work, "evaluate": evaluation}, baselines))


def test_an_agent_that_does_nothing_gains_exactly_zero() -> None:
    verdict = graded(worked(files=0), measured())
    assert (verdict.outcome, verdict.reason) == ("failure", "NoChanges")
    found = verdict.measurements
    assert found is not None
    assert found.coverage == CoverageNumbers(
        base_covered=4, base_total=10, after_covered=4, gained_lines=0, lost_lines=0
    )
    assert found.tests == TestNumbers(added=0, passed=0, failed=0, total=2)
    assert found.changes == ChangeNumbers(files=0, added=0, removed=0, test_files=0, other_files=0)


SOURCE, TEST = PathClass.SOURCE, PathClass.TEST
NOTHING_CROSSES = {
    "nothing": (),
    "a source": (("pkg/a.py", SOURCE, Kind.MODIFIED),),
    "a test is deleted": (("tests/test_a.py", TEST, Kind.DELETED),),
    "documents and a vendored file": (
        ("README.md", PathClass.DOCS, Kind.MODIFIED),
        ("vendor/x.py", PathClass.VENDORED, Kind.ADDED),
    ),
}
RUNS = st.builds(
    lambda covered, tests: measured(covered=sorted(covered)).model_copy(
        update={"tests": cases(tests)}
    ),
    st.sets(st.integers(1, 10)),
    st.dictionaries(
        st.sampled_from([*BASE_TESTS, *NEW, "tests.test_c::drawn[0.7]"]),
        st.sampled_from(["passed", "failed", "error", "skipped"]),
    ),
)


@given(st.sampled_from(sorted(NOTHING_CROSSES)), st.lists(RUNS, min_size=1, max_size=3), RUNS)
def test_where_no_test_crossed_over_nothing_is_gained_or_lost_whatever_was_measured(
    left: str, baselines: list[StageFacts], evaluation: StageFacts
) -> None:
    """Lines and tests that flicker more than the baselines showed are noise."""
    verdict = graded(worked(changes=changed(*NOTHING_CROSSES[left])), evaluation, tuple(baselines))
    reason = "NoChanges" if left == "nothing" else "NoTestsAdded"
    assert (verdict.outcome, verdict.reason) == ("failure", reason)
    found = verdict.measurements
    assert found is not None
    assert found.coverage is not None
    assert found.tests is not None
    assert (found.coverage.gained_lines, found.coverage.lost_lines) == (0, 0)
    assert found.coverage.after_covered == found.coverage.base_covered
    assert (found.tests.added, found.tests.passed, found.tests.broken) == (0, 0, 0)


@pytest.mark.parametrize(
    "left",
    [
        (("tests/test_b.py", TEST, Kind.ADDED),),
        (("tests/test_a.py", TEST, Kind.MODIFIED), ("tests/test_c.py", TEST, Kind.DELETED)),
        (("tests/conftest.py", PathClass.TEST_SUPPORT, Kind.ADDED),),
    ],
    ids=["a test is added", "a test is changed and one deleted", "a helper is added"],
)
def test_where_a_test_crossed_over_what_was_measured_counts(
    left: tuple[tuple[str, PathClass, Kind], ...],
) -> None:
    verdict = graded(worked(changes=changed(*left)), measured(NEW, range(1, 8)))
    assert (verdict.outcome, verdict.reason) == ("success", "CoverageGained")


def test_a_list_of_changes_that_was_cut_short_is_not_taken_for_no_tests() -> None:
    cut = changes(files=3000, test_files=1, changed_complete=False)
    assert graded(worked(changes=cut), measured(NEW, range(1, 8))).outcome == "success"


@pytest.mark.parametrize("left", NOTHING_CROSSES.values(), ids=NOTHING_CROSSES.keys())
def test_where_no_test_crosses_over_no_evaluator_is_needed(
    left: tuple[tuple[str, PathClass, Kind], ...],
) -> None:
    """The base was measured already, and its numbers are the trial's."""
    work = Evidence({"write": worked(changes=changed(*left))}, BASELINES)
    assert not evaluator_needed(TASK, work)
    found = grade(TASK, "measurement", work).measurements
    assert found is not None
    assert found.coverage == CoverageNumbers(
        base_covered=4, base_total=10, after_covered=4, gained_lines=0, lost_lines=0
    )
    assert found.tests == TestNumbers(added=0, passed=0, failed=0, total=2)


def test_an_evaluator_is_needed_where_it_is_not_known_what_was_left() -> None:
    assert evaluator_needed(TASK, Evidence({"write": worked(changes=None)}))


def test_added_passing_tests_that_cover_more_lines_are_a_success() -> None:
    verdict = graded(worked(), measured(NEW, range(1, 8)))
    assert (verdict.outcome, verdict.reason) == ("success", "CoverageGained")
    found = verdict.measurements
    assert found is not None
    assert found.coverage == CoverageNumbers(
        base_covered=4, base_total=10, after_covered=7, gained_lines=3, lost_lines=0
    )
    assert found.tests == TestNumbers(added=1, passed=1, failed=0, total=3)
    assert verdict.message == "1 added tests pass and cover 3 more lines"


BROKE = {**BASE_TESTS, "tests.test_a::one": "failed", **NEW}
REMOVED = {"tests.test_a::two": "passed", **NEW}
SKIPPED = {**BASE_TESTS, "tests.test_a::one": "skipped", **NEW}


@pytest.mark.parametrize(
    ("tests", "covered", "reason"),
    [
        (BASE_TESTS, range(1, 8), "NoTestsAdded"),
        ({**BASE_TESTS, "tests.test_b::new": "failed"}, range(1, 8), "AddedTestsFail"),
        ({**BASE_TESTS, "tests.test_b::new": "error"}, range(1, 8), "AddedTestsFail"),
        ({**BASE_TESTS, **NEW, "tests.test_b::bad": "failed"}, range(1, 8), "AddedTestsFail"),
        ({**BASE_TESTS, "tests.test_b::new": "skipped"}, range(1, 8), "AddedTestsSkipped"),
        (BROKE, range(1, 8), "BrokeTests"),
        (REMOVED, range(1, 8), "BrokeTests"),
        (SKIPPED, range(1, 8), "BrokeTests"),
        ({**BASE_TESTS, **NEW}, range(1, 5), "NoCoverageGained"),
        ({**BASE_TESTS, **NEW}, range(2, 5), "NoCoverageGained"),
        ({}, range(1, 8), "NoTestsAdded"),
    ],
    ids=[
        "the suite covers more but no test was added (a changed fixture)",
        "the added test fails",
        "the added test is an error",
        "one of two added tests fails",
        "the added test is skipped",
        "a test of the base fails now",
        "a test of the base is gone",
        "a test of the base is skipped now, which hides a failure as well",
        "added tests cover nothing new",
        "added tests cover less than the base did",
        "the report is empty",
    ],
)
def test_what_is_no_success(tests: Mapping[str, str], covered: range, reason: str) -> None:
    evaluation = measured(covered=covered).model_copy(update={"tests": cases(tests)})
    verdict = graded(worked(), evaluation)
    assert (verdict.outcome, verdict.reason) == ("failure", reason)
    assert verdict.measurements is not None
    assert verdict.measurements.tests is not None
    assert verdict.measurements.coverage is not None


def test_removed_and_skipped_tests_of_the_base_are_counted_as_broken() -> None:
    evaluation = measured(covered=range(1, 8)).model_copy(update={"tests": cases({**SKIPPED})})
    verdict = graded(worked(), evaluation)
    assert verdict.measurements is not None
    assert verdict.measurements.tests is not None
    assert verdict.measurements.tests.broken == 1


def test_a_test_that_was_already_unstable_in_the_base_is_nobodys_fault() -> None:
    flaky = measured().model_copy(
        update={"tests": cases({**BASE_TESTS, "tests.test_a::one": "failed"})}
    )
    evaluation = measured(NEW, range(1, 8)).model_copy(
        update={"tests": cases({**BASE_TESTS, "tests.test_a::one": "failed", **NEW})}
    )
    assert graded(worked(), evaluation, (measured(), flaky)).outcome == "success"


def test_a_line_that_any_baseline_run_covered_is_not_gained() -> None:
    once = (measured(covered=range(1, 5)), measured(covered=range(1, 7)))
    verdict = graded(worked(), measured(NEW, range(1, 7)), once)
    assert (verdict.outcome, verdict.reason) == ("failure", "NoCoverageGained")


def test_a_flaky_line_that_one_baseline_missed_is_not_lost() -> None:
    once = (measured(covered=range(1, 5)), measured(covered=range(1, 4)))
    verdict = graded(worked(), measured(NEW, [1, 2, 3, 9]), once)
    assert verdict.measurements is not None
    assert verdict.measurements.coverage is not None
    assert verdict.measurements.coverage.lost_lines == 0
    assert verdict.measurements.coverage.gained_lines == 1


def test_lines_outside_the_base_count_for_nothing() -> None:
    """An agent cannot add covered lines by adding files or moving code."""
    added = coverage(range(1, 500), range(1, 500), path="pkg/added.py")
    verdict = graded(worked(), measured(NEW, coverage=added))
    assert verdict.measurements is not None
    assert verdict.measurements.coverage == CoverageNumbers(
        base_covered=4, base_total=10, after_covered=0, gained_lines=0, lost_lines=4
    )


def test_fewer_measurable_lines_do_not_shrink_the_denominator() -> None:
    """`# pragma: no cover` on everything uncovered is no gain."""
    less = coverage(range(1, 5), range(1, 5))
    verdict = graded(worked(), measured(NEW, coverage=less))
    assert verdict.measurements is not None
    assert verdict.measurements.coverage is not None
    assert verdict.measurements.coverage.base_total == 10
    assert verdict.reason == "NoCoverageGained"


# Reports


def test_no_report_after_the_agents_work_is_the_agents_doing() -> None:
    """The same command wrote one for the base; a test that kills the runner buys no repeat."""
    verdict = graded(worked(), unmeasured())
    assert (verdict.outcome, verdict.reason) == ("failure", "NoReport")
    assert verdict.measurements is not None
    assert verdict.measurements.changes is not None
    assert (verdict.measurements.tests, verdict.measurements.coverage) == (None, None)


def test_a_measure_command_that_ran_past_its_limit_is_named_so() -> None:
    late = unmeasured(steps=(step("measure", None, timed_out=True, log_tail="still going"),))
    verdict = graded(worked(), late)
    assert (verdict.outcome, verdict.reason) == ("failure", "MeasureTimedOut")
    assert "still going" in verdict.message


def test_reports_of_a_measure_command_that_was_killed_at_its_limit_are_not_believed() -> None:
    """Code under test could write both reports and then hang: what a killed command left is not
    what it would have written (the baseline refuses the same)."""
    late = measured(NEW, range(1, 11), steps=(step("measure", None, timed_out=True),))
    verdict = graded(worked(), late)
    assert (verdict.outcome, verdict.reason) == ("failure", "MeasureTimedOut")


@pytest.mark.parametrize("lacking", ["coverage", "tests"])
def test_one_report_without_the_other_is_no_report(lacking: str) -> None:
    verdict = graded(worked(), measured(NEW, range(1, 8)).model_copy(update={lacking: None}))
    assert (verdict.outcome, verdict.reason) == ("failure", "NoReport")


def test_without_a_baseline_nothing_can_be_said() -> None:
    verdict = graded(worked(), measured(NEW, range(1, 8)), ())
    assert (verdict.outcome, verdict.reason, verdict.retry) == ("invalid", "BaselineMissing", True)


def test_unknown_sizes_of_the_change_are_null_not_zero() -> None:
    verdict = graded(worked(changes=None), measured(NEW, range(1, 8)))
    assert verdict.outcome == "success"
    assert verdict.measurements is not None
    assert verdict.measurements.changes is None


def test_tests_and_other_code_are_counted_apart_down_to_their_lines() -> None:
    work = worked(changes=changes(files=3, test_files=2, other_files=1, added=30, removed=4))
    verdict = graded(work, measured(NEW, range(1, 8), dropped_files=1))
    assert verdict.measurements is not None
    found = verdict.measurements.changes
    assert found is not None
    assert (found.files, found.test_files, found.other_files) == (3, 2, 1)
    assert (found.added, found.removed, found.dropped_files) == (30, 4, 1)


def test_the_same_facts_give_the_same_verdict() -> None:
    assert graded(worked(), measured(NEW, range(1, 8))) == graded(
        worked(), measured(NEW, range(1, 8))
    )


# Baselines


def baseline(facts: StageFacts) -> Verdict:
    return grade(TASK, "baseline", Evidence({"evaluate": facts}))


def test_a_base_whose_tests_pass_is_measurable() -> None:
    verdict = baseline(measured())
    assert (verdict.outcome, verdict.reason) == ("success", "BaselineMeasured")


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (unmeasured(), "NoReport"),
        (measured().model_copy(update={"coverage": None}), "NoReport"),
        (measured({"tests.test_c::bad": "failed"}), "TestsFail"),
        (measured({"tests.test_c::bad": "error"}), "TestsFail"),
        (measured().model_copy(update={"tests": cases({})}), "NoTests"),
        (measured(steps=(step("measure", None, timed_out=True),)), "TimedOut"),
    ],
    ids=["no report", "no coverage", "a test fails", "a test is an error", "no tests", "too slow"],
)
def test_a_base_that_cannot_be_judged_is_invalid_for_good(facts: StageFacts, reason: str) -> None:
    verdict = baseline(facts)
    assert (verdict.outcome, verdict.reason, verdict.retry) == ("invalid", reason, False)


def test_skipped_tests_of_the_base_are_fine() -> None:
    assert baseline(measured({"tests.test_c::later": "skipped"})).outcome == "success"


def test_a_failing_test_of_the_base_is_named() -> None:
    assert "tests.test_c::bad" in baseline(measured({"tests.test_c::bad": "failed"})).message


def test_evidence_of_another_stage_is_not_needed_for_a_baseline() -> None:
    evidence = Evidence({"evaluate": measured()})
    assert replace(evidence, baselines=BASELINES).evaluate == evidence.evaluate
