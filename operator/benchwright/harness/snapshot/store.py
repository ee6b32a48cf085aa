"""The result's content, into the harness's repository while it is read.

A failure of git here must not lose the snapshot: it is kept as `error`, and the numbers are then
made without git.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Self

from benchwright.changes.model import Entry, Kind

from .fastimport import Importer, Put
from .git import GitError
from .limits import Limits, Timer
from .tiers import COUNTED, EXCLUDED_REF, Tiers


class Store:
    """Use as a context manager: `add` each entry, then `finish` once."""

    def __init__(self, repo: Path, limits: Limits) -> None:
        self.error: GitError | None = None
        self.tiers = Tiers()
        self._repo, self._limits = repo, limits
        self._importer: Importer | None = None
        self._marks: dict[bytes, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._importer is not None:
            self._importer.close()

    def add(self, entry: Entry, data: bytes) -> None:
        """Keep an entry with its content (a symlink's is its target, a deletion's is empty)."""
        wanted = self.tiers.add(entry, data, self._limits)
        if not wanted or entry.kind is Kind.DELETED or self.error is not None:
            return
        try:
            self._marks[entry.path] = self._running().blob(data)
        except GitError as error:
            self.error = error

    def finish(self, base: str, timer: Timer) -> None:
        """Make the tiers' commits on the commit `base`. `error` is set where git failed."""
        if self.error is not None or not (self.tiers.counted or self.tiers.excluded):
            return
        try:
            importer = self._running()
            counted = self._puts(self.tiers.counted)
            importer.commit(COUNTED, base, counted)
            # From the base again, with all: on top of the first, deleting a lock file that became a
            # directory would take the directory's new files with it.
            importer.commit(EXCLUDED_REF, base, [*counted, *self._puts(self.tiers.excluded)])
            importer.finish(timer.left())
        except GitError as error:
            self.error = error

    def _running(self) -> Importer:
        """git, started when there is something for it: often nothing was changed."""
        if self._importer is None:
            self._importer = Importer(self._repo)
        return self._importer

    def _puts(self, entries: Iterable[Entry]) -> list[Put]:
        return [Put(entry.path, self._marks.get(entry.path), entry.mode) for entry in entries]
