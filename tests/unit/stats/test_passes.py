"""Success rate, pass@k and pass^k: by counting subsets, over a corpus, and the bugs of others."""

from fractions import Fraction
from itertools import combinations
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.stats.passes import (
    macro_pass_at_k,
    macro_pass_hat_k,
    pass_at_k,
    pass_hat_k,
    success_rate,
)
from benchwright.stats.values import Count, Undefined


@st.composite
def drawn(draw: st.DrawFn, most: int = 60) -> tuple[int, int, int]:
    """n, c, k with k <= n."""
    n = draw(st.integers(1, most))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


def number(value: float | Undefined) -> float:
    assert not isinstance(value, Undefined)
    return value


def code(value: object) -> str:
    assert isinstance(value, Undefined)
    return value.code


@pytest.mark.parametrize("n", range(1, 8))
def test_both_count_the_subsets_of_k_trials(n: int) -> None:
    for c in range(n + 1):
        trials = [True] * c + [False] * (n - c)
        for k in range(1, n + 1):
            subsets = list(combinations(trials, k))
            assert pass_at_k(n, c, k) == float(Fraction(sum(map(any, subsets)), len(subsets)))
            assert pass_hat_k(n, c, k) == float(Fraction(sum(map(all, subsets)), len(subsets)))


@given(drawn())
def test_bounds(values: tuple[int, int, int]) -> None:
    n, c, _ = values
    assert 0 <= number(pass_hat_k(*values)) <= c / n <= number(pass_at_k(*values)) <= 1


@given(drawn())
def test_more_tries_make_one_success_likelier_and_all_less_likely(
    values: tuple[int, int, int],
) -> None:
    n, c, k = values
    if k < n:
        assert number(pass_at_k(n, c, k)) <= number(pass_at_k(n, c, k + 1))
        assert number(pass_hat_k(n, c, k)) >= number(pass_hat_k(n, c, k + 1))


@given(drawn())
def test_one_more_success_lowers_neither(values: tuple[int, int, int]) -> None:
    n, c, k = values
    if c < n:
        assert number(pass_at_k(n, c, k)) <= number(pass_at_k(n, c + 1, k))
        assert number(pass_hat_k(n, c, k)) <= number(pass_hat_k(n, c + 1, k))


@given(drawn())
def test_all_fail_is_the_mirror_of_all_succeed(values: tuple[int, int, int]) -> None:
    n, c, k = values
    failing = number(pass_hat_k(n, n - c, k))
    assert number(pass_at_k(n, c, k)) == pytest.approx(1 - failing, abs=1e-15)


def test_fewer_than_k_trials_are_undefined() -> None:
    """human-eval#35, MultiPL-E#40, Inspect before NaN: 1.0 without a single success."""
    assert pass_at_k(3, 0, 5) == Undefined("too-few-trials", "3 valid trials where k is 5")
    assert code(pass_hat_k(3, 3, 5)) == "too-few-trials"
    assert code(pass_at_k(0, 0, 1)) == "no-trials"


def test_no_success_is_zero_and_not_unknown() -> None:
    """deepeval#2967: a score of 0 was taken for none, so pass@k became pass@n."""
    assert pass_at_k(5, 0, 5) == 0.0
    assert pass_hat_k(5, 4, 5) == 0.0


def test_pass_hat_k_is_no_power_of_the_rate() -> None:
    """tau2#497: two conventions in one project. Ours is C(c,k)/C(n,k)."""
    assert pass_hat_k(5, 3, 2) == 0.3
    assert (3 / 5) ** 2 != 0.3


@pytest.mark.parametrize("k", [1, 5000, 9999, 10000])
def test_ten_thousand_trials_do_not_overflow(k: int) -> None:
    """C(10000, 5000) is about 1e3008, and a float ends at 1e308."""
    assert 0.5 <= number(pass_at_k(10_000, 5_000, k)) <= 1
    assert 0 <= number(pass_hat_k(10_000, 5_000, k)) <= 0.5


@pytest.mark.parametrize("k", [0, -1])
def test_k_is_at_least_one(k: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        pass_at_k(5, 3, k)


@pytest.mark.parametrize("c", [-1, 6])
def test_impossible_counts_are_refused(c: int) -> None:
    with pytest.raises(ValueError, match="successes of 5 trials"):
        pass_hat_k(5, c, 2)


def test_a_corpus_has_pass_at_k_only_where_every_task_has_k_trials() -> None:
    """Leaving the short task out would publish a value of another corpus."""
    counts = [Count(5, 5), Count(4, 0), Count(5, 1)]
    expected = Undefined("too-few-trials", "2 of 3 tasks have 5 trials")
    assert macro_pass_at_k(counts, 5) == expected
    assert macro_pass_hat_k(counts, 5) == expected
    assert number(macro_pass_at_k(counts, 4)) == pytest.approx((1 + 0 + 0.8) / 3)


def test_a_corpus_without_tasks_has_nothing() -> None:
    assert code(macro_pass_at_k([], 1)) == code(success_rate([])) == "no-tasks"


def test_tasks_weigh_the_same_however_many_trials_they_have() -> None:
    """Pooling gave 33.39 % where the mean of tasks is 31.94 % (opus 4.1 on Terminal-Bench 2)."""
    assert success_rate([Count(10, 10), Count(2, 0)]) == 0.5


def test_a_task_without_valid_trials_is_not_a_task_of_zero() -> None:
    counts = [Count(5, 5), Count(0, 0), Count(5, 0)]
    assert success_rate(counts) == Undefined("no-trials", "1 of 3 tasks have no valid trial")


@given(st.lists(drawn(8), min_size=1, max_size=6))
def test_pass_at_one_is_the_success_rate(tasks: list[tuple[int, int, int]]) -> None:
    counts = [Count(n, c) for n, c, _ in tasks]
    rate = number(success_rate(counts))
    assert number(macro_pass_at_k(counts, 1)) == pytest.approx(rate, abs=1e-15)
    assert number(macro_pass_hat_k(counts, 1)) == pytest.approx(rate, abs=1e-15)
    assert rate == pytest.approx(fmean(c / n for n, c, _ in tasks))
