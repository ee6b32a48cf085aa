"""Summaries by agent and task."""

import pytest

from benchwright.reports.summary import summarise
from benchwright.reports.table import summarise as exported
from tests.unit.reports.samples import measured, record, usage


def test_invalid_trials_are_in_no_rate_and_no_median() -> None:
    trials = [
        record(index=0),
        record(index=1, outcome="failure", measurements=measured(gained=0)),
        record(index=2, outcome="timeout", measurements=measured(gained=2)),
        record(index=3, outcome="invalid", measurements=measured(gained=99)),
    ]
    (cell,) = summarise(trials)
    assert (cell.success, cell.failure, cell.timeout, cell.invalid) == (1, 1, 1, 1)
    assert (cell.valid, cell.planned, cell.unfinished) == (3, 4, 0)
    assert cell.gained_lines.values == (12.0, 0.0, 2.0)
    assert cell.gained_lines.median == 2.0
    assert cell.interval is not None
    assert cell.interval.low == pytest.approx(0.0615, abs=1e-4)


def test_no_valid_trial_has_no_interval_but_a_reason() -> None:
    (cell,) = summarise([record(outcome="invalid", reason="ImagePull")])
    assert (cell.interval, cell.interval_missing) == (None, "no valid trial")
    assert cell.gained_lines.median is None
    assert cell.reasons == {"ImagePull": 1}


def test_unknown_values_are_left_out_and_counted() -> None:
    trials = [record(index=0), record(index=1, spent=usage(unknown_usage=1, output_tokens=None))]
    (cell,) = summarise(trials)
    assert (cell.tokens.values, cell.tokens.unknown) == ((1050.0,), 1)


def test_zero_tokens_are_known() -> None:
    (cell,) = summarise([record(spent=usage(requests=0, input_tokens=0, output_tokens=0))])
    assert (cell.tokens.median, cell.tokens.unknown) == (0.0, 0)


def test_medians_and_maximum() -> None:
    trials = [record(index=i, harness=h) for i, h in enumerate((3.0, 5.0, 4.0, 9.0))]
    (cell,) = summarise(trials)
    assert (cell.harness_seconds.median, cell.harness_seconds.maximum) == (4.5, 9.0)
    assert (cell.changed_files.median, cell.changed_lines.median) == (1.0, 21.0)


def test_cells_are_ordered_by_agent_and_task() -> None:
    trials = [record("b", "x"), record("a", "y"), record("a", "x"), record("b", "x", 1)]
    assert [(c.agent, c.task, c.success) for c in summarise(trials)] == [
        ("a", "x", 1), ("a", "y", 1), ("b", "x", 2),
    ]  # fmt: skip


def test_a_trial_that_is_not_there_yet_is_seen_by_the_others_indexes() -> None:
    cells = summarise([record("a", index=0), record("a", index=1), record("b", index=1)])
    assert [(c.agent, c.planned, c.unfinished) for c in cells] == [("a", 2, 0), ("b", 2, 1)]


def test_baselines_are_no_observations() -> None:
    assert summarise([record(purpose="baseline")]) == []


def test_reasons_come_most_frequent_first() -> None:
    reasons = ("NoChanges", "NoReport", "NoReport")
    trials = [record(index=i, outcome="failure", reason=r) for i, r in enumerate(reasons)]
    (cell,) = summarise(trials)
    assert list(cell.reasons.items()) == [("NoReport", 2), ("NoChanges", 1)]


def test_the_table_module_offers_it() -> None:
    assert exported is summarise
