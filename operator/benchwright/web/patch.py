"""A patch of git → files, hunks and lines, for reading (pure).

Lines of a hunk are told by its header's counts, so that no line of an agent's can pass for a
header. The text is not trusted: what does not fit ends the hunk and is shown as it is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from benchwright.web.text import cut, visible

MAX_LINES = 2000
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_NAME = re.compile(r'(?:---|\+\+\+) "?(?:[ab]/)?(.*?)"?\t?')
Kind = Literal["same", "added", "removed", "note"]
_KINDS: dict[str, Kind] = {" ": "same", "+": "added", "-": "removed", "\\": "note"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a hunk, with its numbers before and after."""

    kind: Kind
    text: str
    old: int | None = None
    new: int | None = None


@dataclass(slots=True)
class Hunk:
    """Its header, and its lines."""

    header: str
    lines: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class FilePatch:
    """What became of one file. `notes` are git's own lines: modes, renames, binary."""

    name: str
    notes: list[str] = field(default_factory=list)
    hunks: list[Hunk] = field(default_factory=list)

    def count(self, kind: Kind) -> int:
        return sum(line.kind == kind for hunk in self.hunks for line in hunk.lines)


@dataclass(frozen=True, slots=True)
class Patch:
    """The files, and whether lines at the end were left out."""

    files: list[FilePatch]
    cut: bool


def parse(text: str, max_lines: int = MAX_LINES) -> Patch:
    """Of the first `max_lines` lines."""
    lines = visible(text).split("\n")
    if lines and not lines[-1]:
        lines.pop()
    reader = _Reader()
    for line in lines[:max_lines]:
        reader.take(line)
    return Patch(reader.files, len(lines) > max_lines)


class _Reader:
    def __init__(self) -> None:
        self.files: list[FilePatch] = []
        self._old = self._new = self._old_left = self._new_left = 0

    def take(self, line: str) -> None:
        if self.files and self.files[-1].hunks and self._in_hunk(line):
            return
        if line.startswith("diff --git "):
            self.files.append(FilePatch(cut(line.removeprefix("diff --git "))))
        elif not self.files:
            self.files.append(FilePatch("", [cut(line)]))
        elif match := _HUNK.match(line):
            self._open(match, line)
        else:
            self._header(line)

    def _open(self, match: re.Match[str], line: str) -> None:
        self._old, self._new = int(match[1]), int(match[3])
        self._old_left, self._new_left = int(match[2] or 1), int(match[4] or 1)
        self.files[-1].hunks.append(Hunk(cut(line)))

    def _header(self, line: str) -> None:
        named = _NAME.fullmatch(line)
        if named is None:
            self.files[-1].notes.append(cut(line))
        elif named[1] != "/dev/null":
            self.files[-1].name = cut(named[1])

    def _in_hunk(self, line: str) -> bool:
        kind = _KINDS.get(line[:1])
        if kind == "note":
            self._add(Line("note", cut(line)))
            return True
        takes_old, takes_new = kind in {"same", "removed"}, kind in {"same", "added"}
        if kind is None or self._old_left < takes_old or self._new_left < takes_new:
            return False
        self._add(
            Line(
                kind,
                cut(line[1:]),
                self._old if takes_old else None,
                self._new if takes_new else None,
            )
        )
        self._old, self._old_left = self._old + takes_old, self._old_left - takes_old
        self._new, self._new_left = self._new + takes_new, self._new_left - takes_new
        return True

    def _add(self, line: Line) -> None:
        self.files[-1].hunks[-1].lines.append(line)


def side(file: FilePatch, kind: Kind) -> Iterator[Line]:
    """Lines before (`removed`) or after (`added`): what is coloured as one text."""
    for hunk in file.hunks:
        yield from (line for line in hunk.lines if line.kind in {"same", kind})
