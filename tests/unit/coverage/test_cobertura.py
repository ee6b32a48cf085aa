"""Cobertura elements, one by one."""

import pytest

from benchwright.coverage import (
    BaseTree,
    Branches,
    CoverageError,
    CoverageReport,
    Match,
    NoteKind,
    Reason,
    Totals,
    UnmappedReason,
    read,
)

BASE = BaseTree({"src/a.py": 9, "lib/a.py": 9, "src/b.py": 9})


def xml(body: str, root: str = "<coverage>") -> CoverageReport:
    return read(f"{root}{body}</coverage>".encode(), "cobertura", BASE, root="/w")


def lines(*rows: str, path: str = "src/a.py") -> str:
    return f'<class filename="{path}"><lines>{"".join(rows)}</lines></class>'


def line(number: object, hits: object = 1, conditions: str = "") -> str:
    more = f' branch="true" condition-coverage="{conditions}"' if conditions else ""
    return f'<line number="{number}" hits="{hits}"{more}/>'


@pytest.mark.parametrize(
    "where", ["{}", "<packages><package><classes>{}</classes></package></packages>"]
)
def test_a_class_may_be_anywhere(where: str) -> None:
    """aconrad/pycobertura#80"""
    assert xml(where.format(lines(line(1)))).files["src/a.py"].covered == {1}


def test_lines_of_methods_repeat_those_of_the_class() -> None:
    method = f"<methods><method><lines>{line(7)}</lines></method></methods>"
    body = f'<class filename="src/a.py">{method}<lines>{line(1, 0)}</lines></class>'
    assert xml(body).files["src/a.py"].measured == {1}


def test_a_class_with_lines_in_methods_alone_is_noted() -> None:
    method = f"<methods><method><lines>{line(7)}</lines></method></methods>"
    report = xml(f'<class filename="src/b.py">{method}</class>' + lines(line(1)))
    assert report.files["src/b.py"].measured == frozenset()
    assert [(note.kind, note.path) for note in report.notes] == [
        (NoteKind.METHOD_LINES_ONLY, "src/b.py")
    ]


def test_a_file_in_two_classes_is_merged_and_branches_are_not_added_up() -> None:
    """jenkinsci/cobertura-plugin#166, k1LoW/octocov#728"""
    report = xml(
        lines(line(1, 0), line(2, 1, "50% (1/2)")) + lines(line(1, 5), line(2, 0, "0% (0/2)"))
    )
    assert report.files["src/a.py"].covered == {1, 2}
    assert report.files["src/a.py"].branches == {2: Branches(1, 2)}


def test_sources_place_files_and_two_that_fit_place_none() -> None:
    """coveragepy/coveragepy#1475: of two sources with a file of one name, which is not written."""
    sources = "<sources><source>/w/src</source><source>\n /w/lib </source></sources>"
    report = xml(sources + lines(line(1), path="a.py") + lines(line(1), path="b.py"))
    assert list(report.files) == ["src/b.py"]
    assert [(u.path, u.reason) for u in report.unmapped] == [("a.py", UnmappedReason.AMBIGUOUS)]
    assert report.matched == {Match.ONE_OF_SOURCES: 1}


@pytest.mark.parametrize("source", ["", " ", ".", "./", "/w", "/w/"])
def test_an_empty_source_is_the_workspace(source: str) -> None:
    """taiki-e/cargo-llvm-cov#309"""
    body = f"<sources><source>{source}</source></sources>" + lines(line(1))
    assert list(xml(body).files) == ["src/a.py"]


def test_totals_are_recomputed_and_false_ones_noted() -> None:
    root = '<coverage lines-valid="9" lines-covered="9" line-rate="1" branches-valid="?">'
    report = xml(lines(line(1), line(2, 0)), root)
    assert report.claimed == Totals(9, 9, None, None)
    assert report.recomputed == Totals(1, 2, 0, 0)
    assert [note.detail for note in report.notes] == [
        "lines_covered: claimed 9, counted 1",
        "lines_total: claimed 9, counted 2",
    ]


@pytest.mark.parametrize(
    ("conditions", "branches"),
    [
        ("50% (1/2)", Branches(1, 2)),
        ("50 % ( 1/2 )", None),
        ("100%", None),
        ("0% (0/0)", None),
    ],
)
def test_conditions(conditions: str, branches: Branches | None) -> None:
    assert xml(lines(line(1, 1, conditions))).files["src/a.py"].branches.get(1) == branches


@pytest.mark.parametrize("conditions", ["(3/2)", "(1/99999999999)"])
def test_impossible_conditions_are_dropped_and_noted(conditions: str) -> None:
    report = xml(lines(line(1, 1, conditions)))
    assert report.files["src/a.py"].branches == {}
    assert [note.kind for note in report.notes] == [NoteKind.BAD_BRANCH]


def test_odd_hits_and_lines_are_noted() -> None:
    report = xml(lines(line(0), line(-1), line(10), line(1, "-5"), line(2, "NaN"), line(3)))
    assert report.files["src/a.py"].measured == {1, 2, 3}
    assert report.files["src/a.py"].covered == {3}
    assert {(note.kind, note.times, note.detail) for note in report.notes} == {
        (NoteKind.BAD_HITS, 2, ""),
        (NoteKind.LINE_OUT_OF_RANGE, 2, "line 0 or below"),
        (NoteKind.LINE_OUT_OF_RANGE, 1, "up to line 10 of 9"),
    }


def test_a_namespace_is_no_matter() -> None:
    assert xml(lines(line(1)), '<coverage xmlns="http://x/y">').files["src/a.py"].covered == {1}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not xml",
        "<coverage>",
        "<coverage><class filename='a'>",
        "<report/>",
        "<coverage><class/></coverage>",
        "<coverage><class filename='a'><class filename='b'/></class></coverage>",
        "<coverage>" + lines('<line hits="1"/>') + "</coverage>",
        "<coverage>" + lines('<line number="1"/>') + "</coverage>",
        f"<coverage>{lines(line('x'))}</coverage>",
        f"<coverage>{lines(line(1, 'x'))}</coverage>",
        "<coverage>&undefined;</coverage>",
        "<?xml version='1.0' encoding='no-such'?><coverage/>",
        "<?xml version='1.0' encoding='utf-7'?><coverage/>",
        "<?xml version='1.0' encoding='hex'?><coverage/>",
        "<coverage>\0</coverage>",
        "<coverage>" + "<a>" * 70 + "</a>" * 70 + "</coverage>",
        "<coverage>" + "<a>" * 1_000_000,
    ],
)
def test_a_broken_file_is_an_error(text: str) -> None:
    with pytest.raises(CoverageError) as error:
        read(text.encode(), "cobertura", BASE, root="/w")
    assert error.value.reason is Reason.MALFORMED


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY a "b">',
        '<!ENTITY a SYSTEM "http://127.0.0.1/x">',
        '<!ENTITY % a SYSTEM "http://127.0.0.1/x"> %a;',
        '<!NOTATION n SYSTEM "n"><!ENTITY a SYSTEM "x" NDATA n>',
    ],
)
def test_every_kind_of_entity_is_refused(declaration: str) -> None:
    text = f"<!DOCTYPE coverage [{declaration}]><coverage>{lines(line(1))}</coverage>"
    with pytest.raises(CoverageError) as error:
        read(text.encode(), "cobertura", BASE, root="/w")
    assert error.value.reason is Reason.REFUSED_XML


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_encodings(encoding: str) -> None:
    base = BaseTree({"naïve.py": 1})
    text = f"<?xml version='1.0' encoding='{encoding}'?><coverage>{lines(line(1), path='naïve.py')}"
    report = read(f"{text}</coverage>".encode(encoding), "cobertura", base, root="/w")
    assert list(report.files) == ["naïve.py"]


@pytest.mark.parametrize("body", ["", lines(), '<class filename="src/a.py"/>'])
def test_nothing_measured_is_an_error_and_never_100_percent(body: str) -> None:
    with pytest.raises(CoverageError) as error:
        xml(body, '<coverage line-rate="1">')
    assert error.value.reason is Reason.NO_MEASURABLE_LINES
