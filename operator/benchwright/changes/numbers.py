"""The numbers of a modification, from what git said and what git hides.

Who counts what:
- Lines of text: git's numstat (Myers, no heuristics that change counts), so that anyone can get
  the same with `git diff --numstat` on the published patch.
- Files that git calls binary although the base was text, or although the name is program text:
  one NUL would hide every line. They are counted as text (`recounted`) and flagged `nul`.
- Symlinks: git counts a target as one line; here a symlink has none and is counted apart.
- Binary files, files that differ in line endings or a byte order mark alone, and mode changes are
  files without lines, each counted apart.
- Files with too many lines for git: all between the first and the last change, an upper bound,
  flagged `bulk`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from .classify import EXCLUDED, TESTS, PathClass
from .gitformat import DiffLine
from .model import Changes, FileChange, Ignored, Kind, Tally
from .modes import SYMLINK

MAX_LISTED = 2000
_KINDS = {"A": Kind.ADDED, "D": Kind.DELETED, "T": Kind.TYPECHANGE}
_EOL = "eol_only"


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known beside git's lines. Keys are the paths that the files have now.

    `classes`: of every changed path. `recounted`: (added, removed) of files that git called
    binary and that are text. `eol_only`: files that differ in line ends or a byte order mark alone.
    """

    classes: Mapping[bytes, PathClass]
    recounted: Mapping[bytes, tuple[int, int]] = field(default_factory=dict)
    eol_only: AbstractSet[bytes] = frozenset()


def file_changes(lines: Iterable[DiffLine], facts: Facts) -> list[FileChange]:
    """One `FileChange` a line, with git's blind spots corrected."""
    return [_file_change(line, facts) for line in lines]


def _file_change(line: DiffLine, facts: Facts) -> FileChange:
    added, removed = _lines_of(line, facts)
    return FileChange(
        path=line.path,
        kind=_KINDS.get(line.status, Kind.MODIFIED),
        cls=facts.classes[line.path],
        added=added,
        removed=removed,
        old_path=line.old_path,
        flags=_flags_of(line, facts),
    )


def _lines_of(line: DiffLine, facts: Facts) -> tuple[int, int]:
    added, removed = line.added, line.removed
    if added is None or removed is None:
        added, removed = facts.recounted.get(line.path, (0, 0))
    return (
        0 if line.new_mode == SYMLINK else added,
        0 if line.old_mode == SYMLINK else removed,
    )


def _flags_of(line: DiffLine, facts: Facts) -> tuple[str, ...]:
    same = line.old_id == line.new_id
    conditions = (
        ("typechange", line.status == "T"),
        ("symlink", SYMLINK in (line.old_mode, line.new_mode)),
        ("nul", line.path in facts.recounted),
        ("binary", line.added is None and line.path not in facts.recounted),
        ("mode_only", same and line.old_path is None),
        ("pure_move", same and line.old_path is not None),
        (_EOL, line.path in facts.eol_only),
    )
    return tuple(name for name, holds in conditions if holds)


@dataclass(frozen=True, slots=True)
class Counted:
    """All that `summarise` adds up. `primary`: renames found; `plain`: the same with none;
    `excluded`: generated and vendored files. `eol`: (added, removed) of primary files with CR at
    line ends ignored, where that differs. `sizes`: bytes of the result's files."""

    primary: Sequence[FileChange]
    plain: Sequence[FileChange]
    excluded: Sequence[FileChange] = ()
    eol: Mapping[bytes, tuple[int, int]] = field(default_factory=dict)
    sizes: Mapping[bytes, int] = field(default_factory=dict)
    ignored: Ignored = field(default_factory=Ignored)
    method: str = "git-myers"
    renames_complete: bool = True
    truncated: bool = False


def summarise(counted: Counted) -> Changes:
    """Add up. `files` counts every file of the classes that count, whatever its flags; lines of
    eol-only files are in `eol_only` and not in `added` and `removed`. `test_files` are tests and
    their support. A renamed file has the class of where it is now."""
    primary = counted.primary
    total = _tally(primary)
    tests = sum(change.cls in TESTS for change in primary)
    everything = [*primary, *counted.excluded]
    return Changes(
        files=total.files,
        added=total.added,
        removed=total.removed,
        test_files=tests,
        other_files=total.files - tests,
        by_class=_by_class(everything),
        no_renames=_tally(counted.plain),
        ignoring_eol=_ignoring_eol(primary, counted.eol),
        renamed_files=sum(change.old_path is not None for change in primary),
        pure_moves=_flagged(primary, "pure_move"),
        binary_files=_flagged(primary, "binary"),
        binary_bytes=sum(counted.sizes.get(c.path, 0) for c in primary if "binary" in c.flags),
        eol_only=_eol_tally(primary),
        mode_only_files=_flagged(primary, "mode_only"),
        symlink_files=_flagged(primary, "symlink"),
        typechange_files=_flagged(primary, "typechange"),
        nul_files=_flagged(primary, "nul"),
        bulk_files=_flagged(primary, "bulk"),
        excluded=_tally(counted.excluded),
        ignored_files=counted.ignored.files,
        ignored_bytes=counted.ignored.size,
        method=counted.method,
        renames_complete=counted.renames_complete,
        truncated=counted.truncated,
        changed_complete=len(everything) <= MAX_LISTED,
        changed=tuple(everything[:MAX_LISTED]),
    )


def _tally(changes: Sequence[FileChange]) -> Tally:
    """Every file, and the lines of those that did not change in line endings alone."""
    real = [change for change in changes if _EOL not in change.flags]
    return Tally(
        files=len(changes),
        added=sum(change.added for change in real),
        removed=sum(change.removed for change in real),
    )


def _eol_tally(changes: Sequence[FileChange]) -> Tally:
    found = [change for change in changes if _EOL in change.flags]
    return Tally(len(found), sum(c.added for c in found), sum(c.removed for c in found))


def _ignoring_eol(changes: Sequence[FileChange], eol: Mapping[bytes, tuple[int, int]]) -> Tally:
    """As if CR before LF were not there; eol-only files are no files here."""
    real = [change for change in changes if _EOL not in change.flags]
    lines = [eol.get(change.path, (change.added, change.removed)) for change in real]
    return Tally(len(real), sum(a for a, _ in lines), sum(r for _, r in lines))


def _by_class(changes: Sequence[FileChange]) -> dict[PathClass, Tally]:
    found: dict[PathClass, list[FileChange]] = {}
    for change in changes:
        found.setdefault(change.cls, []).append(change)
    return {cls: _tally(found[cls]) for cls in sorted(found)}


def _flagged(changes: Sequence[FileChange], flag: str) -> int:
    return sum(flag in change.flags for change in changes)


def is_counted(cls: PathClass) -> bool:
    """Whether files of this class are in the primary numbers."""
    return cls not in EXCLUDED
