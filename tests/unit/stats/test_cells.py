"""Trials of a cell: what is valid, invalid and missing."""

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.stats.cells import Cell, Outcome, tally
from benchwright.stats.values import Count

OUTCOMES: list[Outcome] = ["success", "failure", "timeout", "invalid"]


def test_a_timeout_is_a_valid_failure_and_an_invalid_trial_is_nothing() -> None:
    cell = tally(["success", "failure", "timeout", "invalid"], required=5)
    assert cell == Cell(n_valid=3, successes=1, timeouts=1, invalid=1, missing=1, complete=False)
    assert cell.count == Count(3, 1)


def test_missing_and_invalid_are_two_things() -> None:
    assert (tally([], 2).missing, tally([], 2).invalid) == (2, 0)
    assert (tally(["invalid"] * 2, 2).missing, tally(["invalid"] * 2, 2).invalid) == (0, 2)


def test_invalid_trials_do_not_make_a_cell_complete() -> None:
    assert not tally(["success", "invalid"], required=2).complete
    assert tally(["success", "invalid", "failure"], required=2).complete


@given(st.lists(st.sampled_from(OUTCOMES)), st.integers(1, 20))
def test_every_trial_is_counted_once(outcomes: list[Outcome], required: int) -> None:
    cell = tally(outcomes, required)
    assert cell.n_valid + cell.invalid == len(outcomes)
    assert cell.missing == max(0, required - len(outcomes))
    assert cell.successes + cell.timeouts <= cell.n_valid
    assert cell.complete is (cell.n_valid >= required)


def test_unknown_outcomes_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown outcome 'passed'"):
        tally([cast(Outcome, "passed")], required=1)


@pytest.mark.parametrize("required", [0, -1])
def test_something_is_required(required: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        tally([], required)
