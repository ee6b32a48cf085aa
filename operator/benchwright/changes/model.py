"""What a snapshot says: the manifest of the overlay, and the numbers of the modification.

Paths are bytes, relative to the repository's root, as the kernel gave them (`paths` has the forms
for people and JSON). Sizes are bytes. Modes are git's: 0o100644, 0o100755, 0o120000. Every list
that an agent can make long is bounded, with the count of what is not in it beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

from . import paths
from .classify import PathClass
from .codec import Document, DocumentError
from .modes import MODES, SYMLINK

_SHA256 = re.compile(r"[0-9a-f]{64}")


class Kind(StrEnum):
    """What became of a path. A type change is between a file and a symlink; a file that became a
    directory is `deleted`, what is in the directory `added`."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    TYPECHANGE = "typechange"


@dataclass(frozen=True, slots=True)
class Entry:
    """One path that differs from the base.

    `mode`, `size` and `sha256` are the result's: 0, 0 and "" where the path was deleted. For a
    symlink, size and digest are its target's. `base_mode` is 0 where the base has no such path.
    `flags`: `symlink_absolute`, `symlink_escapes` (leaves the tree), `setuid` (dropped on
    applying), `base_ignored` (a test that the base's .gitignore would hide), `inline_tests` (a Rust
    source of which nothing but the test modules at its end changed: of class test therefore).
    """

    path: bytes
    kind: Kind
    cls: PathClass
    mode: int
    size: int
    sha256: str
    base_mode: int = 0
    target: bytes | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something seen that is not in the overlay, and why: a limit's name, `unreadable`, or the
    kind of special file."""

    path: bytes
    reason: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Ignored:
    """Untracked files that the BASE's .gitignore ignores. They do not cross, but for tests,
    which are entries (`test_files` of them, not in `files`). Where `complete` is False, `files` and
    `size` are lower bounds: the rest lies in vendored or generated directories."""

    files: int = 0
    size: int = 0
    test_files: int = 0
    complete: bool = True
    sample: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest(Document):
    """What overlay.tar holds and what it does not.

    `truncated`: the agent's result is not wholly known, because a limit was reached (`limits`
    names each) or something was `unreadable`. Then what is `left_out` (a bounded list of
    `left_out_files`, of which `left_out_tests` are or may hold tests) is neither in the overlay nor
    in the numbers; base files among it stay as they are in the base. Special files and nested `.git`
    never cross and truncate nothing.
    """

    base: str
    entries: tuple[Entry, ...] = ()
    ignored: Ignored = field(default_factory=Ignored)
    special_files: int = 0
    special: tuple[LeftOut, ...] = ()
    nested_git_dirs: int = 0
    nested_git: tuple[bytes, ...] = ()
    left_out_files: int = 0
    left_out_tests: int = 0
    left_out: tuple[LeftOut, ...] = ()
    limits: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    truncated: bool = False

    def check(self) -> None:
        """Every entry is one that a snapshot could have made, and no path is there twice."""
        for entry in self.entries:
            if (found := _entry_problem(entry)) is not None:
                raise DocumentError(f"entry {paths.show(entry.path)}: {found}")
        if len({entry.path for entry in self.entries}) != len(self.entries):
            raise DocumentError("a path is there twice")


def _entry_problem(entry: Entry) -> str | None:
    if (found := paths.problem(entry.path)) is not None:
        return found
    if entry.kind is Kind.DELETED:
        gone = (entry.mode, entry.size, entry.sha256, entry.target) == (0, 0, "", None)
        return None if gone else "deleted, but with content"
    if entry.mode not in MODES or not _SHA256.fullmatch(entry.sha256):
        return "not a mode and digest"
    linked = entry.target is not None
    return None if linked == (entry.mode == SYMLINK) else "target and mode disagree"


@dataclass(frozen=True, slots=True)
class Tally:
    """Files and lines."""

    files: int = 0
    added: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file's numbers. `old_path` where it was renamed. `flags`: `binary`, `eol_only`,
    `mode_only`, `pure_move`, `symlink`, `typechange`, `nul` (lines counted although a NUL hides
    them from git), `bulk` (too many lines to compare: an upper bound), `multiset`."""

    path: bytes
    kind: Kind
    cls: PathClass
    added: int
    removed: int
    old_path: bytes | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changes(Document):
    """The numbers of a modification (see `numbers.summarise` for what each counts and how).

    The primary numbers are `files`, `added`, `removed`: renames found (git's -M50%), without
    generated, vendored and ignored files, binary files and eol-only changes counted as files
    without lines. `changed` lists the files, excluded ones too; where it was cut
    `changed_complete` is False, but no number is.
    """

    files: int = 0
    added: int = 0
    removed: int = 0
    test_files: int = 0
    other_files: int = 0
    by_class: dict[PathClass, Tally] = field(default_factory=dict)
    no_renames: Tally = field(default_factory=Tally)
    ignoring_eol: Tally = field(default_factory=Tally)
    renamed_files: int = 0
    pure_moves: int = 0
    binary_files: int = 0
    binary_bytes: int = 0
    eol_only: Tally = field(default_factory=Tally)
    mode_only_files: int = 0
    symlink_files: int = 0
    typechange_files: int = 0
    nul_files: int = 0
    bulk_files: int = 0
    excluded: Tally = field(default_factory=Tally)
    ignored_files: int = 0
    ignored_bytes: int = 0
    method: str = "git-myers"
    renames_complete: bool = True
    truncated: bool = False
    changed_complete: bool = True
    changed: tuple[FileChange, ...] = ()
