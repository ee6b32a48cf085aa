"""Counting on bytes, for what git will not count.

git decides text or binary by a NUL in the first 8000 bytes, so one NUL hides a whole file's lines.
"""

from __future__ import annotations

from collections import Counter

_SNIFF = 8000  # buffer_is_binary in git's xdiff-interface.c
_STEP = 1 << 14
_BOM = b"\xef\xbb\xbf"


def looks_binary(data: bytes) -> bool:
    """git's own rule: a NUL among the first 8000 bytes."""
    return b"\0" in data[:_SNIFF]


def count_lines(data: bytes) -> int:
    """Lines as git counts them: an unterminated last line is one."""
    return data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))


def same_but_eol(before: bytes, after: bytes) -> bool:
    """Whether two texts differ in line endings (CRLF, LF) and a UTF-8 byte order mark alone."""
    return _plain(before) == _plain(after)


def _plain(data: bytes) -> bytes:
    return data.removeprefix(_BOM).replace(b"\r\n", b"\n")


def multiset_delta(before: bytes, after: bytes) -> tuple[int, int]:
    """(added, removed) lines, comparing the texts as bags of lines.

    A lower bound of what any diff reports (moved lines cost nothing), in linear time whatever the
    input: the fall-back where git's diff did not end in time. `added - removed` is always exact.
    """
    old, new = Counter(_split(before)), Counter(_split(after))
    return (new - old).total(), (old - new).total()


def span_delta(before: bytes, after: bytes) -> tuple[int, int]:
    """(added, removed) lines, everything between the first and the last difference replaced.

    An upper bound of what any diff reports, exact for one edit in one place. Linear time, and no
    memory to speak of: for texts of millions of lines.
    """
    start = _common_prefix(before, after)
    start = before.rfind(b"\n", 0, start) + 1
    tail = _common_suffix(before, after, min(len(before), len(after)) - start)
    ends = len(before) - tail, len(after) - tail
    if not (_at_line(before, start, ends[0]) and _at_line(after, start, ends[1])):
        newline = before.find(b"\n", ends[0])
        tail = len(before) - newline - 1 if newline != -1 else 0
        ends = len(before) - tail, len(after) - tail
    return count_lines(after[start : ends[1]]), count_lines(before[start : ends[0]])


def _at_line(data: bytes, start: int, at: int) -> bool:
    return at == start or data[at - 1 : at] == b"\n"


def _common_prefix(a: bytes, b: bytes) -> int:
    at, limit = 0, min(len(a), len(b))
    while at < limit and a[at : at + _STEP] == b[at : at + _STEP]:
        at += _STEP
    while at < limit and a[at] == b[at]:
        at += 1
    return min(at, limit)


def _common_suffix(a: bytes, b: bytes, limit: int) -> int:
    """How many bytes at the end are the same, at most `limit`."""
    at = 0
    while at + _STEP <= limit and a[-at - _STEP : -at or None] == b[-at - _STEP : -at or None]:
        at += _STEP
    while at < limit and a[-at - 1] == b[-at - 1]:
        at += 1
    return at


def _split(data: bytes) -> list[bytes]:
    # split, not splitlines: only LF ends a line for git, and the tail without one is a line too.
    parts = data.split(b"\n")
    tail = parts.pop()
    lines = [part + b"\n" for part in parts]
    return [*lines, tail] if tail else lines
