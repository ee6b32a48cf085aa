"""What of a snapshot crosses to the evaluator's pristine base. Pure: told from the manifest alone.

Everything that does not cross is listed with the reason, so that a reviewer sees what an agent
did besides (research/coverage-compose-git.md §1c: source deletions and configuration edits are
how coverage is gamed).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .classify import TESTS, PathClass
from .model import Changes, Entry, Kind, Manifest
from .paths import parents


class Policy(StrEnum):
    """`tests_only`: tests and support, added or modified. `everything`: all (repair tasks)."""

    TESTS_ONLY = "tests_only"
    EVERYTHING = "everything"


@dataclass(frozen=True, slots=True)
class Dropped:
    """An entry that does not cross. `reason`: `deletion`, `class:<class>`, `symlink_absolute`,
    `symlink_escapes` or `needs_deletion` (its place is taken by a base file that stays)."""

    entry: Entry
    reason: str


@dataclass(frozen=True, slots=True)
class Flag:
    """An entry that crosses and that a reviewer should see. `reason`: `test_config`,
    `collection_hook` (conftest.py: can change what passes), or one of the entry's own flags."""

    entry: Entry
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """`applied` in the manifest's order. `complete` is False where something that
    the policy would apply was left out of the snapshot, or may have been."""

    policy: Policy
    applied: tuple[Entry, ...]
    dropped: tuple[Dropped, ...] = ()
    flags: tuple[Flag, ...] = ()
    complete: bool = True


def select(manifest: Manifest, policy: Policy) -> Selection:
    """Divide the manifest's entries into those that cross and those that do not."""
    reasons = {entry.path: _reason(entry, policy) for entry in manifest.entries}
    for entry in _blocked(manifest, reasons):
        reasons[entry.path] = "needs_deletion"
    applied = tuple(entry for entry in manifest.entries if reasons[entry.path] is None)
    dropped = tuple(
        Dropped(entry, reason)
        for entry in manifest.entries
        if (reason := reasons[entry.path]) is not None
    )
    flags = tuple(Flag(entry, reason) for entry in applied for reason in _flags(entry))
    lost = manifest.left_out_tests if policy is Policy.TESTS_ONLY else manifest.left_out_files
    return Selection(policy, applied, dropped, flags, complete=lost == 0)


def tests_may_cross(changes: Changes) -> bool:
    """Whether `tests_only` may have anything to apply, told from the numbers: False is certain.

    What was left out of the snapshot is in neither, and crosses as little as a deletion does.
    """
    tests = [change for change in changes.changed if change.cls in TESTS]
    if len(tests) == changes.test_files:
        return any(change.kind is not Kind.DELETED for change in tests)
    return changes.test_files > 0


def _reason(entry: Entry, policy: Policy) -> str | None:
    if policy is Policy.EVERYTHING:
        return None
    if entry.kind is Kind.DELETED:
        return "deletion"
    if entry.cls not in TESTS:
        return f"class:{entry.cls}"
    links = [flag for flag in entry.flags if flag.startswith("symlink_")]
    return links[0] if links else None


def _blocked(manifest: Manifest, reasons: dict[bytes, str | None]) -> list[Entry]:
    """Entries that would cross, but whose path a base file holds whose deletion was dropped: the
    file where a directory must be, or the directory's content where a file must be."""
    kept = {e.path for e in manifest.entries if e.kind is Kind.DELETED and reasons[e.path]}
    occupied = {parent for path in kept for parent in parents(path)}
    return [
        entry
        for entry in manifest.entries
        if reasons[entry.path] is None
        and (entry.path in occupied or not kept.isdisjoint(parents(entry.path)))
    ]


def _flags(entry: Entry) -> list[str]:
    found = list(entry.flags)
    if entry.cls is PathClass.TEST_CONFIG:
        found.append("test_config")
    if entry.path.rpartition(b"/")[2] == b"conftest.py" and entry.kind is not Kind.DELETED:
        found.append("collection_hook")
    return found
