"""Plans of comparisons."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.analysis.planning import Variances, Wanted, pilot, plan, sentences
from benchwright.stats.values import Undefined
from tests.unit.analysis.grids import grid_of

UNKNOWN = Undefined("not-given", "it was not given")


def test_tasks_of_the_published_example() -> None:
    """statsmodels' TTestPower: research/statistics-reports, sd .30 needs 283 or 285 tasks."""
    found = plan(Wanted(40, 5), Variances(0.30, UNKNOWN, UNKNOWN))
    assert sentences(found) == [
        "Task-composition sensitivity (would it hold with other tasks like these?): 285 tasks show "
        "a difference of 5.0 points with 80% power (283 by the normal approximation).",
        "40 tasks are too few: they detect 13.6 points.",
        "Run noise on the fixed corpus (is there one on these very tasks?): cannot be planned, it "
        "was not given.",
    ]


def test_trials_of_the_published_example() -> None:
    """terminus-2: a variance of .0757 within tasks needs 12 trials at 40 tasks."""
    found = plan(Wanted(40, 10), Variances(UNKNOWN, 0.0757, 0.0757))
    assert sentences(found)[1:] == [
        "Run noise on the fixed corpus (is there one on these very tasks?): 12 trials of each agent "
        "at each of 40 tasks show a difference of 5.0 points with 80% power.",
        "10 trials are too few: they detect 5.5 points.",
    ]


def test_enough_is_not_called_too_few() -> None:
    text = " ".join(sentences(plan(Wanted(300, 12), Variances(0.30, 0.0757, 0.0757))))
    assert "too few" not in text


def test_the_pilots_trial_noise_is_not_counted_twice() -> None:
    """The deviation observed with 4 trials is that of the plan where the plan has 4 trials, and smaller
    with more, down to that of the true differences."""
    made = grid_of({"a": "ssss ssff ssss sfff", "b": "ffff sfff ssff ffff"})
    four, many = pilot(made, "a", "b", 4), pilot(made, "a", "b", 10_000)
    assert four.sd_diff == pytest.approx(0.125**0.5)
    assert not isinstance(many.sd_diff, Undefined)
    assert not isinstance(four.sd_diff, Undefined)
    assert many.sd_diff < four.sd_diff


def test_tasks_with_one_trial_are_in_no_variance_and_that_is_said() -> None:
    found = pilot(grid_of({"a": "ssff s sf", "b": "sfff f ff"}), "a", "b", 5)
    assert "1 of 3 tasks have one trial only and are in no variance of trials" in found.notes
    assert found.within_a == pytest.approx((1 / 3 + 1 / 2) / 2)


def test_single_trials_leave_run_noise_unplanned() -> None:
    found = plan(Wanted(3, 5), pilot(grid_of({"a": "s s f", "b": "f s f"}), "a", "b", 5))
    assert isinstance(found.trials_needed, Undefined)
    assert "cannot be planned, no task has two valid trials" in " ".join(sentences(found))


def test_true_differences_that_the_pilot_cannot_tell_from_noise_are_unknown_not_none() -> None:
    """With 0 in their place, 5 tasks of 1000 trials would have shown 5 points over all other tasks."""
    rows = {"a": "ssff ssff ssff ssff", "b": "ssff ssff sfff ssff"}
    found = plan(Wanted(10, 1000), pilot(grid_of(rows), "a", "b", 1000))
    assert isinstance(found.tasks_needed, Undefined)
    assert found.tasks_needed.code == "no-true-variance"
    assert "cannot be planned, the trials' noise explains all differences" in sentences(found)[0]
    assert not isinstance(found.trials_needed, Undefined)


def test_no_more_than_a_hundred_points_are_said_to_be_detected() -> None:
    said = sentences(plan(Wanted(2, 1), Variances(0.9, 0.25, 0.25)))
    assert said[1] == "2 tasks are too few: they detect no difference that rates can have."
    assert said[3] == "1 trials are too few: they detect no difference that rates can have."


@given(st.floats(0.01, 0.9), st.integers(2, 400), st.integers(2, 400))
def test_more_tasks_detect_less(sd: float, few: int, more: int) -> None:
    few, more = sorted((few, more))
    small = plan(Wanted(few, 5), Variances(sd, UNKNOWN, UNKNOWN)).detectable_over_tasks
    large = plan(Wanted(more, 5), Variances(sd, UNKNOWN, UNKNOWN)).detectable_over_tasks
    assert not isinstance(small, Undefined)
    assert not isinstance(large, Undefined)
    assert large.t <= small.t + 1e-9
