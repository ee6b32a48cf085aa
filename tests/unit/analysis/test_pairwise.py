"""All pairs at once say what each comparison says by itself."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.analysis.comparison import Comparison, compare
from benchwright.analysis.grid import Grid
from benchwright.analysis.pairwise import Pair, pairwise
from benchwright.stats.values import Interval, Undefined
from tests.unit.analysis.grids import grid_of

CELLS = st.sampled_from(["-", "i", "s", "f", "sf", "ssf", "sss", "ft", "sfti"])

SETS = ("both_solved", "both_failed", "only_a_failed", "only_b_failed", "intermittent")


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    tasks = draw(st.integers(1, 7))
    names = draw(st.sampled_from(["ab", "abc", "abcd"]))
    rows = {n: " ".join(draw(st.lists(CELLS, min_size=tasks, max_size=tasks))) for n in names}
    repositories = draw(st.none() | st.text("xyz", min_size=tasks, max_size=tasks))
    return grid_of(rows, repositories=repositories)


def same(found: float | Interval | Undefined, wanted: float | Interval | Undefined) -> None:
    if isinstance(wanted, Undefined):
        assert isinstance(found, Undefined)
        assert found.code == wanted.code
    elif isinstance(wanted, Interval):
        assert isinstance(found, Interval)
        assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
        assert (found.uncertainty, found.degenerate) == (wanted.uncertainty, wanted.degenerate)
    else:
        assert found == pytest.approx(wanted, abs=1e-9)


def agree(pair: Pair, one: Comparison) -> None:
    assert (pair.a, pair.b, pair.shared, pair.dropped) == (
        one.a, one.b, len(one.shared), len(one.dropped),
    )  # fmt: skip
    assert pair.fewest == one.fewest
    if isinstance(one.paired, Undefined):
        same(pair.difference, one.paired)
        same(pair.composition, one.paired)
    else:
        same(pair.difference, one.paired.diff)
        assert one.composition is not None
        same(pair.composition, one.composition)
        if one.composition == one.paired.interval:
            same(pair.p_value, one.paired.p_value)
    if one.shared:
        run_noise = one.run_noise
        same(pair.run_noise, run_noise if isinstance(run_noise, Undefined) else run_noise.interval)
    if one.mcnemar is None:
        assert isinstance(pair.mcnemar, Undefined)
    else:
        same(pair.mcnemar, one.mcnemar.exact_p)
    sets = one.failures
    for name in SETS:
        assert getattr(pair, name) == len(getattr(sets, name)), name
    same(pair.jaccard_failed, sets.failed.jaccard)
    assert (pair.over_tasks, pair.over_runs) == (one.over_tasks, one.over_runs)


@settings(max_examples=100, deadline=None)
@given(grids())
def test_every_pair_is_what_its_comparison_says(grid: Grid) -> None:
    order = [c.key for c in grid.data.configs]
    found = pairwise(grid, order)
    assert len(found) == len(order) * (len(order) - 1) // 2
    for pair in found:
        agree(pair, compare(grid, pair.a, pair.b))


def test_the_order_decides_which_is_a() -> None:
    grid = grid_of({"a": "s s s", "b": "f s f"})
    (pair,) = pairwise(grid, ["b", "a"])
    assert (pair.a, pair.b, pair.only_a_failed) == ("b", "a", 2)


def test_holm_counts_the_pairs_that_have_a_p_value() -> None:
    grid = grid_of({"a": "s s s s f", "b": "s s s s f", "c": "f s f f f"})
    same_ones, *others = pairwise(grid, ["a", "b", "c"])
    assert isinstance(same_ones.holm, Undefined)
    assert same_ones.holm.code == "no-variance"
    for pair in others:
        assert not isinstance(pair.p_value, Undefined)
        assert pair.holm == pytest.approx(min(1, 2 * pair.p_value))


def test_one_configuration_and_none_have_no_pair() -> None:
    assert pairwise(grid_of({"a": "s f"}), ["a"]) == []
    assert pairwise(grid_of({"a": "s f"}), []) == []
