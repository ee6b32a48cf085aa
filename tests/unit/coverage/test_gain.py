"""Gain and its laws."""

import pytest
from hypothesis import given

from benchwright.coverage import Branches, CoverageReport, FileCoverage, gain, intersection, union
from tests.unit.coverage.samples import report
from tests.unit.coverage.strategies import RUNS, reports

Pairs = set[tuple[str, int]]


def pairs(lines_by_file: object) -> Pairs:
    assert isinstance(lines_by_file, dict)
    return {(path, line) for path, lines in lines_by_file.items() for line in lines}


def covered(each: CoverageReport) -> Pairs:
    return pairs({path: file.covered for path, file in each.files.items()})


def measured(each: CoverageReport) -> Pairs:
    return pairs({path: file.measured for path, file in each.files.items()})


def test_lines_gained_lost_new_and_no_longer_measured() -> None:
    before = report(a=({1, 2, 3, 4, 5}, {1, 2}), b=({1}, set()))
    after = report(a=({1, 2, 3, 4, 9}, {1, 3, 9}), c=({1}, {1}))
    found = gain([before], after)
    assert found.gained == {"a": {3}}
    assert found.lost == {"a": {2}}
    assert found.new_measured == {"a": {9}, "c": {1}}
    assert found.unmeasured == {"a": {5}, "b": {1}}
    assert (found.base_covered, found.base_total, found.after_covered) == (2, 6, 2)
    assert (found.gained_lines, found.lost_lines) == (1, 1)


def test_files_come_in_order() -> None:
    after = report(c=({1}, {1}), b=({1}, {1}))
    assert list(gain([report(a=({1}, {1}))], after).new_measured) == ["b", "c"]


def test_a_flaky_line_is_no_gain_on_either_side() -> None:
    with_2, with_3 = report(a=({1, 2, 3}, {1, 2})), report(a=({1, 2, 3}, {1, 3}))
    found = gain([with_2, report(a=({1, 2, 3}, {1}))], [with_2, with_3])
    assert found.gained == {}
    assert found.lost == {}  # line 2 was not always there before
    assert (found.unstable_before, found.unstable_after) == (1, 2)
    assert (found.base_covered, found.after_covered) == (2, 1)


def test_a_run_after_that_lacks_the_file_covers_nothing_of_it() -> None:
    before = report(a=({1, 2}, set()))
    found = gain([before], [report(a=({1, 2}, {1})), report(b=({1}, {1}))])
    assert found.gained == {}
    assert found.unmeasured == {}  # one run did measure it


def test_files_that_are_no_sources_count_nowhere() -> None:
    before = report(a=({1, 2}, {1}), test_a=({1, 2}, {1}))
    after = report(a=({1, 2}, {1}), test_a=({1, 2, 3}, {1, 2, 3}), test_b=({1}, {1}))
    found = gain([before], after, is_source=lambda path: not path.startswith("test_"))
    assert found.gained == found.new_measured == {}
    assert (found.base_total, found.base_covered, found.after_covered) == (2, 1, 1)


def test_coverage_of_lines_that_the_base_does_not_measure_is_no_gain() -> None:
    """A shrunk or moved denominator changes nothing: the universe is the base's."""
    before = report(a=({1, 2}, {1}))
    assert gain([before], report(a=({1, 8, 9}, {1, 8, 9}))).gained == {}


def test_branches_gained_are_counted_by_line_and_never_beyond_the_bases_own() -> None:
    def runs(**branches: int) -> CoverageReport:
        lines = {int(k[1:]): Branches(n, 9 if n > 2 else 2) for k, n in branches.items()}
        return CoverageReport("lcov", {"a": FileCoverage(frozenset({1}), frozenset(), lines)})

    assert gain([runs(l1=1, l2=0, l3=2)], runs(l1=2, l2=5, l3=0, l4=2)).gained_branches == 1 + 2
    assert gain([runs(l1=0), runs(l1=1)], [runs(l1=2), runs(l1=1)]).gained_branches == 0
    assert gain([runs(l1=0)], report(b=({1}, set()))).gained_branches == 0


@pytest.mark.parametrize(("before", "after"), [([], [report()]), ([report()], [])])
def test_no_runs_are_no_comparison(
    before: list[CoverageReport], after: list[CoverageReport]
) -> None:
    with pytest.raises(ValueError, match="no reports"):
        gain(before, after)


@given(RUNS, RUNS)
def test_gain_is_covered_by_every_run_after_and_none_before(
    before: list[CoverageReport], after: list[CoverageReport]
) -> None:
    gained = pairs(gain(before, after).gained)
    assert all(gained <= covered(each) for each in after)
    assert all(not gained & covered(each) for each in before)
    assert gained <= {pair for each in before for pair in measured(each)}


@given(RUNS)
def test_doing_nothing_gains_exactly_nothing(before: list[CoverageReport]) -> None:
    for after in (before, before[0], list(reversed(before))):
        found = gain(before, after)
        assert found.gained == {}
        assert found.gained_branches == 0
    assert gain(before, before).lost == {}


@given(RUNS, RUNS)
def test_what_one_way_gains_the_other_way_loses(
    before: list[CoverageReport], after: list[CoverageReport]
) -> None:
    forth, back = gain(before, after), gain(after, before)
    both = {p for r in before for p in measured(r)} & {p for r in after for p in measured(r)}
    assert pairs(forth.gained) & both == (pairs(back.lost) & both) - {
        pair for each in before for pair in covered(each)
    }
    assert forth.new_measured == back.unmeasured


@given(RUNS, reports(), reports())
def test_covering_more_never_gains_less(
    before: list[CoverageReport], after: CoverageReport, more: CoverageReport
) -> None:
    larger = CoverageReport("lcov", union([after, more]))
    assert pairs(gain(before, after).gained) <= pairs(gain(before, larger).gained)
    assert gain(before, after).gained_branches <= gain(before, larger).gained_branches


@given(RUNS, RUNS, reports())
def test_a_further_run_on_either_side_never_gains_more(
    before: list[CoverageReport], after: list[CoverageReport], further: CoverageReport
) -> None:
    gained = pairs(gain(before, after).gained)
    assert pairs(gain(before, [*after, further]).gained) <= gained
    # A further run before may measure more: what it adds is none of the universe so far.
    universe = {pair for each in before for pair in measured(each)}
    assert pairs(gain([*before, further], after).gained) & universe <= gained


@given(RUNS, RUNS)
def test_counts_add_up(before: list[CoverageReport], after: list[CoverageReport]) -> None:
    found = gain(before, after)
    assert 0 <= found.base_covered <= found.base_total
    assert 0 <= found.after_covered <= found.base_total
    kept = pairs({p: f.covered for p, f in union(before).items()}) & pairs(
        {p: f.covered for p, f in intersection(after).items()}
    )
    assert found.after_covered == found.gained_lines + len(kept)
    assert found.lost_lines <= found.base_covered


@given(RUNS, RUNS)
def test_the_order_of_runs_is_no_matter(
    before: list[CoverageReport], after: list[CoverageReport]
) -> None:
    assert gain(before, after) == gain(before[::-1], after[::-1])
