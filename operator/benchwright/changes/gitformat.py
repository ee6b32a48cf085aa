"""Reading `git diff-tree -r -z --raw --numstat`: exact for every path, as -z quotes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One changed path. `status`: A, D, M, T (type change) or R (renamed from `old_path`). Ids are
    hexadecimal. `added` and `removed` are None where git takes the file for binary."""

    path: bytes
    status: str
    old_mode: int
    new_mode: int
    old_id: str
    new_id: str
    old_path: bytes | None = None
    added: int | None = 0
    removed: int | None = 0


class FormatError(ValueError):
    """git wrote something else than was asked for."""


def parse_diff(output: bytes) -> list[DiffLine]:
    """The lines of `--raw --numstat`, joined by path, in git's order.

    A path without a numstat line has no line differences (git drops such under
    `--ignore-cr-at-eol`): 0 and 0. FormatError for anything malformed.
    """
    try:
        lines, counts = _split(iter(output.split(b"\0")[:-1]))
    except (StopIteration, ValueError, IndexError) as error:
        raise FormatError(f"unexpected output of git diff-tree: {error!r}") from None
    return [_with_counts(line, counts) for line in lines]


_Counts = dict[bytes, tuple[int | None, int | None]]


def _with_counts(line: DiffLine, counts: _Counts) -> DiffLine:
    added, removed = counts.get(line.path, (0, 0))
    return replace(line, added=added, removed=removed)


def _split(tokens: Iterator[bytes]) -> tuple[list[DiffLine], _Counts]:
    lines: list[DiffLine] = []
    counts: _Counts = {}
    for token in tokens:
        if token.startswith(b":"):
            lines.append(_raw(token, tokens))
        elif token:
            path, numbers = _numstat(token, tokens)
            counts[path] = numbers
    return lines, counts


def _raw(token: bytes, tokens: Iterator[bytes]) -> DiffLine:
    """`:<mode> <mode> <id> <id> <status>[score]`, then one path, or two for a rename."""
    old_mode, new_mode, old_id, new_id, status = token[1:].decode("ascii").split(" ")
    first = next(tokens)
    renamed = status[0] in "RC"
    path = next(tokens) if renamed else first
    return DiffLine(
        path=path,
        status=status[0],
        old_mode=int(old_mode, 8),
        new_mode=int(new_mode, 8),
        old_id=old_id,
        new_id=new_id,
        old_path=first if renamed else None,
    )


def _numstat(token: bytes, tokens: Iterator[bytes]) -> tuple[bytes, tuple[int | None, int | None]]:
    """`<added>\\t<removed>\\t<path>`; for a rename an empty path and then the old and new one."""
    added, removed, path = token.split(b"\t", 2)
    if not path:
        next(tokens)
        path = next(tokens)
    return path, (_number(added), _number(removed))


def _number(text: bytes) -> int | None:
    return None if text == b"-" else int(text)
