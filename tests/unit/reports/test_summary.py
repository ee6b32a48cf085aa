"""What kinds of task measure, by agent and task."""

from typing import Any

from benchwright.reports.summary import CellSummary, summarise
from tests.unit.reports.samples import measured, record, usage


def only(*trials: dict[str, Any]) -> CellSummary:
    (cell,) = summarise((t["agent"], t["task"], t) for t in trials).values()
    return cell


def test_invalid_trials_are_in_no_median() -> None:
    cell = only(
        record(index=0),
        record(index=1, outcome="failure", measurements=measured(gained=0)),
        record(index=2, outcome="timeout", measurements=measured(gained=2)),
        record(index=3, outcome="invalid", measurements=measured(gained=99)),
    )
    assert cell.gained_lines.values == (12.0, 0.0, 2.0)
    assert cell.gained_lines.median == 2.0


def test_no_valid_trial_has_no_median() -> None:
    assert only(record(outcome="invalid", reason="ImagePull")).gained_lines.median is None


def test_unknown_values_are_left_out_and_counted() -> None:
    cell = only(record(), record(index=1, spent=usage(unknown_usage=1, output_tokens=None)))
    assert (cell.tokens.values, cell.tokens.unknown) == ((1050.0,), 1)


def test_zero_tokens_are_known() -> None:
    cell = only(record(spent=usage(requests=0, input_tokens=0, output_tokens=0)))
    assert (cell.tokens.median, cell.tokens.unknown) == (0.0, 0)


def test_medians_and_maximum() -> None:
    cell = only(*(record(index=i, harness=h) for i, h in enumerate((3.0, 5.0, 4.0, 9.0))))
    assert (cell.harness_seconds.median, cell.harness_seconds.maximum) == (4.5, 9.0)
    assert (cell.changed_files.median, cell.changed_lines.median) == (1.0, 21.0)


def test_cells_are_by_configuration_and_task() -> None:
    trials = [record("b", "x"), record("a", "y"), record("a", "x"), record("b", "x", 1)]
    found = summarise((t["agent"], t["task"], t) for t in trials)
    assert {key: len(cell.gained_lines.values) for key, cell in found.items()} == {
        ("a", "x"): 1, ("a", "y"): 1, ("b", "x"): 2,
    }  # fmt: skip
