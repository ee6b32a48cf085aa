"""Wilson's interval against published values, at its ends, and by its defining equation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from benchwright.reports.interval import wilson

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
    found = wilson(successes, trials)
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@given(COUNTS)
def test_agrees_with_scipys_own(counts: tuple[int, int]) -> None:
    found, theirs = wilson(*counts), binomtest(*counts).proportion_ci(method="wilson")
    assert found is not None
    assert found.low == pytest.approx(theirs.low, abs=1e-9)
    assert found.high == pytest.approx(theirs.high, abs=1e-9)


@given(COUNTS)
def test_holds_the_rate_and_stays_within_0_and_1(counts: tuple[int, int]) -> None:
    found = wilson(*counts)
    assert found is not None
    assert 0.0 <= found.low <= counts[0] / counts[1] <= found.high <= 1.0


def test_ends_are_exact() -> None:
    nothing, everything = wilson(0, 7), wilson(7, 7)
    assert nothing is not None
    assert everything is not None
    assert nothing.low == 0.0
    assert everything.high == 1.0


def test_no_trial_gives_no_interval() -> None:
    assert wilson(0, 0) is None


@pytest.mark.parametrize("counts", [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(counts: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="successes of 3 trials"):
        wilson(*counts)
