"""What each kind of task measures, in words."""

from typing import Any

import pytest

from benchwright.reports.measured import added_or_passed, lines
from tests.unit.reports.samples import measured, record
from tests.unit.reports.test_html import Page, page
from tests.unit.reports.test_text import line, shown

BARE: dict[str, Any] = {**record(), "tests": None, "coverage": None, "changes": None}
REPLAY = {"delivered": True, "tests": 109, "tests_right": True, "covered_lines": 532}
RUNNING: dict[str, Any] = {**BARE, "kind": "testRunning", "replay": REPLAY}
CRITERIA = [{"name": "a", "passed": True}, {"name": "b", "passed": False}]
REPAIR: dict[str, Any] = {
    **record(), "kind": "repair", "tests": None, "coverage": None, "criteria": CRITERIA,
    "criterion_score": 0.25,
}  # fmt: skip


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (record(), ("2 added", "2 pass, 0 fail")),
        (record(measurements=measured(added=0)), ("0 added", "0 pass, 0 fail")),
        (BARE, ("?", "")),
        (RUNNING, ("109 ran", "as labelled")),
        ({**RUNNING, "replay": {**REPLAY, "tests_right": False}}, ("109 ran", "not as labelled")),
        ({**RUNNING, "replay": {**REPLAY, "tests_right": None}}, ("109 ran", "")),
        ({**RUNNING, "replay": {**REPLAY, "tests": None}}, ("? ran", "as labelled")),
        ({**RUNNING, "replay": {"delivered": False}}, ("none", "no test command was left")),
        ({**RUNNING, "replay": None}, ("?", "")),
        (REPAIR, ("1/2 criteria", "score 0.25")),
        ({**REPAIR, "criterion_score": None}, ("1/2 criteria", "score ?")),
        ({**REPAIR, "criteria": []}, ("?", "")),
    ],
)
def test_tests_or_criteria(row: dict[str, Any], expected: tuple[str, str]) -> None:
    assert added_or_passed(row) == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (record(), ("12", "80 → 92 of 100")),
        (record(measurements=measured(gained=0)), ("0", "80 → 80 of 100")),
        (BARE, ("?", "")),
        (RUNNING, ("532", "covered by the replay")),
        ({**RUNNING, "replay": None}, ("?", "covered by the replay")),
        (REPAIR, ("–", "")),
    ],
)
def test_lines(row: dict[str, Any], expected: tuple[str, str]) -> None:
    assert lines(row) == expected


def test_broken_tests_and_lost_lines_are_not_hidden() -> None:
    row = record()
    row["tests"] |= {"broken": 3}
    row["coverage"] |= {"lost_lines": 4}
    assert added_or_passed(row) == ("2 added", "2 pass, 0 fail, 3 broken")
    assert lines(row) == ("12", "80 → 92 of 100, 4 lost")


def numbers_of(row: dict[str, Any]) -> list[str]:
    """Of the trial's row, which is the page's last."""
    return Page(page("demo", [row])).of_class("n")[-5:]


def test_what_does_not_apply_is_neither_zero_nor_unknown() -> None:
    assert line(shown(RUNNING), "pluggy")[5:8] == ["–", "–", "–"]
    assert line(shown(REPAIR), "pluggy")[5:8] == ["–", "1", "21"]
    assert line(shown(BARE), "pluggy")[5:8] == ["?", "?", "?"]
    assert numbers_of(RUNNING)[1] == "–"
    assert numbers_of(BARE)[1] == "?"
