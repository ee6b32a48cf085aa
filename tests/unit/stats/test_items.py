"""Discrimination, saturation and floor of tasks."""

from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, pointbiserialr

from benchwright.stats.items import (
    fisher_interval,
    floor,
    item_rest,
    item_rest_observations,
    kr20,
    saturated,
)
from benchwright.stats.proportions import wilson
from benchwright.stats.values import Count, Interval, Uncertainty, Undefined

RATES = st.sampled_from([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
SHAPES = st.tuples(st.integers(3, 8), st.integers(2, 6))
MATRICES = SHAPES.flatmap(
    lambda s: st.lists(st.lists(RATES, min_size=s[1], max_size=s[1]), min_size=s[0], max_size=s[0])
)


def codes(found: list[float | Undefined]) -> list[str | float]:
    return [r.code if isinstance(r, Undefined) else round(r, 6) for r in found]


@given(MATRICES)
def test_agrees_with_scipys_correlation_column_by_column(matrix: list[list[float]]) -> None:
    columns = np.array(matrix)
    for j, r in enumerate(item_rest([list(row) for row in matrix])):
        rest = np.delete(columns, j, axis=1).mean(axis=1)
        if isinstance(r, Undefined):
            assert min(np.ptp(columns[:, j]), np.ptp(rest)) == pytest.approx(0, abs=1e-12)
        else:
            assert r == pytest.approx(pearsonr(columns[:, j], rest).statistic, abs=1e-9)
            assert -1 <= r <= 1


@given(MATRICES)
def test_observations_are_single_trials_against_the_rest(matrix: list[list[float]]) -> None:
    counts = [[Count(5, round(rate * 5)) for rate in row] for row in matrix]
    columns = np.array(matrix)
    for j, r in enumerate(item_rest_observations(counts)):
        rest = np.delete(columns, j, axis=1).mean(axis=1)
        trials = [float(i < row[j].c) for row in counts for i in range(5)]
        if not isinstance(r, Undefined):
            theirs = pointbiserialr(trials, np.repeat(rest, 5)).statistic
            assert r == pytest.approx(theirs, abs=1e-9)


def test_observations_are_attenuated() -> None:
    """Two versions under one name would disagree: .52 and .80 for the same task."""
    counts = [[Count(5, c) for c in row] for row in ([5, 4, 2], [4, 3, 1], [1, 2, 0], [0, 1, 0])]
    rates = [[c.c / c.n for c in row] for row in counts]
    for single, mean in zip(item_rest_observations(counts), item_rest(rates), strict=True):
        assert not isinstance(single, Undefined)
        assert not isinstance(mean, Undefined)
        assert 0 < single < mean


def test_two_configurations_say_one_or_nothing() -> None:
    assert codes(item_rest([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])) == [
        "no-variance", -1.0, "no-variance",
    ]  # fmt: skip


def test_a_task_that_everybody_solves_tells_nothing() -> None:
    matrix = [[1.0, 0.1, 0.2], [1.0, 0.4, 0.3], [1.0, 0.8, 0.9]]
    assert codes(item_rest(matrix))[0] == "no-variance"


def test_rounding_is_no_variance() -> None:
    """(0.1+0.2)/2 and 0.3/2 differ in the last bit: the correlation would be any number."""
    matrix = [[0.0, 0.1, 0.2], [1.0, 0.2, 0.1], [1.0, 0.3, 0.0]]
    assert codes(item_rest(matrix))[0] == "no-variance"


def test_a_missing_cell_takes_its_task_out_of_every_rest() -> None:
    whole = [[1.0, 0.2, 0.4], [0.5, 0.1, 0.6], [0.0, 0.3, 0.1]]
    gap: list[list[float | None]] = [[*row, 0.9] for row in whole]
    gap[1][3] = None
    assert item_rest(gap) == [*item_rest(whole), Undefined(
        "missing-cells", "a configuration has no rate for it"
    )]  # fmt: skip
    counts = [[Count(10, round(v * 10)) for v in row] for row in whole]
    none = [[*row, Count(0, 0) if i == 1 else Count(10, 9)] for i, row in enumerate(counts)]
    assert item_rest_observations(none)[:3] == item_rest_observations(counts)
    assert codes(item_rest_observations(none))[3] == "missing-cells"


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([[1.0, 0.0]], ["too-few-configurations"] * 2, id="one-configuration"),
        pytest.param([[1.0], [0.0], [0.5]], ["one-task"], id="one-task"),
        pytest.param(
            [[1.0, None], [0.0, 1.0]], ["one-task", "missing-cells"], id="one-shared-task"
        ),
    ],
)
def test_too_little_is_undefined(matrix: list[list[float | None]], expected: list[str]) -> None:
    assert codes(item_rest(matrix)) == expected


@pytest.mark.parametrize("matrix", [[[1.0, 0.0], [1.0]], [[float("nan"), 1.0], [0.0, 1.0]]])
def test_a_matrix_is_whole(matrix: list[list[float]]) -> None:
    with pytest.raises(ValueError, match=r"unequal length|NaN"):
        item_rest([list(row) for row in matrix])


def test_the_largest_public_matrix_takes_less_than_a_second() -> None:
    random = np.random.default_rng(1)
    matrix = random.integers(0, 2, (134, 500)).astype(float).tolist()
    before = perf_counter()
    assert len(item_rest(matrix)) == 500
    assert perf_counter() - before < 1


@settings(max_examples=50)
@given(st.floats(-0.999, 0.999), st.integers(4, 500))
def test_an_interval_of_a_correlation_holds_it_and_mirrors(r: float, n: int) -> None:
    found, mirror = fisher_interval(r, n), fisher_interval(-r, n)
    assert isinstance(found, Interval)
    assert isinstance(mirror, Interval)
    assert -1 <= found.low < r < found.high <= 1
    assert found.low == pytest.approx(-mirror.high, abs=1e-12)
    assert found.uncertainty is Uncertainty.CONFIGURATIONS


def test_six_configurations_of_five_trials_are_six() -> None:
    """r = .2 of 6 configurations is -.73 … .87; with their 30 trials it would be -.17 … .52."""
    found = fisher_interval(0.2, 6)
    assert isinstance(found, Interval)
    assert (round(found.low, 2), round(found.high, 2)) == (-0.73, 0.87)


@pytest.mark.parametrize(
    ("r", "n", "code"),
    [
        (0.2, 3, "too-few-configurations"),
        (1.0, 6, "perfect-correlation"),
        (-1.0, 6, "perfect-correlation"),
    ],
)
def test_a_correlation_without_interval(r: float, n: int, code: str) -> None:
    found = fisher_interval(r, n)
    assert isinstance(found, Undefined)
    assert found.code == code


@pytest.mark.parametrize("r", [1.1, -1.1, float("nan")])
def test_what_is_no_correlation_is_refused(r: float) -> None:
    with pytest.raises(ValueError, match="a correlation of"):
        fisher_interval(r, 10)


@pytest.mark.parametrize(
    ("references", "flag"),
    [
        pytest.param([Count(20, 19)], True, id="exactly-95-percent"),
        pytest.param([Count(40, 38), Count(10, 10)], True, id="each-of-them"),
        pytest.param([Count(10, 9)], False, id="nine-of-ten"),
        pytest.param([Count(9, 9)], False, id="too-few-trials"),
        pytest.param([Count(100, 100), Count(0, 0)], False, id="one-without-trials"),
        pytest.param([], False, id="nobody"),
        pytest.param([Count(300, 285)], True, id="285-of-300"),
    ],
)
def test_saturation(references: list[Count], flag: bool) -> None:
    assert saturated(references) is flag


def test_a_saturated_task_is_no_certainty() -> None:
    interval = wilson(Count(10, 10))
    assert isinstance(interval, Interval)
    assert (saturated([Count(10, 10)]), round(interval.low, 2)) == (True, 0.72)


@pytest.mark.parametrize(
    ("counts", "flag"),
    [
        pytest.param([Count(20, 1)], False, id="exactly-5-percent"),
        pytest.param([Count(10, 1), Count(10, 0)], False, id="together-exactly-5-percent"),
        pytest.param([Count(21, 1)], True, id="below"),
        pytest.param([Count(5, 0)], True, id="none-of-five"),
        pytest.param([], False, id="nobody"),
        pytest.param([Count(0, 0)], False, id="no-trial"),
    ],
)
def test_floor(counts: list[Count], flag: bool) -> None:
    assert floor(counts) is flag


def test_kr20_of_equal_tasks_is_one() -> None:
    assert kr20([[1.0] * 4, [0.0] * 4, [1.0] * 4]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("matrix", "code"),
    [
        ([[1.0, 0.0], [0.0, 1.0]], "no-variance"),
        ([[1.0, None], [0.0, 1.0]], "missing-cells"),
        ([[1.0], [0.0]], "one-task"),
        ([[1.0, 0.0]], "too-few-configurations"),
    ],
)
def test_kr20_of_too_little_is_undefined(matrix: list[list[float | None]], code: str) -> None:
    found = kr20(matrix)
    assert isinstance(found, Undefined)
    assert found.code == code


def test_kr20_is_of_single_trials() -> None:
    with pytest.raises(ValueError, match="0 and 1"):
        kr20([[0.5, 1.0], [0.0, 1.0]])
