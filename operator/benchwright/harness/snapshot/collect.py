"""From what the walk found to overlay.tar, the manifest's entries and blobs to diff.

What is most worth keeping goes first (tests, then their support, then changed base files), so that
a budget that runs out takes the rest. Each file is read once.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import BinaryIO

from benchwright.changes.classify import PathClass
from benchwright.changes.model import Entry, Kind
from benchwright.changes.modes import SYMLINK
from benchwright.changes.paths import link_problem

from . import openat, tarfmt
from .baserepo import BaseTree
from .compare import Found
from .limits import Ledger, Limits
from .rules import Walked

_RANK = {cls: rank for rank, cls in enumerate(PathClass)}


@dataclass(slots=True)
class Collector:
    """Copies into `tar`; `store` is given each entry with its bytes as well. `inline` says of a base
    file and its new bytes whether tests in it are all that changed."""

    root: int
    base: BaseTree
    limits: Limits
    ledger: Ledger
    late: Callable[[], bool]
    classify: Callable[[bytes], PathClass]
    inline: Callable[[bytes, bytes], bool]
    tar: BinaryIO
    store: Callable[[Entry, bytes], None]
    entries: list[Entry] = field(default_factory=list)
    files: int = 0
    total: int = 0
    listing: int = 0

    def collect(self, walked: Walked) -> list[Entry]:
        """Every entry, in the order of paths."""
        for path in walked.deleted:
            self._keep(self._deleted(path), b"")
        for there in self._ordered([*walked.changed, *walked.added]):
            self._copy(there)
        return sorted(self.entries, key=lambda entry: entry.path)

    def _keep(self, entry: Entry, data: bytes) -> None:
        self.entries.append(entry)
        self.store(entry, data)

    def _ordered(self, found: Iterable[Found]) -> list[Found]:
        def key(there: Found) -> tuple[int, bool, bytes]:
            return _RANK[self.classify(there.path)], there.path not in self.base, there.path

        return sorted(found, key=key)

    def _deleted(self, path: bytes) -> Entry:
        return Entry(
            path=path,
            kind=Kind.DELETED,
            cls=self.classify(path),
            mode=0,
            size=0,
            sha256="",
            base_mode=self.base[path].mode,
        )

    def _copy(self, there: Found) -> None:
        if (limit := self._over(there)) is not None:
            self.ledger.leave_out(there.path, limit, there.size)
            return
        try:
            data = self._read(there)
        except OSError:
            self.ledger.leave_out(there.path, "unreadable", there.size)
            return
        self.files += 1
        self.total += len(data)
        target = data if there.mode == SYMLINK else None
        # At most: three characters of JSON for a byte, and the other fields.
        self.listing += 3 * (len(there.path) + len(target or b"")) + 300
        content = b"" if target is not None else data
        member = tarfmt.Member(there.path, there.mode, len(content), target)
        tarfmt.write_member(self.tar, member, content)
        self._keep(self._entry(there, data, target), data)

    def _over(self, there: Found) -> str | None:
        bounds = (
            ("max_file_bytes", there.size > self.limits.max_file_bytes),
            ("max_files", self.files >= self.limits.max_files),
            ("max_total_bytes", self.total + there.size > self.limits.max_total_bytes),
            ("max_listing_bytes", self.listing > self.limits.max_listing_bytes),
            ("seconds", self.late()),
        )
        return next((limit for limit, reached in bounds if reached), None)

    def _read(self, there: Found) -> bytes:
        above, _, name = there.path.rpartition(b"/")
        fd = openat.open_directory(self.root, above)
        try:
            if there.mode == SYMLINK:
                return os.fsencode(os.readlink(name, dir_fd=fd))
            return openat.read_file(fd, name, there.size)
        finally:
            os.close(fd)

    def _entry(self, there: Found, data: bytes, target: bytes | None) -> Entry:
        base = self.base.get(there.path)
        base_mode = base.mode if base else 0
        cls, flags = self.classify(there.path), _flags(there, target)
        if cls is PathClass.SOURCE and there.mode == base_mode and self.inline(there.path, data):
            cls, flags = PathClass.TEST, (*flags, "inline_tests")
        return Entry(
            path=there.path,
            kind=_kind(there.mode, base_mode),
            cls=cls,
            mode=there.mode,
            size=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            base_mode=base_mode,
            target=target,
            flags=flags,
        )


def _kind(mode: int, base_mode: int) -> Kind:
    if base_mode == 0:
        return Kind.ADDED
    return Kind.TYPECHANGE if (mode == SYMLINK) != (base_mode == SYMLINK) else Kind.MODIFIED


def _flags(there: Found, target: bytes | None) -> tuple[str, ...]:
    link = link_problem(there.path, target) if target is not None else None
    named = (("setuid", there.setuid), ("base_ignored", there.base_ignored))
    return tuple(name for name, holds in named if holds) + ((link,) if link else ())
