"""Counting files without git's diff: those with too many lines, and all where git failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from benchwright.changes.classify import is_text_name
from benchwright.changes.lines import (
    count_lines,
    looks_binary,
    multiset_delta,
    same_but_eol,
    span_delta,
)
from benchwright.changes.model import Entry, FileChange, Kind
from benchwright.changes.modes import SYMLINK

from . import tarfmt
from .baserepo import BaseTree
from .blobs import Blobs


def count(
    blobs: Blobs, base: BaseTree, overlay: Path, entries: Iterable[Entry], max_lines: int
) -> list[FileChange]:
    """A `FileChange` for each entry, in the order of paths, comparing the base's blob with the
    content in `overlay`. Lines are bags (`multiset`); of a file of more than `max_lines` lines
    all between the first and the last change count (`bulk`). GitError where the base cannot be read."""
    changes = []
    for entry, after in _with_content(overlay, {entry.path: entry for entry in entries}):
        regular = entry.base_mode not in (0, SYMLINK)
        before = blobs.read(base[entry.path].id) if regular else None
        changes.append(_change(entry, before, after, max_lines))
    return sorted(changes, key=lambda change: change.path)


def _with_content(
    overlay: Path, wanted: dict[bytes, Entry]
) -> Iterator[tuple[Entry, bytes | None]]:
    """Each entry with its file's content; None for a symlink or a deleted file."""
    yield from ((entry, None) for entry in wanted.values() if entry.mode in (0, SYMLINK))
    with overlay.open("rb") as source:
        while (member := tarfmt.read_header(source)) is not None:
            data = source.read(member.size)
            tarfmt.skip_padding(source, member.size)
            if member.target is None and member.name in wanted:
                yield wanted[member.name], data


def _change(entry: Entry, before: bytes | None, after: bytes | None, max_lines: int) -> FileChange:
    flags = _shape(entry, before, after)
    added = removed = 0
    if not _is_text(entry.path, before, after):
        flags.append("binary")
    else:
        added, removed, how = _delta(before or b"", after or b"", max_lines)
        flags += how
    return FileChange(entry.path, entry.kind, entry.cls, added, removed, flags=tuple(flags))


def _shape(entry: Entry, before: bytes | None, after: bytes | None) -> list[str]:
    linked = SYMLINK in (entry.mode, entry.base_mode)
    modified = before is not None and after is not None
    conditions = (
        ("typechange", entry.kind is Kind.TYPECHANGE),
        ("symlink", linked),
        ("mode_only", modified and before == after),
        ("eol_only", modified and before != after and same_but_eol(before or b"", after or b"")),
    )
    return [name for name, holds in conditions if holds]


def _is_text(path: bytes, before: bytes | None, after: bytes | None) -> bool:
    """By the base where there is one: a NUL added to a text does not make its lines vanish."""
    if is_text_name(path):
        return True
    return not looks_binary(before if before is not None else after or b"")


def _delta(before: bytes, after: bytes, max_lines: int) -> tuple[int, int, list[str]]:
    if before == after:
        return 0, 0, []
    if max(count_lines(before), count_lines(after)) > max_lines:
        return *span_delta(before, after), ["bulk"]
    return *multiset_delta(before, after), ["multiset"]
