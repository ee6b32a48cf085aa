"""The tables of the terminal."""

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from benchwright.reports.report import of_records
from benchwright.reports.text import harness_line, results
from benchwright.reports.words import number, one_line
from tests.unit.reports.samples import measured, record, usage


def shown(*records: dict[str, Any], run: str = "demo", width: int = 200) -> str:
    console = Console(file=StringIO(), width=width, force_terminal=False)
    with console.capture() as capture:
        console.print(results(of_records(run, records)))
    return capture.get()


def line(text: str, start: str) -> list[str]:
    """Cells of the first table row that names `start`."""
    found = next(row for row in text.splitlines() if start in row)
    return [cell.strip() for cell in found.strip("│").split("│")]


def test_a_row_says_what_was_measured() -> None:
    trials = [record(index=0), record(index=1, outcome="failure", measurements=measured(gained=0))]
    assert line(shown(*trials), "pluggy") == [
        "mini", "pluggy", "1/2", "9 % – 91 %", "✓ 1 success, ✗ 1 failure", "6", "1", "21", "1,050",
        "3.5",
    ]  # fmt: skip


def test_invalid_trials_have_no_rate() -> None:
    row = line(shown(record(outcome="invalid")), "pluggy")
    assert row[2:7] == ["n/a", "no valid trial", "▨ 1 invalid", "–", "–"]


def test_unknown_is_not_zero() -> None:
    spent = usage(unknown_usage=1, input_tokens=None)
    assert line(shown(record(spent=spent)), "pluggy")[-2] == "?"
    assert line(shown(record(spent=spent), record(index=1)), "pluggy")[-2] == "1,050 (1 ?)"


def test_ends_with_the_harness_seconds_and_what_may_not_be_said() -> None:
    text = shown(*(record(index=i, harness=h) for i, h in enumerate((3.0, 4.0, 6.5))))
    assert "harness seconds a trial: median 4.0, max 6.5 (3 valid trials)" in text
    assert "✗ Too few trials to publish" in text


@pytest.mark.parametrize(
    ("harness", "expected"),
    [
        pytest.param([None], "unknown, for no valid trial has them", id="all"),
        pytest.param([2.0, None], "median 2.0, max 2.0 (1 valid trial, 1 unknown)", id="one"),
    ],
)
def test_harness_seconds_that_are_unknown(harness: list[float | None], expected: str) -> None:
    trials = [record(index=i, harness=h) for i, h in enumerate(harness)]
    assert harness_line(trials) == f"harness seconds a trial: {expected}"


def test_what_was_spent_in_all_is_said_below() -> None:
    invalid = record(index=1, outcome="invalid", attempts=[{"attempt": 1}])
    assert "tokens spent in all: 2,000 in, 100 out, 6 calls (1 invalid attempt included)" in shown(
        record(), invalid
    )


def test_what_is_odd_is_said_in_the_row_and_below() -> None:
    text = shown(
        {**record(), "findings": [{"reason": "SolvedWithoutChange", "message": "Check it"}]}
    )
    assert "! 1 SolvedWithoutChange" in line(text, "pluggy")[4]
    assert "✗ Task pluggy, 1 trial: Check it." in text


@pytest.mark.parametrize("width", [20, 40, 80])
def test_where_there_is_no_room_for_the_table_each_row_is_a_paragraph(width: int) -> None:
    trials = [record(index=0), record("z", "fix", 1, "invalid", kind="repair")]
    text = shown(*trials, width=width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    assert "mini · pluggy" in lines
    assert "z · fix" in lines
    told = " ".join(text.split())
    assert "Success 1/1 · 95 % interval 21 % – 100 % ·" in told
    assert "Tokens 1,050 · Harness s 3.5 z · fix" in told
    assert "│" not in text


def test_names_are_no_markup_and_cannot_steer_the_terminal() -> None:
    trial = {**record(), "agent": "[red]x[/red]\x1b[2J\x1b]0;title\x07"}
    text = shown(trial, run="[link=http://x]r\x9b31m")
    assert "[red]x[/red]" in text
    assert "[link=http://x]r" in text
    assert not {"\x1b", "\x9b", "\x07"} & set(text)


def test_no_record_says_so() -> None:
    assert "There is no finished trial" in shown()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb", "a b"),
        ("\x1b[31mred", "[31mred"),
        ("abc\u202edef", "abc def"),
        (None, ""),
        ("x" * 400, "x" * 299 + "…"),
    ],
)
def test_one_line(text: str | None, expected: str) -> None:
    assert one_line(text) == expected


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [(None, 0, "?"), (0, 0, "0"), (1234567, 0, "1,234,567"), (2.5, 0, "2.5"), (2, 1, "2.0")],
)
def test_number(value: float | None, digits: int, expected: str) -> None:
    assert number(value, digits) == expected
