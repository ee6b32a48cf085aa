"""coverage.py JSON, key by key."""

import json
from typing import Any

import pytest

from benchwright.coverage import (
    BaseTree,
    Branches,
    CoverageError,
    CoverageReport,
    NoteKind,
    Reason,
    Totals,
    from_json,
    read,
    to_json,
)

BASE = BaseTree({"a.py": 9, "\udcff.py": 3})


def document(path: str = "a.py", **entry: Any) -> dict[str, Any]:
    lines = {"executed_lines": [1], "missing_lines": [2]}
    return {"meta": {"format": 3}, "files": {path: lines | entry}}


def parse(value: object) -> CoverageReport:
    return read(json.dumps(value).encode(), "coveragepy-json", BASE, root="/w")


@pytest.mark.parametrize("meta", [{}, {"format": 2}, {"format": 3}])
def test_formats_1_to_3(meta: dict[str, int]) -> None:
    """coverage/jsonreport.py: "Version 1" had no format number at all."""
    report = parse(document() | {"meta": meta})
    assert report.files["a.py"].measured == {1, 2}
    assert report.files["a.py"].covered == {1}


@pytest.mark.parametrize("number", [0, 4, "3", None, True, [3]])
def test_a_format_that_is_not_known_is_refused(number: object) -> None:
    with pytest.raises(CoverageError) as error:
        parse(document() | {"meta": {"format": number}})
    assert error.value.reason is Reason.UNSUPPORTED_FORMAT


def test_branches_are_arcs_of_the_line_that_they_leave() -> None:
    report = parse(document(executed_branches=[[1, 2], [1, -1]], missing_branches=[[2, 3], [1, 3]]))
    assert report.files["a.py"].branches == {1: Branches(2, 3), 2: Branches(0, 1)}


def test_excluded_lines_are_not_measured() -> None:
    assert parse(document(excluded_lines=[3, 4])).files["a.py"].measured == {1, 2}


def test_false_totals_of_file_and_report_are_noted_and_not_used() -> None:
    lies = document(summary={"covered_lines": 9, "num_statements": 2, "num_branches": "x"})
    report = parse(lies | {"totals": {"covered_lines": 1, "num_statements": 1}})
    assert report.claimed == Totals(1, 1)
    assert [(note.kind, note.path, note.detail) for note in report.notes] == [
        (NoteKind.DISAGREES, "", "lines_total: claimed 1, counted 2"),
        (NoteKind.DISAGREES, "a.py", "lines_covered: claimed 9, counted 1"),
    ]


def test_an_absurd_claim_is_bounded_and_still_disagrees() -> None:
    report = parse(document() | {"totals": {"covered_lines": 10**4000}})
    assert report.claimed.lines_covered == 10**18
    assert len(report.notes[0].detail) < 80
    assert from_json(to_json(report)) == report


def test_lines_that_cannot_be_are_noted() -> None:
    report = parse(document(executed_lines=[-1, 0, 1, 10], executed_branches=[[-1, 1], [10, 1]]))
    assert report.files["a.py"].covered == {1}
    assert report.files["a.py"].branches == {}
    assert {(note.kind, note.times, note.detail) for note in report.notes} == {
        (NoteKind.LINE_OUT_OF_RANGE, 3, "line 0 or below"),
        (NoteKind.LINE_OUT_OF_RANGE, 1, "up to line 10 of 9"),
    }


def test_a_name_that_is_not_utf_8() -> None:
    assert list(parse(document("\udcff.py")).files) == ["\udcff.py"]


@pytest.mark.parametrize(
    "value",
    [
        [],
        "x",
        None,
        {},
        {"meta": {"format": 3}},
        {"meta": {"format": 3}, "files": []},
        {"meta": 3, "files": {}},
        {"meta": {"format": 3}, "files": {"a.py": []}},
        {"meta": {"format": 3}, "files": {"a.py": {}}},
        document(executed_lines=None),
        document(executed_lines=[True]),
        document(executed_lines=[1.0]),
        document(executed_lines=["1"]),
        document(executed_lines=[[1]]),
        document(executed_lines=[10**19]),
        document(executed_branches=[[10**19, 1]]),
        document(executed_lines=[1], missing_lines=[1]),
        document(executed_branches=[[1]]),
        document(executed_branches=[[1, "2"]]),
        document(executed_branches=[1]),
        document(missing_branches={"1": 2}),
        document("x" * 5000),
    ],
)
def test_another_shape_is_an_error(value: object) -> None:
    with pytest.raises(CoverageError) as error:
        parse(value)
    assert error.value.reason is Reason.MALFORMED


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"meta":{"format":3},"files":{"a.py":{"executed_lines":[NaN],"missing_lines":[]}}}',
        b'{"meta":{"format":3},"files":{"a.py":{"executed_lines":[1e999],"missing_lines":[]}}}',
        b'{"meta":{"format":3},"files":{"a.py":{"executed_lines":[' + b"9" * 9999 + b"]}}}",
        b'{"meta":{"format":3},"files":{"a.py":{},"a.py":{}}}',
        b"[" * 1_000_000,
        b'{"a":' * 1_000_000,
    ],
)
def test_what_is_no_json_is_an_error(text: bytes) -> None:
    with pytest.raises(CoverageError) as error:
        read(text, "coveragepy-json", BASE, root="/w")
    assert error.value.reason is Reason.MALFORMED


@pytest.mark.parametrize(
    "value",
    [
        {"meta": {"format": 3}, "files": {}, "totals": {"percent_covered": 100.0}},
        document(executed_lines=[], missing_lines=[]),
        document("other.py"),
    ],
)
def test_nothing_measured_is_an_error_and_never_100_percent(value: object) -> None:
    with pytest.raises(CoverageError) as error:
        parse(value)
    assert error.value.reason is Reason.NO_MEASURABLE_LINES
