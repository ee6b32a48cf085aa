"""Lines between two trees: git counts, and what git hides is counted again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path

from benchwright.changes.classify import PathClass, is_text_name
from benchwright.changes.gitformat import DiffLine
from benchwright.changes.lines import looks_binary, same_but_eol
from benchwright.changes.model import FileChange
from benchwright.changes.modes import SYMLINK
from benchwright.changes.numbers import Facts, file_changes

from .blobs import Blobs
from .difftree import RENAME_LIMIT, Trees
from .git import GitError

_Counts = dict[bytes, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Measured:
    """The files between two trees, renames found (`primary`) and not (`plain`). `eol`: lines of
    the primary ones with CR at line ends ignored. `renames_complete`: git compared every pair."""

    primary: Sequence[FileChange] = ()
    plain: Sequence[FileChange] = ()
    eol: Mapping[bytes, tuple[int, int]] = field(default_factory=dict)
    renames_complete: bool = True


@dataclass(frozen=True, slots=True)
class Measure:
    """A comparison of two trees. `as_text`: an attributes file that says everything is text."""

    trees: Trees
    blobs: Blobs
    classes: Mapping[bytes, PathClass]
    as_text: Path

    def run(self) -> Measured:
        """Compare. GitError where git fails or is too slow; where only finding renames is, there
        are none and it is said so."""
        lines = self.trees.lines(renames=False)
        eol = self._ignoring_eol(lines, renames=False)
        plain = self._changes(lines, eol, renames=False)
        if not {"A", "D"} <= {line.status for line in lines}:
            return Measured(plain, plain, eol)
        try:
            renamed = self.trees.lines(renames=True)
            # A rename is the only pair that the lines without renames do not have.
            pairs = [line for line in renamed if line.status == "R"]
            eol |= self._ignoring_eol(pairs, renames=True)
            primary = self._changes(renamed, eol, renames=True)
        except GitError:
            return Measured(plain, plain, eol, renames_complete=False)
        return Measured(primary, plain, eol, _all_compared(lines))

    def _changes(
        self, lines: Sequence[DiffLine], eol: _Counts, *, renames: bool
    ) -> list[FileChange]:
        recounted = self._recounted(lines, renames=renames)
        eol_only = {line.path for line in lines if self._is_eol_only(line, eol)}
        return file_changes(lines, Facts(self.classes, recounted, eol_only))

    def _recounted(self, lines: Sequence[DiffLine], *, renames: bool) -> _Counts:
        """Counts of what git took for binary only because of a NUL that the result brought in."""
        hidden = {line.path for line in lines if line.added is None and self._is_text(line)}
        if not hidden:
            return {}
        return _counts(self.trees.lines(renames=renames, as_text=self.as_text), hidden)

    def _is_text(self, line: DiffLine) -> bool:
        if is_text_name(line.path):
            return True
        known = line.status != "A" and line.old_mode != SYMLINK
        return known and not looks_binary(self.blobs.read(line.old_id))

    def _ignoring_eol(self, lines: Sequence[DiffLine], *, renames: bool) -> _Counts:
        """Of every text that was modified: its lines, with CR at line ends ignored."""
        modified = {line.path for line in lines if _is_modified_text(line)}
        if not modified:
            return {}
        return _counts(self.trees.lines(renames=renames, ignore_eol=True), modified)

    def _is_eol_only(self, line: DiffLine, eol: _Counts) -> bool:
        """A byte order mark shows as one changed line, so one line is looked at closely."""
        counts = eol.get(line.path)
        if line.status not in "MR" or counts is None or max(counts) > 1:
            return False
        if counts == (0, 0):
            return True
        return same_but_eol(self.blobs.read(line.old_id), self.blobs.read(line.new_id))


def _counts(lines: Iterable[DiffLine], paths: AbstractSet[bytes]) -> _Counts:
    return {
        line.path: (line.added, line.removed)
        for line in lines
        if line.path in paths and line.added is not None and line.removed is not None
    }


def _all_compared(plain: Iterable[DiffLine]) -> bool:
    """git compares contents while candidates are at most the limit squared (diffcore-rename.c)."""
    statuses = [line.status for line in plain]
    return statuses.count("A") * statuses.count("D") <= RENAME_LIMIT**2


def _is_modified_text(line: DiffLine) -> bool:
    linked = SYMLINK in (line.old_mode, line.new_mode)
    changed = line.status in "MR" and line.old_id != line.new_id
    return changed and not linked and line.added is not None
