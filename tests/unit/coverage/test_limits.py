"""Hostile sizes: an error in bounded time, and never a stack trace of another kind."""

import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.coverage import (
    FORMATS,
    BaseTree,
    CoverageError,
    Limits,
    Reason,
    count_lines,
    from_json,
    read,
    to_json,
)
from benchwright.coverage.errors import printable

BASE = BaseTree({"a.c": 5})
SMALL = Limits(bytes=2000, files=3, lines=6, rows=40, sources=2, path_chars=20)


def lcov(records: int = 1, lines: int = 1, path: str = "a.c") -> bytes:
    body = "".join(f"DA:{n},1\n" for n in range(1, lines + 1))
    return "".join(f"SF:{path}{n or ''}\n{body}end_of_record\n" for n in range(records)).encode()


def cobertura(classes: int = 1, lines: int = 1, sources: int = 0, path: str = "a.c") -> bytes:
    body = "".join(f'<line number="{n}" hits="1"/>' for n in range(1, lines + 1))
    each = "".join(
        f'<class filename="{path}{n or ""}"><lines>{body}</lines></class>' for n in range(classes)
    )
    return f"<coverage>{'<source>.</source>' * sources}{each}</coverage>".encode()


def json(files: int = 1, lines: int = 1, path: str = "a.c") -> bytes:
    numbers = ",".join(map(str, range(1, lines + 1)))
    entry = f'{{"executed_lines":[{numbers}],"missing_lines":[]}}'
    each = ",".join(f'"{path}{n or ""}":{entry}' for n in range(files))
    return f'{{"meta":{{"format":3}},"files":{{{each}}}}}'.encode()


MAKERS: dict[str, Callable[..., bytes]] = {
    "lcov": lcov,
    "cobertura": cobertura,
    "coveragepy-json": json,
}


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize("size", [(1, 6), (3, 2)])
def test_up_to_the_limits_a_report_is_read(name: str, size: tuple[int, int]) -> None:
    assert read(MAKERS[name](*size), name, BASE, root="/w", limits=SMALL).totals.lines_total


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize("size", [(1, 7), (3, 3), (4, 1), (1, 60), (1, 500)])
def test_beyond_any_limit_it_is_too_large(name: str, size: tuple[int, int]) -> None:
    with pytest.raises(CoverageError) as error:
        read(MAKERS[name](*size), name, BASE, root="/w", limits=SMALL)
    assert error.value.reason is Reason.TOO_LARGE


def test_oddities_are_limited() -> None:
    rows = b"".join(b"AA%c:\n" % letter for letter in range(65, 78))
    text = b"SF:a.c\nDA:1,1\n%send_of_record\n"
    assert len(read(text % rows[: 12 * 5], "lcov", BASE, root="/w", limits=SMALL).notes) == 12
    with pytest.raises(CoverageError, match="oddities"):
        read(text % rows, "lcov", BASE, root="/w", limits=SMALL)


def test_elements_are_limited() -> None:
    with pytest.raises(CoverageError, match="too many elements") as error:
        read(
            b"<coverage>" + b"<a/>" * 40 + b"</coverage>",
            "cobertura",
            BASE,
            root="/w",
            limits=SMALL,
        )
    assert error.value.reason is Reason.TOO_LARGE


def test_sources_are_limited() -> None:
    assert read(cobertura(sources=2), "cobertura", BASE, root="/w", limits=SMALL)
    with pytest.raises(CoverageError) as error:
        read(cobertura(sources=3), "cobertura", BASE, root="/w", limits=SMALL)
    assert error.value.reason is Reason.TOO_LARGE


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_path_is_limited(name: str) -> None:
    with pytest.raises(CoverageError) as error:
        read(MAKERS[name](path="x" * 21), name, BASE, root="/w", limits=SMALL)
    assert error.value.reason is Reason.MALFORMED


def test_an_unknown_format_is_named_with_those_that_are_known() -> None:
    with pytest.raises(CoverageError, match=r"'gcov'; known are cobertura, coveragepy-json, lcov"):
        read(b"", "gcov", BASE, root="/w")


@pytest.mark.parametrize("name", sorted(FORMATS))
@settings(max_examples=60)
@given(data=st.data())
def test_a_damaged_report_is_read_or_refused(name: str, data: st.DataObject) -> None:
    good = MAKERS[name](2, 3)
    start = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(start, min(len(good), start + 9)))
    damaged = good[:start] + data.draw(st.binary(max_size=4)) + good[end:]
    try:
        report = read(damaged, name, BASE, root="/w")
    except CoverageError:
        return
    assert from_json(to_json(report)) == report
    assert report.files.keys() <= {"a.c"}
    assert report.totals.lines_total


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lcov", b"SF:" + b"/" * 4000 + b"\nDA:1,1\nend_of_record\n"),
        ("lcov", b"SF:" + b"../" * 1300 + b"a.c\nDA:1,1\nend_of_record\n"),
        ("lcov", b"SF:a.c\nDA:1," + b"9" * 4_000_000 + b"e\nend_of_record\n"),
        ("lcov", b"SF:a.c\n" + b"DA:1," + b"-" * 4_000_000 + b"\nend_of_record\n"),
        ("lcov", b"#" * 4_000_000),
        ("cobertura", b"<coverage " + b"".join(b'a%d="" ' % n for n in range(90_000)) + b"/>"),
        ("cobertura", b"<coverage>" + b"<!---->" * 300_000 + b"</coverage>"),
        ("cobertura", b'<coverage a="' + b"x" * 4_000_000 + b'"/>'),
        ("cobertura", b"<coverage><source>" + b"&lt;" * 900_000 + b"</source></coverage>"),
        ("coveragepy-json", b'{"meta":{"format":' + b"1" * 4_000_000 + b"}}"),
        ("coveragepy-json", b'"' + b"\\u0000" * 600_000 + b'"'),
    ],
)
def test_a_few_megabytes_of_nonsense_take_little_time(name: str, text: bytes) -> None:
    start = time.process_time()
    with pytest.raises(CoverageError) as error:
        read(text, name, BASE, root="/w")
    assert time.process_time() - start < 5
    assert len(str(error.value)) < 500
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    ("source", "count"),
    [
        (b"", 0),
        (b"a", 1),
        (b"a\n", 1),
        (b"a\r\nb", 2),
        (b"a\rb\r", 2),
        (b"\n\n", 2),
        (b"a\x0cb", 1),
    ],
)
def test_lines_of_a_source(source: bytes, count: int) -> None:
    assert count_lines(source) == count


def test_messages_are_one_bounded_printable_line() -> None:
    assert printable("a\n\x1b[31m\udcff" + "x" * 999) == "a��[31m�" + "x" * 391 + "…"


def test_reading_xml_alone_imports_an_xml_parser() -> None:
    code = "import benchwright.coverage, benchwright.testreports, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"defusedxml", "xml", "pyexpat", "pydantic", "asyncio"}
