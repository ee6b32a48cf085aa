"""Every sample report, against counts of an independent parser and the tools' own claims."""

from typing import Any

import pytest

from benchwright.coverage import (
    BaseTree,
    CoverageError,
    Match,
    NoteKind,
    Reason,
    Totals,
    UnmappedReason,
    read,
)
from tests.unit.coverage.samples import C, data, expected, sample

OUTSIDE_ONLY = {"traps/lcov-lies.info"}


@pytest.mark.parametrize(
    "row", [r for r in expected() if r["file"] not in OUTSIDE_ONLY], ids=lambda row: row["file"]
)
def test_counts_are_those_of_the_independent_parser(row: dict[str, Any]) -> None:
    report = sample(row["file"])
    counts = Totals(
        row["lines_covered"], row["lines_total"], row["branches_covered"], row["branches_total"]
    )
    assert report.recomputed == counts
    assert report.totals == counts


@pytest.mark.parametrize("name", ["line", "branch"])
def test_three_formats_of_one_run_of_coveragepy_give_the_same_sets(name: str) -> None:
    json, xml, lcov = (sample(f"coveragepy/{name}.{end}").files for end in ("json", "xml", "lcov"))
    assert json == xml == lcov
    assert sorted(json["src/pkg/calc.py"].measured - json["src/pkg/calc.py"].covered) == [
        *(5, 12, 13, 29, 30, 31)
    ]
    assert json["src/pkg/naïve.py"].covered == {1, 2}


def test_an_empty_file_is_neither_100_percent_nor_in_the_way() -> None:
    assert sample("coveragepy/line.json").files["src/pkg/__init__.py"].measured == frozenset()


@pytest.mark.parametrize("tool", ["nyc", "c8"])
def test_lcov_and_cobertura_of_istanbul_agree_on_lines(tool: str) -> None:
    lcov, xml = sample(f"js/{tool}/lcov.info"), sample(f"js/{tool}/cobertura-coverage.xml")
    assert lcov.files == xml.files


def test_a_c_header_in_two_records_is_one_file_20_rows_are_16_lines() -> None:
    raw, gcovr = sample("c/lcov.info"), sample("c/gcovr.lcov")
    assert raw.totals == gcovr.totals
    assert raw.matched == {Match.ROOT: 3}
    assert raw.claimed == Totals()  # lcov 1.16 writes no LF, LH, BRF, BRH into a capture


def test_dots_in_the_path_of_a_record_are_resolved() -> None:
    assert sorted(sample("c/llvm-cov.lcov").files) == ["calc.c", "calc.h", "main.c"]


def test_llvm_claims_fewer_branches_than_it_lists() -> None:
    report = sample("c/llvm-cov.lcov")
    assert (report.claimed.branches_total, report.recomputed.branches_total) == (16, 18)
    assert {(n.path[-6:], n.detail) for n in report.notes if n.kind is NoteKind.DISAGREES} == {
        ("calc.h", "branches_total: claimed 2, counted 4"),
        ("calc.h", "branches_covered: claimed 1, counted 2"),
    }


@pytest.mark.parametrize(
    "name",
    [
        *("coveragepy/line.json", "coveragepy/branch.json", "coveragepy/branch.xml"),
        *("coveragepy/branch.lcov", "js/c8/lcov.info", "c/gcovr-cobertura.xml", "c/gcovr.lcov"),
    ],
)
def test_an_honest_report_disagrees_with_itself_nowhere(name: str) -> None:
    report = sample(name)
    assert report.notes == ()
    assert report.claimed.lines_total == report.recomputed.lines_total


def test_without_source_tests_are_counted_and_never_imported_files_are_not() -> None:
    report = sample("coveragepy/nosource.xml")
    assert "tests/test_calc.py" in report.files
    assert "src/pkg/never.py" not in report.files


def test_a_line_of_two_classes_counts_once_with_the_larger_hits() -> None:
    """aconrad/pycobertura#112: 5 statements, where the file has 4."""
    report = sample("traps/cobertura-dup-class.xml")
    assert report.files["p/Outer.kt"].measured == {1, 2, 3, 4}
    assert report.files["p/Outer.kt"].covered == {1, 2, 3}


@pytest.mark.parametrize("name", ["xxe", "entity-bomb"])
def test_entities_are_refused(name: str) -> None:
    with pytest.raises(CoverageError) as refused:
        read(data(f"traps/cobertura-{name}.xml"), "cobertura", BaseTree({"c.py": 1}), root="/w")
    assert refused.value.reason is Reason.REFUSED_XML


def test_a_doctype_that_names_a_dtd_is_read_without_network() -> None:
    """jenkinsci/code-coverage-api-plugin#162, uber-archive/phabricator-jenkins-plugin#234"""
    assert sample("traps/cobertura-benign-doctype.xml").totals.lines_total == 1


def test_a_file_in_records_of_two_tests_is_the_union_and_each_record_keeps_its_word() -> None:
    report = sample("traps/lcov-two-tests-same-file.info")
    assert report.files["src/a.c"].covered == {1, 2}
    assert report.claimed.lines_total == 4
    assert report.notes == ()


def test_a_report_of_lies_about_a_file_outside_is_no_measurement() -> None:
    with pytest.raises(CoverageError, match=r"\.\./outside\.c \(outside\)") as refused:
        read(data("traps/lcov-lies.info"), "lcov", BaseTree({"src/a.c": 4}), root="/w")
    assert refused.value.reason is Reason.NO_MEASURABLE_LINES


def test_of_lies_what_the_base_does_not_have_is_dropped_and_listed() -> None:
    lies = data("traps/lcov-lies.info") + b"SF:src/a.c\nDA:1,1\nend_of_record\n"
    both = lies.replace(b"SF:../outside.c", b"SF:lies.c")
    report = read(both, "lcov", BaseTree({"lies.c": 4, "src/a.c": 4}), root="/w")
    assert report.files["lies.c"].measured == {1, 3, 4}
    assert report.files["lies.c"].covered == {1, 4}
    assert [(note.kind, note.times, note.detail) for note in report.notes] == [
        (NoteKind.BAD_HITS, 1, ""),
        (NoteKind.DISAGREES, 1, "lines_covered: claimed 100, counted 3"),
        (NoteKind.DISAGREES, 1, "lines_total: claimed 100, counted 4"),
        (NoteKind.LINE_OUT_OF_RANGE, 1, "up to line 999999 of 4"),
    ]
    outside = read(lies, "lcov", BaseTree({"outside.c": 4, "src/a.c": 4}), root="/w")
    assert [(u.path, u.reason) for u in outside.unmapped] == [
        ("../outside.c", UnmappedReason.OUTSIDE)
    ]


def test_lies_add_up_as_the_independent_parser_has_them() -> None:
    row = next(r for r in expected() if r["file"] == "traps/lcov-lies.info")
    good = b"SF:calc.c\nend_of_record\n"
    report = read(
        data(row["file"]).replace(b"../outside.c", b"calc.c") + good, "lcov", C, root="/w"
    )
    assert report.recomputed == Totals(
        row["lines_covered"], row["lines_total"], row["branches_covered"], row["branches_total"]
    )


def test_clover_in_the_place_of_cobertura_is_named() -> None:
    with pytest.raises(CoverageError, match="Clover") as refused:
        read(data("traps/clover-phpunit.xml"), "cobertura", C, root="/app")
    assert refused.value.reason is Reason.UNSUPPORTED_FORMAT
