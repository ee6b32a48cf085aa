"""results.csv: columns, unknown cells, formulas."""

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.reports.table import columns, to_csv
from tests.unit.reports.samples import measured, record, usage


def rows(*records: dict[str, Any]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(to_csv(records), newline="")))


def test_header_is_there_without_records() -> None:
    assert to_csv([]) == ",".join(columns()) + "\r\n"


def test_columns_are_distinct() -> None:
    assert len(set(columns())) == len(columns())


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("run", "demo"), ("agent", "mini"), ("task", "pluggy"), ("index", "0"), ("attempt", "1"),
        ("outcome", "success"), ("tests_added", "2"), ("tests_failed", "0"),
        ("coverage_gained_lines", "12"), ("changes_other_files", "0"),
        ("changes_truncated", "false"), ("usage_input_tokens", "1000"), ("usage_refused", "0"),
        ("usage_cached_input_tokens", "200"), ("seconds_harness", "3.5"), ("seconds_total", "9.5"),
        ("invalid_attempts", "0"), ("spent_attempts", "1"), ("spent_input_tokens", "1000"),
        ("spent_known_output_tokens", "50"), ("findings", ""),
    ],
)  # fmt: skip
def test_a_trials_numbers(column: str, cell: str) -> None:
    assert rows(record())[0][column] == cell


@pytest.mark.parametrize(
    "column",
    ["usage_reasoning_tokens", "usage_cost_usd", "model", "would_pass", "replay_tests",
     "criteria_passed", "criterion_score"],
)  # fmt: skip
def test_unknown_is_empty(column: str) -> None:
    assert rows(record())[0][column] == ""


def test_nothing_measured_is_empty_and_nothing_gained_is_0() -> None:
    invalid, idle = rows(record(outcome="invalid"), record(measurements=measured(gained=0)))
    assert invalid["coverage_gained_lines"] == ""
    assert invalid["tests_added"] == ""
    assert idle["coverage_gained_lines"] == "0"


def test_unknown_tokens_are_empty_beside_the_known_part() -> None:
    spent = usage(unknown_usage=1, input_tokens=None, known_input_tokens=700)
    row = rows(record(spent=spent))[0]
    assert (row["usage_input_tokens"], row["usage_known_input_tokens"]) == ("", "700")


def test_a_records_missing_parts_are_empty() -> None:
    row = rows({"run": "demo", "outcome": "invalid"})[0]
    assert {k: v for k, v in row.items() if v} == {"run": "demo", "outcome": "invalid"}


def test_findings_are_named_in_one_cell() -> None:
    odd = [{"reason": r, "message": "m"} for r in ("SolvedWithoutChange", "Other")]
    assert rows({**record(), "findings": odd})[0]["findings"] == "SolvedWithoutChange Other"


def test_criteria_are_counted() -> None:
    criteria = [{"name": "a", "passed": True}, {"name": "b", "passed": False}]
    row = rows(record(criteria=criteria, criterion_score=0.5))[0]
    assert (row["criteria_passed"], row["criteria_total"], row["criterion_score"]) == (
        "1", "2", "0.5",
    )  # fmt: skip


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_text_that_a_spreadsheet_would_run_is_quoted(start: str) -> None:
    assert rows(record(message=f"{start}cmd|'/c calc'!A1"))[0]["message"].startswith("'" + start)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_text_survives(text: str) -> None:
    (row,) = rows(record(message=text))
    assert row["message"] in {text, "'" + text}
    assert not row["message"].startswith(("=", "+", "-", "@"))
    assert row["outcome"] == "success"
