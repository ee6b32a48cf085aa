"""Wilson's interval against published values, at its ends, and against scipy's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from benchwright.stats.proportions import wilson
from benchwright.stats.values import Count, Interval, Uncertainty, Undefined


def interval(successes: int, trials: int, level: float = 0.95) -> Interval:
    """Wilson's, which is defined."""
    found = wilson(Count(trials, successes), level)
    assert isinstance(found, Interval)
    return found


COUNTS = st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # Newcombe 1998, table I, method 3 (score without continuity correction)
        pytest.param(81, 263, 0.2553, 0.3662, id="81-of-263"),
        pytest.param(15, 148, 0.0624, 0.1605, id="15-of-148"),
        pytest.param(0, 20, 0.0, 0.1611, id="none-of-20"),
        pytest.param(1, 29, 0.0061, 0.1718, id="1-of-29"),
    ],
)
def test_published_values(successes: int, trials: int, low: float, high: float) -> None:
    found = interval(successes, trials)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@given(COUNTS)
def test_agrees_with_scipys_own(counts: tuple[int, int]) -> None:
    found, theirs = interval(*counts), binomtest(*counts).proportion_ci(method="wilson")
    assert found.low == pytest.approx(theirs.low, abs=1e-9)
    assert found.high == pytest.approx(theirs.high, abs=1e-9)


@given(COUNTS)
def test_holds_the_rate_and_stays_within_0_and_1(counts: tuple[int, int]) -> None:
    found = interval(*counts)
    assert 0.0 <= found.low <= counts[0] / counts[1] <= found.high <= 1.0
    assert found.contains(counts[0] / counts[1])


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n - 1), st.just(n))))
def test_one_more_success_moves_both_ends_up(counts: tuple[int, int]) -> None:
    successes, trials = counts
    before, after = interval(successes, trials), interval(successes + 1, trials)
    assert before.low < after.low
    assert before.high < after.high


@given(COUNTS)
def test_failures_mirror_successes(counts: tuple[int, int]) -> None:
    successes, trials = counts
    found, mirror = interval(successes, trials), interval(trials - successes, trials)
    assert found.low == pytest.approx(1 - mirror.high, abs=1e-12)
    assert found.high == pytest.approx(1 - mirror.low, abs=1e-12)


@pytest.mark.parametrize(("successes", "trials"), [(0, 77), (38, 38), (0, 7), (7, 7)])
def test_ends_are_exact(successes: int, trials: int) -> None:
    """statsmodels#7386: 38/38 gave 1.0000000000000002 and 0/77 gave -3e-18."""
    found = interval(successes, trials)
    assert (found.low if successes == 0 else found.high) == (0.0 if successes == 0 else 1.0)


@pytest.mark.parametrize(("trials", "low"), [(5, 56.6), (10, 72.2)])
def test_all_right_is_no_certainty(trials: int, low: float) -> None:
    assert round(interval(trials, trials).low * 100, 1) == low


def test_says_that_it_is_about_one_cell() -> None:
    found = interval(3, 5, 0.9)
    assert (found.uncertainty, found.level, found.degenerate) == (Uncertainty.CELL, 0.9, False)


def test_no_trial_gives_no_interval() -> None:
    assert wilson(Count(0, 0)) == Undefined("no-trials", "no valid trial")


@pytest.mark.parametrize("counts", [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(counts: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="successes of 3 trials"):
        Count(3, counts[0])


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, float("nan")])
def test_a_level_is_between_0_and_1(level: float) -> None:
    with pytest.raises(ValueError, match="confidence level"):
        wilson(Count(3, 1), level)
