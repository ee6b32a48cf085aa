"""Overlap of sets, the frontier, and the logistic model."""

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.stats.irt import two_parameter
from benchwright.stats.pareto import UNKNOWN_COST, frontier, frontier_of_known
from benchwright.stats.sets import Overlap, overlap
from benchwright.stats.values import Undefined

TASKS = st.frozensets(st.integers(0, 8))
POINTS = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0, 2.0, 3.0]), st.sampled_from([0.0, 0.5, 1.0]))
)


def test_two_empty_sets_have_no_overlap_index() -> None:
    """sklearn says 0 here and scipy's similarity 1."""
    expected = Overlap(0, 0, 0, Undefined("empty-union", "both sets are empty"))
    assert overlap(set(), set()) == expected


@given(TASKS, TASKS)
def test_overlap_is_symmetric_and_counts_every_task_once(
    a: frozenset[int], b: frozenset[int]
) -> None:
    there, back = overlap(a, b), overlap(b, a)
    assert there == Overlap(back.both, back.only_b, back.only_a, back.jaccard)
    assert there.both + there.only_a + there.only_b == len(a | b)
    if a | b:
        assert there.jaccard == len(a & b) / len(a | b)


def dominates(q: tuple[float, float], p: tuple[float, float]) -> bool:
    return q[0] <= p[0] and q[1] >= p[1] and q != p


@given(POINTS)
def test_the_frontier_is_what_nothing_dominates(points: list[tuple[float, float]]) -> None:
    expected = [not any(dominates(q, p) for q in points) for p in points]
    assert frontier(points) == expected


@given(POINTS.flatmap(lambda p: st.tuples(st.just(p), st.permutations(range(len(p))))))
def test_the_order_of_points_tells_nothing(
    given_: tuple[list[tuple[float, float]], list[int]],
) -> None:
    """HELM#3001: ranks of equal values depended on their order."""
    points, order = given_
    on = frontier(points)
    assert frontier([points[i] for i in order]) == [on[i] for i in order]


def test_equal_points_are_all_kept() -> None:
    assert frontier([(1, 0.5), (1, 0.5), (1, 0.4), (2, 0.5)]) == [True, True, False, False]


def test_an_unknown_cost_dominates_nothing_and_is_told() -> None:
    points = [(1.0, 0.5), (None, 0.9), (2.0, 0.4)]
    assert frontier_of_known(points) == [True, UNKNOWN_COST, False]


@pytest.mark.parametrize("point", [(float("nan"), 0.5), (1.0, float("nan")), (float("-inf"), 0.5)])
def test_a_point_is_finite(point: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match=r"value . is"):
        frontier([point])


def test_many_points_take_no_square_of_time() -> None:
    points = [(float(i), float(i)) for i in range(50_000)]
    assert all(frontier(points))


FLOATS = st.floats(-5, 5)


@given(FLOATS, FLOATS, FLOATS)
def test_the_logistic_model_is_its_formula(theta: float, a: float, b: float) -> None:
    found = two_parameter(theta, a, b)
    p = 1 / (1 + exp(-a * (theta - b)))
    assert found.p == pytest.approx(p, abs=1e-12)
    assert found.information == pytest.approx(a * a * p * (1 - p), abs=1e-9)
    assert two_parameter(-theta, a, -b).p == pytest.approx(1 - found.p, abs=1e-12)


@pytest.mark.parametrize(("theta", "p"), [(1e6, 1.0), (-1e6, 0.0)])
def test_the_logistic_model_does_not_overflow(theta: float, p: float) -> None:
    assert two_parameter(theta, 2.0, 0.0) == (p, 0.0)


def test_the_logistic_model_takes_no_nan() -> None:
    with pytest.raises(ValueError, match="nan"):
        two_parameter(float("nan"), 1.0, 0.0)
