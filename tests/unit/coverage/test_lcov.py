"""LCOV rows, one by one."""

import pytest

from benchwright.coverage import (
    BaseTree,
    Branches,
    CoverageError,
    CoverageReport,
    NoteKind,
    Reason,
    read,
)

BASE = BaseTree({"a.c": 9, "b,c.c": 9, "\udcff.c": 3})


def rows(*lines: str, path: str = "a.c") -> CoverageReport:
    text = "\n".join(["TN:t", f"SF:{path}", *lines, "end_of_record", ""])
    return read(text.encode("utf-8", "surrogateescape"), "lcov", BASE, root="/w")


def kinds(report: CoverageReport) -> list[NoteKind]:
    return [note.kind for note in report.notes]


@pytest.mark.parametrize(
    ("row", "covered"),
    [
        ("DA:1,1", True),
        ("DA:1,0", False),
        ("DA:1,000", False),
        ("DA:1,18446744073709551616", True),
        ("DA:1,1e3", True),
        ("DA:1,0.0", False),
        ("DA:1,2,1b2M2Y8AsgTpgAmY7PhCfg", True),
        ("DA:1," + "9" * 10_000, True),
    ],
)
def test_hits(row: str, covered: bool) -> None:
    report = rows(row)
    assert (report.files["a.c"].covered == {1}) is covered
    assert report.notes == ()


@pytest.mark.parametrize("count", ["-1", "-9223372036854775808", "nan", "-inf", "1e999", "inf"])
def test_counts_that_no_execution_has_are_not_covered_and_noted(count: str) -> None:
    """gcovr/gcovr#1075, GCC bug 68080"""
    report = rows(f"DA:1,{count}", "DA:2,1")
    assert report.files["a.c"].covered == {2}
    assert kinds(report) == [NoteKind.BAD_HITS]


def test_a_line_twice_is_covered_if_either_row_says_so() -> None:
    assert rows("DA:1,0", "DA:1,3", "DA:1,0").files["a.c"].covered == {1}


@pytest.mark.parametrize(
    ("branch", "covered"),
    [("1,0,0,-", 0), ("1,0,0,0", 0), ("1,0,0,2", 1), ("1,e0,1,1", 1), ("1,0,jump to 3, or 4,1", 1)],
)
def test_a_branch_that_was_not_reached_is_as_little_taken_as_one_with_0(
    branch: str, covered: int
) -> None:
    """foundry-rs/foundry#13151; coverage.py names branches by text, in which commas may be."""
    report = rows("DA:1,1", f"BRDA:{branch}")
    assert report.files["a.c"].branches == {1: Branches(covered, 1)}


def test_a_branch_twice_is_one_branch() -> None:
    """linux-test-project/lcov#525: doubled rows"""
    report = rows("DA:1,1", "BRDA:1,0,0,-", "BRDA:1,0,0,1", "BRDA:1,0,1,0", "BRDA:1,1,0,0")
    assert report.files["a.c"].branches == {1: Branches(1, 3)}


def test_line_0_is_none() -> None:
    """coveragepy/coveragepy#1846 wrote such branches."""
    report = rows("DA:0,1", "DA:1,1", "BRDA:0,0,0,1", "DA:-4,1")
    assert report.files["a.c"].measured == {1}
    assert report.files["a.c"].branches == {}
    assert [(note.kind, note.times) for note in report.notes] == [(NoteKind.LINE_OUT_OF_RANGE, 3)]


def test_branches_on_lines_without_hits_are_kept() -> None:
    """zgosalvez/github-actions-report-lcov#282"""
    report = rows("DA:1,1", "BRDA:5,0,0,1")
    assert report.files["a.c"].branches == {5: Branches(1, 1)}


def test_lines_beyond_the_end_of_the_file_are_dropped_and_noted() -> None:
    """linux-test-project/lcov#293"""
    report = rows("DA:9,1", "DA:10,1", "DA:11,1", "BRDA:11,0,0,1")
    assert report.files["a.c"].measured == {9}
    assert [(n.kind, n.times, n.detail) for n in report.notes] == [
        (NoteKind.LINE_OUT_OF_RANGE, 2, "up to line 11 of 9")
    ]


@pytest.mark.parametrize("path", ["b,c.c", "\udcff.c"])
def test_odd_names_survive(path: str) -> None:
    assert list(rows("DA:1,1", path=path).files) == [path]


def test_windows_line_ends_comments_blanks_and_a_mark_at_the_start() -> None:
    text = b"\xef\xbb\xbfTN:\r\n# made by hand\r\nSF:a.c\r\nDA:1,1\r\n\r\nend_of_record\r\n"
    assert read(text, "lcov", BASE, root="/w").files["a.c"].covered == {1}


def test_records_of_lcov_2_are_known_and_others_noted() -> None:
    report = rows("VER:2", "FNL:0,1,2", "FNA:0,1,f", "MCDC:1,2,t,0,1,x", "ZZZ:1", "DA:1,1")
    assert [(note.kind, note.detail) for note in report.notes] == [(NoteKind.UNKNOWN_RECORD, "ZZZ")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SF:a.c\nDA:1,1\n", "cut off"),
        ("SF:a.c\nDA:1,1\nSF:b.c\nend_of_record\n", "row 3: SF inside"),
        ("DA:1,1\n", "row 1: 'DA:1,1' outside"),
        ("end_of_record\n", "outside a record"),
        ("SF:\n", "SF without a path"),
        ("SF:a.c\nDA:1\nend_of_record", "row 2"),
        ("SF:a.c\nDA:one,1\nend_of_record", "row 2: no whole number: 'one'"),
        ("SF:a.c\nDA:1,x\nend_of_record", "row 2: no number: 'x'"),
        ("SF:a.c\nDA:1_0,1\nend_of_record", "row 2"),
        ("SF:a.c\nDA:١,1\nend_of_record", "row 2"),
        ("SF:a.c\nDA:99999999999999999999,1\nend_of_record", "row 2"),
        ("SF:a.c\nBRDA:1,0,1\nend_of_record", "row 2: BRDA with too few"),
        ("SF:a.c\nLF:many\nend_of_record", "row 2"),
        ("SF:a.c\nSegmentation fault\nend_of_record", "row 2: no LCOV"),
        ("<?xml version='1.0'?>", "row 1: no LCOV"),
        ("\ufffe\0S\0F\0", "no LCOV"),
    ],
)
def test_a_broken_file_is_an_error_that_names_the_row(text: str, message: str) -> None:
    """linux-test-project/lcov#427: corrupt files; half a report would lose lines unseen."""
    with pytest.raises(CoverageError, match=message) as error:
        read(text.encode(), "lcov", BASE, root="/w")
    assert error.value.reason is Reason.MALFORMED


@pytest.mark.parametrize(
    "text", ["", "TN:\n", "SF:a.c\nend_of_record\n", "SF:a.c\nLF:0\nend_of_record"]
)
def test_nothing_measured_is_an_error_and_never_100_percent(text: str) -> None:
    with pytest.raises(CoverageError) as error:
        read(text.encode(), "lcov", BASE, root="/w")
    assert error.value.reason is Reason.NO_MEASURABLE_LINES
