"""git's -z output, path by path."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.changes.gitformat import DiffLine, FormatError, parse_diff

A, B, Z = "a" * 40, "b" * 40, "0" * 40


def raw(status: str, *paths: bytes, modes: str = "100644 100644", ids: str = f"{A} {B}") -> bytes:
    return f":{modes} {ids} {status}".encode() + b"".join(b"\0" + path for path in paths) + b"\0"


def test_raw_and_numstat_are_joined_by_path() -> None:
    output = (
        raw("M", b"a\nb")
        + raw("R087", b":old", b"1\t2\tnew")
        + raw("A", b"bin", modes="000000 100755", ids=f"{Z} {B}")
        + raw("T", b"quiet", modes="100644 120000")
        + b"3\t4\ta\nb\0"
        + b"1\t0\t\0:old\x001\t2\tnew\0"
        + b"-\t-\tbin\0"
    )
    modified, renamed, binary, quiet = parse_diff(output)
    assert modified == DiffLine(b"a\nb", "M", 0o100644, 0o100644, A, B, None, 3, 4)
    assert renamed == DiffLine(b"1\t2\tnew", "R", 0o100644, 0o100644, A, B, b":old", 1, 0)
    assert binary == DiffLine(b"bin", "A", 0, 0o100755, Z, B, None, None, None)
    assert (quiet.status, quiet.added, quiet.removed) == ("T", 0, 0)


def test_nothing_is_nothing() -> None:
    assert parse_diff(b"") == []


@pytest.mark.parametrize(
    "output",
    [
        b":100644 100644 a b M\0",
        b":x y z\0a\0",
        b"1\t2\0",
        b"x\ty\tz\0",
        b":\xff a b c d\0e\0",
        raw("R100", b"a"),
        b"1\t2\t\0old\0",
        b":100644 100644 a b \0p\0",
    ],
)
def test_anything_else_raises(output: bytes) -> None:
    with pytest.raises(FormatError):
        parse_diff(output)


@given(st.binary(max_size=80))
def test_junk_never_raises_anything_else(output: bytes) -> None:
    with contextlib.suppress(FormatError):
        parse_diff(output)
