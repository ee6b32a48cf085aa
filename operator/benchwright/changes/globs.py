"""Globs with git's meaning (wildmatch), as compiled regular expressions over bytes.

`*` and `?` stop at a slash; `**` as a whole component spans any number of them; `[...]` knows
ranges, `!`/`^` and POSIX classes and never matches a slash; `\\` quotes. A pattern that git would
never match (an open bracket, a lone final backslash) compiles to one that never matches. Source:
git's wildmatch.c; tests compare with `git check-ignore`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable

_NEVER = rb"(?!)"
_STAR, _ANY, _ANY_DIRECTORIES = b"[^/]*", b".*", b"(?:.*/)?"
_SLASH = 0x2F
_CLASSES: dict[bytes, frozenset[int]] = {
    b"alnum": frozenset((string.ascii_letters + string.digits).encode()),
    b"alpha": frozenset(string.ascii_letters.encode()),
    b"blank": frozenset(b" \t"),
    b"cntrl": frozenset([*range(32), 127]),
    b"digit": frozenset(string.digits.encode()),
    b"graph": frozenset(range(33, 127)),
    b"lower": frozenset(string.ascii_lowercase.encode()),
    b"print": frozenset(range(32, 127)),
    b"punct": frozenset(string.punctuation.encode()),
    b"space": frozenset(b" \t\n\r\v\f"),
    b"upper": frozenset(string.ascii_uppercase.encode()),
    b"xdigit": frozenset(string.hexdigits.encode()),
}


def compile_glob(pattern: bytes) -> re.Pattern[bytes]:
    """A regular expression (use `fullmatch`) for a whole path. Never raises."""
    return re.compile(_translate(pattern), re.DOTALL)


def compile_any(globs: Iterable[str]) -> re.Pattern[bytes]:
    """One expression for a task's list of globs.

    As in .gitignore, a glob without a slash matches a name at any depth and one with a slash is
    relative to the root; one that ends in a slash or in a name without wildcards takes everything
    below, too (`tests`, `tests/`). No `!`.
    """
    parts = [part for glob in globs for part in map(_translate, _rooted(glob.encode()))]
    return re.compile(b"|".join(parts) or _NEVER, re.DOTALL)


def _rooted(glob: bytes) -> list[bytes]:
    body = glob.removesuffix(b"/")
    anchored = b"/" in body
    body = body.removeprefix(b"/")
    body = body if anchored else b"**/" + body
    below = [body + b"/**"]
    if glob.endswith(b"/"):
        return below
    plain = not set(b"*?[\\") & set(body.rpartition(b"/")[2])
    return [body, *below] if plain else [body]


def _translate(pattern: bytes) -> bytes:
    out: list[bytes] = []
    star: int | None = None  # where `out` has the last star of this component
    at = 0
    while at < len(pattern):
        piece, at = _piece(pattern, at)
        if piece is None:
            return _NEVER
        if piece == _STAR and star is not None:
            _commit(out, star)
        if piece == _STAR:
            star = len(out)
        elif piece in (b"/", _ANY, _ANY_DIRECTORIES):
            star = None
        out.append(piece)
    return b"".join(out)


def _commit(out: list[bytes], star: int) -> None:
    """Let all but a component's last star take the first place that fits and never try another:
    the last one can make up for it, and matching stays linear (as in fnmatch.translate)."""
    out[star:] = [b"(?>[^/]*?" + b"".join(out[star + 1 :]) + b")"]


def _piece(pattern: bytes, at: int) -> tuple[bytes | None, int]:
    """The expression for what starts at `at` (None: can never match) and where the next starts."""
    char = pattern[at : at + 1]
    if char == b"*":
        return _stars(pattern, at)
    if char == b"?":
        return b"[^/]", at + 1
    if char == b"[":
        return _bracket(pattern, at + 1)
    if char == b"\\":
        quoted = pattern[at + 1 : at + 2]
        return (re.escape(quoted) if quoted else None), at + 2
    return re.escape(char), at + 1


def _stars(pattern: bytes, at: int) -> tuple[bytes, int]:
    end = at
    while pattern[end : end + 1] == b"*":
        end += 1
    opens = at == 0 or pattern[at - 1] == _SLASH
    if end - at < 2 or not opens:
        return _STAR, end
    if end == len(pattern):
        return _ANY, end
    if pattern[end] == _SLASH:
        return _ANY_DIRECTORIES, end + 1
    return _STAR, end


def _bracket(pattern: bytes, at: int) -> tuple[bytes | None, int]:
    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    members: set[int] = set()
    previous: int | None = None
    first = True
    while first or pattern[at : at + 1] != b"]":
        first = False
        if at >= len(pattern):
            return None, at
        step = _member(pattern, at, previous, members)
        if step is None:
            return None, at
        previous, at = step
    return _byte_class(members ^ set(range(256)) if negated else members), at + 1


def _member(
    pattern: bytes, at: int, previous: int | None, members: set[int]
) -> tuple[int | None, int] | None:
    """Add a bracket's next member: (what a `-` after it starts from, next index), or None."""
    char = pattern[at]
    after = pattern[at + 1 : at + 2]
    if char == 0x2D and previous is not None and after not in (b"", b"]"):  # a-z
        at += 2 if after == b"\\" else 1
        if at >= len(pattern):
            return None
        members.update(range(previous, pattern[at] + 1))
        return None, at + 1
    if char == 0x5B and after == b":":  # [:alpha:]
        close = pattern.find(b"]", at + 2)
        if close == -1:
            return None
        if pattern[close - 1 : close] == b":" and close - 1 >= at + 2:
            known = _CLASSES.get(pattern[at + 2 : close - 1])
            members.update(known or ())
            return None if known is None else (None, close + 1)
    if char == 0x5C:
        at += 1
        if at >= len(pattern):
            return None
    members.add(pattern[at])
    return pattern[at], at + 1


def _byte_class(members: set[int]) -> bytes:
    wanted = sorted(members - {_SLASH})
    return b"[" + b"".join(b"\\x%02x" % byte for byte in wanted) + b"]" if wanted else _NEVER
