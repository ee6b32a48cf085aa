"""The evaluator's side: an overlay's selected files onto a fresh copy of the base.

The tar and the tree it goes to are not trusted to agree: what a selection could do harm with is
refused and named, what shows that the overlay is not the one of its manifest raises.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from benchwright.changes import paths
from benchwright.changes.model import Entry, Kind
from benchwright.changes.overlay import Selection

from . import tarfmt
from .limits import Limits
from .writeat import RefusedError, Tree


class OverlayError(ValueError):
    """The overlay is not the one that its manifest describes: altered, cut short or mixed up."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A selected path that was not written or deleted, and why (for people)."""

    path: bytes
    reason: str


@dataclass(slots=True)
class ApplyResult:
    """Counts of what was done, bytes written, and what was refused."""

    written: int = 0
    deleted: int = 0
    bytes: int = 0
    refused: list[Refused] = field(default_factory=list)


def apply(
    base_tree: Path, overlay: Path, selection: Selection, limits: Limits | None = None
) -> ApplyResult:
    """Change `base_tree` (the harness's own copy) into the base with the selection on it.

    Deletions first, then files in the overlay's order, symlinks last. Modes become 0644 or 0755.
    Paths that leave the tree or name .git, parents that are symlinks, and directories in the way
    of files are refused. OverlayError for members that are missing, doubled, not as the manifest
    says, and for more files or bytes than `limits`; TarError for what is no overlay at all.
    """
    job = _Job(selection, limits or Limits())
    with Tree(base_tree) as tree, overlay.open("rb") as source:
        job.delete(tree)
        job.extract(tree, source)
        job.link(tree)
    return job.result


class _Job:
    def __init__(self, selection: Selection, limits: Limits) -> None:
        self.result = ApplyResult()
        self.limits = limits
        self.entries = [entry for entry in selection.applied if self._is_safe(entry)]
        self.wanted = {e.path: e for e in self.entries if e.kind is not Kind.DELETED}
        self.links: list[Entry] = []
        self.seen = 0
        if len(self.wanted) > limits.max_files:
            raise OverlayError(f"{len(self.wanted)} files, at most {limits.max_files}")

    def _is_safe(self, entry: Entry) -> bool:
        problem = paths.problem(entry.path)
        if problem is not None:
            self.result.refused.append(Refused(entry.path, problem))
        return problem is None

    def delete(self, tree: Tree) -> None:
        """Remove the base files that are gone, and the directories that this empties."""
        for entry in self.entries:
            if entry.kind is Kind.DELETED:
                with self._refusing(entry):
                    tree.remove(entry.path)
                    self.result.deleted += 1

    def extract(self, tree: Tree, source: BinaryIO) -> None:
        """Write each wanted file of the tar; every one must be there once."""
        while (member := tarfmt.read_header(source)) is not None:
            self._check_size(member)
            data = source.read(member.size)
            tarfmt.skip_padding(source, member.size)
            if (entry := self.wanted.pop(member.name, None)) is None:
                continue
            _verify(entry, member, data)
            if member.target is not None:
                self.links.append(entry)
                continue
            with self._refusing(entry):
                tree.write(entry.path, data, entry.mode & 0o777)
                self._count(len(data))
        if self.wanted:
            raise OverlayError(f"{len(self.wanted)} files of the selection are not in the overlay")

    def link(self, tree: Tree) -> None:
        """Make the symlinks, when no file can be written through one any more."""
        for entry in self.links:
            with self._refusing(entry):
                tree.link(entry.path, entry.target or b"")
                self._count(0)

    def _check_size(self, member: tarfmt.Member) -> None:
        if member.size > self.limits.max_file_bytes:
            raise OverlayError(f"{paths.show(member.name)}: {member.size} bytes")
        self.seen += member.size
        if self.seen > self.limits.max_total_bytes:
            raise OverlayError(f"more than {self.limits.max_total_bytes} bytes")

    def _count(self, size: int) -> None:
        self.result.written += 1
        self.result.bytes += size

    @contextmanager
    def _refusing(self, entry: Entry) -> Iterator[None]:
        try:
            yield
        except RefusedError as error:
            self.result.refused.append(Refused(entry.path, str(error)))


def _verify(entry: Entry, member: tarfmt.Member, data: bytes) -> None:
    """The member is, byte for byte, what the manifest says of it."""
    content = data if member.target is None else member.target
    agree = (
        member.target == entry.target
        and (member.mode, len(content)) == (entry.mode, entry.size)
        and hashlib.sha256(content).hexdigest() == entry.sha256
    )
    if not agree:
        raise OverlayError(f"{paths.show(entry.path)}: not what the manifest says")
