"""Laws of union, intersection and merge."""

import pytest
from hypothesis import given

from benchwright.coverage import (
    Branches,
    CoverageReport,
    FileCoverage,
    Totals,
    intersection,
    merge,
    union,
)
from tests.unit.coverage.samples import report
from tests.unit.coverage.strategies import RUNS, reports, whole_reports


@given(whole_reports(), whole_reports(), whole_reports())
def test_merge_is_associative_commutative_and_idempotent(
    a: CoverageReport, b: CoverageReport, c: CoverageReport
) -> None:
    assert merge([merge([a, b]), c]) == merge([a, merge([b, c])]) == merge([a, b, c])
    assert merge([a, b]) == merge([b, a])
    assert merge([a, a]) == merge([a])
    assert merge([merge([a, b]), b]) == merge([a, b])


@given(reports(), reports(), reports())
def test_intersection_is_associative_commutative_and_idempotent(
    a: CoverageReport, b: CoverageReport, c: CoverageReport
) -> None:
    def both(*each: CoverageReport) -> CoverageReport:
        return CoverageReport("lcov", intersection(each))

    assert both(both(a, b), c) == both(a, both(b, c)) == both(a, b, c)
    assert both(a, b) == both(b, a)
    assert both(a, a).files == a.files


@given(RUNS)
def test_each_run_lies_between_intersection_and_union(runs: list[CoverageReport]) -> None:
    low, high = intersection(runs), union(runs)
    assert low.keys() == high.keys()
    for run in runs:
        for path, file in run.files.items():
            assert low[path].covered <= file.covered <= high[path].covered
            assert file.measured <= low[path].measured == high[path].measured


def test_two_halves_of_the_branches_of_a_line_are_not_taken_for_the_whole() -> None:
    half = CoverageReport(
        "lcov", {"a": FileCoverage(frozenset(), frozenset(), {1: Branches(1, 2)})}
    )
    assert union([half, half])["a"].branches == {1: Branches(1, 2)}


def test_merging_keeps_what_was_odd_and_drops_totals_that_cannot_be_added() -> None:
    one = report(a=({1}, {1}))
    other = CoverageReport("cobertura", {}, claimed=Totals(9, 9))
    assert merge([one, other]).format == "cobertura+lcov"
    assert merge([one, other]).claimed == Totals()


def test_nothing_can_be_merged_or_intersected_of_nothing() -> None:
    assert union([]) == {}
    for combine in (merge, intersection):
        with pytest.raises(ValueError, match="no reports"):
            combine([])


def test_a_covered_line_is_a_measured_one() -> None:
    with pytest.raises(ValueError, match="not a measured one"):
        FileCoverage(frozenset({1}), frozenset({2}))
