"""Rust keeps unit tests in the source file: is a change to one confined to them?

Strict on purpose, since what this says yes to crosses to the evaluator as a test: the file must end
with its `#[cfg(test)] mod … { … }` blocks, at its top level, right after a whole item, and what is
before them must be the base's to the byte. Then no other code has changed, no attribute got another
item, and the base's lines keep their numbers. Anything doubtful is a change to source.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    rb"""
      //[^\n]*
    | /\*
    | (?:br|cr|r)(?P<hashes>\#*)".*?"(?P=hashes)
    | [bc]?"(?:[^"\\]|\\.)*"
    | b?'(?:[^\\'\n\x80-\xff]|[\xc2-\xf4][\x80-\xbf]{1,3}|\\(?:x[0-9a-fA-F]{2}|u\{[^}]*\}|.))'
    | [A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*
    | \S
    """,
    re.VERBOSE | re.DOTALL,
)
_BLOCK = re.compile(
    rb"\#\s*\[\s*cfg\s*\(\s*test\s*\)\s*\]"
    rb"(?:\s*\#\s*\[[^\]\"'/]*\])*"
    rb"\s*(?:pub(?:\s*\([a-z]+\))?\s+)?mod\s+[A-Za-z_][A-Za-z0-9_]*\s*\{"
)
_COMMENT = re.compile(rb"/\*|\*/")


class _DoubtError(Exception):
    """The text is not what this lexer is sure of."""


def is_confined(before: bytes, after: bytes) -> bool:
    """Whether two versions of a Rust file differ in the test modules at their end alone."""
    try:
        return _code(before).rstrip() == _code(after).rstrip()
    except _DoubtError:
        return False


def _code(text: bytes) -> bytes:
    """What is before the test modules at the end; all of it where there are none."""
    at = depth = 0
    last = b";"  # the last token that is no comment: a file starts as after an item
    while (token := _next(text, at)) is not None:
        start, at, found = token
        if depth == 0 and last in (b";", b"}") and (block := _BLOCK.match(text, start)):
            _check_end(text, block.end())
            return text[:start]
        depth += _step(found)
        if depth < 0:
            raise _DoubtError
        last = found
    if depth:
        raise _DoubtError
    return text


def _check_end(text: bytes, at: int) -> None:
    """From inside a test module: nothing but test modules follows."""
    depth = 1
    while (token := _next(text, at)) is not None:
        start, at, found = token
        if depth == 0:
            block = _BLOCK.match(text, start)
            if block is None:
                raise _DoubtError
            depth, at = 1, block.end()
            continue
        depth += _step(found)
    if depth:
        raise _DoubtError


def _step(token: bytes) -> int:
    if token in (b"{", b"(", b"["):
        return 1
    return -1 if token in (b"}", b")", b"]") else 0


def _next(text: bytes, at: int) -> tuple[int, int, bytes] | None:
    """(start, end, token) of the next token that is no comment; None at the end."""
    while (match := _TOKEN.search(text, at)) is not None:
        token, at = match.group(), match.end()
        if token == b"/*":
            at = _after_comment(text, at)
        elif token in (b'"', b"\\"):  # a string that does not end
            raise _DoubtError
        elif not token.startswith(b"//"):
            return match.start(), at, token
    return None


def _after_comment(text: bytes, at: int) -> int:
    """The end of a block comment that was entered before `at`; they nest."""
    depth = 1
    while depth:
        match = _COMMENT.search(text, at)
        if match is None:
            raise _DoubtError
        depth += 1 if match.group() == b"/*" else -1
        at = match.end()
    return at
