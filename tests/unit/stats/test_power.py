"""Tasks and trials needed, and what they can show."""

from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nct, t

from benchwright.stats.power import (
    Detectable,
    TasksNeeded,
    detectable_difference,
    detectable_run_noise,
    miller_difference,
    miller_tasks,
    tasks_needed,
    trials_needed,
    true_difference_variance,
    whole,
)
from benchwright.stats.values import Undefined


def needed(sd: float, delta: float, power: float = 0.8) -> TasksNeeded:
    found = tasks_needed(sd, delta, power=power)
    assert isinstance(found, TasksNeeded)
    return found


def detectable(sd: float, tasks: int, power: float = 0.8) -> Detectable:
    found = detectable_difference(sd, tasks, power=power)
    assert isinstance(found, Detectable)
    return found


def number(value: float | Undefined) -> float:
    assert not isinstance(value, Undefined)
    return value


SDS, DELTAS = st.floats(0.05, 0.6), st.floats(0.02, 0.3)


@settings(max_examples=40)
@given(SDS, DELTAS)
def test_the_tasks_needed_have_just_the_power(sd: float, delta: float) -> None:
    n = needed(sd, delta).t
    critical, centre = t.ppf(0.975, n - 1), delta / sd * sqrt(n)
    reached = nct.sf(critical, n - 1, centre)
    assert reached == pytest.approx(0.8, abs=1e-4) or (n == 2.0 and reached > 0.8)


@settings(max_examples=40)
@given(SDS, st.integers(3, 500))
def test_a_detectable_difference_needs_as_many_tasks(sd: float, tasks: int) -> None:
    assert needed(sd, detectable(sd, tasks).t).t == pytest.approx(tasks, rel=1e-5)


@settings(max_examples=40)
@given(SDS, st.integers(2, 300))
def test_more_tasks_show_less_and_t_is_wider_than_normal(sd: float, tasks: int) -> None:
    before, after = detectable(sd, tasks), detectable(sd, tasks + 1)
    assert after.t < before.t
    assert after.normal < before.normal < before.t


@settings(max_examples=40)
@given(SDS, DELTAS)
def test_more_power_needs_more_tasks(sd: float, delta: float) -> None:
    assert needed(sd, delta, 0.8).t <= needed(sd, delta, 0.9).t


@pytest.mark.parametrize(("tasks", "points"), [(29, 16.2), (40, 13.6), (60, 11.0)])
def test_what_small_corpora_can_show(tasks: int, points: float) -> None:
    assert round(detectable(0.30, tasks).t * 100, 1) == points


def test_five_points_with_forty_tasks_need_equal_agents() -> None:
    assert detectable(0.113, 40).normal == pytest.approx(0.05, abs=1e-3)


@pytest.mark.parametrize(("sigma2", "trials"), [(0.0757, 12), (0.12, 19), (0.25, 40)])
def test_ten_trials_at_forty_tasks_are_too_few_for_five_points(sigma2: float, trials: int) -> None:
    assert whole(number(trials_needed(sigma2, sigma2, 40, 0.05))) == trials
    assert number(detectable_run_noise(sigma2, sigma2, 40, 10)) > 0.05
    assert number(detectable_run_noise(sigma2, sigma2, 40, trials)) <= 0.05


def test_agents_that_differ_everywhere_alike_cannot_be_planned_for() -> None:
    for found in (
        tasks_needed(0.0, 0.05),
        detectable_difference(0.0, 40),
        trials_needed(0.0, 0.0, 40, 0.05),
        detectable_run_noise(0.0, 0.0, 40, 10),
        miller_tasks(0.0, 0.0, 0.0, 1, 1, 0.05),
        miller_difference(0.0, 0.0, 0.0, 1, 1, 40),
    ):
        assert isinstance(found, Undefined)
        assert found.code == "no-variance"


def test_one_task_shows_nothing() -> None:
    found = detectable_difference(0.3, 1)
    assert isinstance(found, Undefined)
    assert found.code == "one-task"


def test_trial_noise_is_not_counted_twice() -> None:
    """The observed variance holds σ²/K already; Miller's formula wants it without."""
    observed = 0.3**2
    omega2 = number(true_difference_variance(observed, 0.1, 0.1, 5, 5))
    assert omega2 == pytest.approx(observed - 0.04)
    from_parts = number(miller_tasks(omega2, 0.1, 0.1, 5, 5, 0.05))
    assert from_parts == pytest.approx(needed(0.3, 0.05).normal)


def test_differences_that_are_all_noise_have_no_true_variance() -> None:
    found = true_difference_variance(0.04, 0.1, 0.1, 5, 5)
    assert isinstance(found, Undefined)
    assert found.code == "no-true-variance"


def test_a_large_difference_needs_two_tasks_at_least() -> None:
    assert needed(0.01, 10.0).tasks == 2


@pytest.mark.parametrize(
    ("number_", "rounded"), [(71.0, 71), (71.0000000001, 71), (71.001, 72), (70.64, 71)]
)
def test_rounding_up_forgives_the_rounding_of_floats(number_: float, rounded: int) -> None:
    assert whole(number_) == rounded


@pytest.mark.parametrize(
    ("sd", "delta", "alpha", "power"),
    [
        (0.3, 0.0, 0.05, 0.8), (0.3, -0.1, 0.05, 0.8), (-0.3, 0.1, 0.05, 0.8),
        (float("nan"), 0.1, 0.05, 0.8), (0.3, float("nan"), 0.05, 0.8), (0.3, 0.1, 0.0, 0.8),
        (0.3, 0.1, 0.05, 1.0), (0.3, 0.1, 0.8, 0.05), (0.3, 1e-12, 0.05, 0.8),
    ],
)  # fmt: skip
def test_what_cannot_be_planned_is_refused(
    sd: float, delta: float, alpha: float, power: float
) -> None:
    with pytest.raises(ValueError, match=r"delta|variance|alpha|too small"):
        tasks_needed(sd, delta, alpha, power)
