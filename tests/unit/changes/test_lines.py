"""Counting on bytes, against a second way of counting."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.changes import lines

TEXT = st.lists(st.sampled_from([b"a\n", b"b\n", b"\r\n", b"\n", b"\r", b"x"])).map(b"".join)


@given(TEXT)
def test_lines_are_what_a_file_has(data: bytes) -> None:
    assert lines.count_lines(data) == len(list(io.BytesIO(data)))


@given(TEXT, TEXT)
def test_bags_of_lines_balance_and_swap(before: bytes, after: bytes) -> None:
    added, removed = lines.multiset_delta(before, after)
    assert added - removed == lines.count_lines(after) - lines.count_lines(before)
    assert lines.multiset_delta(after, before) == (removed, added)
    assert lines.multiset_delta(before, before) == (0, 0)


@given(TEXT, TEXT, TEXT, TEXT)
def test_spans_balance_and_bound_what_is_between(
    head: bytes, tail: bytes, before: bytes, after: bytes
) -> None:
    head = head + b"\n" if head and not head.endswith(b"\n") else head
    added, removed = lines.span_delta(head + before + tail, head + after + tail)
    whole = [lines.count_lines(head + middle + tail) for middle in (before, after)]
    assert added - removed == whole[1] - whole[0]
    least = lines.multiset_delta(head + before + tail, head + after + tail)
    assert (added, removed) >= least
    assert added >= least[0]
    assert removed >= least[1]
    assert lines.span_delta(head + after + tail, head + before + tail) == (removed, added)
    assert lines.span_delta(before, before) == (0, 0)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (b"a\nb\n", b"a\nX\nb\n", (1, 0)),
        (b"a\nb\nc\n", b"a\nc\n", (0, 1)),
        (b"a\nb\nc\n", b"a\nbx\nc\n", (1, 1)),
        (b"a\nb\nc\n", b"a\nxb\nc\n", (1, 1)),
        (b"a\na\n", b"a\na\na\n", (1, 0)),
        (b"x\n" * 50_000, b"x\n" * 25_000 + b"y\n" + b"x\n" * 25_000, (1, 0)),
        (b"a", b"a\n", (1, 1)),
        (b"", b"a\nb", (2, 0)),
    ],
)
def test_spans(before: bytes, after: bytes, expected: tuple[int, int]) -> None:
    assert lines.span_delta(before, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (b"", b"a\n", (1, 0)),
        (b"a\n", b"a", (1, 1)),
        (b"a\nb\n", b"b\na\n", (0, 0)),
        (b"a\na\n", b"a\n", (0, 1)),
    ],
)
def test_bags_of_lines(before: bytes, after: bytes, expected: tuple[int, int]) -> None:
    assert lines.multiset_delta(before, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        (b"a\nb\n", b"a\r\nb\r\n", True),
        (b"a\r\nb\n", b"a\nb\n", True),
        (b"\xef\xbb\xbfa\n", b"a\n", True),
        (b"a\n", b"a", False),
        (b"a\rb", b"a\nb", False),
        (b"a \n", b"a\n", False),
    ],
)
def test_what_is_a_change_of_line_endings_alone(before: bytes, after: bytes, same: bool) -> None:
    assert lines.same_but_eol(before, after) is same


def test_binary_is_a_nul_in_the_first_8000_bytes() -> None:
    assert lines.looks_binary(b"a" * 7999 + b"\0")
    assert not lines.looks_binary(b"a" * 8000 + b"\0")
    assert not lines.looks_binary(b"")
