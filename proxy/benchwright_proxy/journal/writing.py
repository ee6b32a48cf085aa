"""Writing the journal: `journal-<n>.jsonl` in one folder, only ever appended to.

What may be lost. A record is handed to the kernel by one write before anything depends on it, so
a killed *process* loses nothing. It reaches the disk (fdatasync) at most SYNC_DELAY later, so a killed
*machine* may lose the last of them, and then the sums of the attempts that were open are not whole:
`machine_died` says so to the next writer, who must say it of each (ledger.py). That each is known at all
is what the ledger waits for with `durable`, before an attempt's first call and at its end.

Each start opens a new file, so that a line torn by a crash is never continued.
"""

import asyncio
import contextlib
import fcntl
import os
import time
from pathlib import Path

from . import files
from .reading import Location, segment_path, segments
from .records import Line, encode
from .syncing import Syncer
from .writer import Writer, this_machine

SYNC_DELAY = 0.2
SEGMENT_BYTES = 64 * 2**20


class JournalError(Exception):
    """The journal cannot be used; no call may be made without it."""


class Journal:
    """The one writer of a folder (a lock keeps a second proxy out)."""

    def __init__(
        self,
        folder: Path,
        *,
        segment_bytes: int = SEGMENT_BYTES,
        patience: float = 0.0,
        machine: str | None = None,
    ) -> None:
        """Raises JournalError if the folder cannot be written, or is in use for longer than
        `patience` seconds: a pod that is replaced drains its streams before it lets go. `machine` is
        what names this start of this machine, None for the kernel's word."""
        self.folder = folder
        self._segment_bytes = segment_bytes
        self._write_error: str | None = None
        self._written = self._synced = 0
        self._timer: asyncio.TimerHandle | None = None
        self._syncer = Syncer(lambda: self._fd)
        # Full files, closed when none of them is being synced.
        self._full: list[int] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            _lock(self._lock, patience)
            self._writer = Writer(folder, this_machine() if machine is None else machine)
            for number in segments(folder)[-1:]:
                files.sync(segment_path(folder, number))  # its writer may have been killed
            self._open_segment()
        except BlockingIOError as error:
            raise JournalError(f"{folder}: another proxy writes this journal") from error
        except OSError as error:
            raise JournalError(f"{folder}: {error.strerror}") from error

    @property
    def machine_died(self) -> bool:
        """Whether the last writer's machine ended under it, so that its last records may be missing;
        until `begun`."""
        return self._writer.machine_died

    def begun(self) -> None:
        """What was lost has been told of: from now on this is the writer. Blocks until all that was
        appended is on the disk. Raises JournalError."""
        try:
            os.fdatasync(self._fd)
            self._writer.begin()
        except OSError as error:
            raise JournalError(f"{self.folder}: {error.strerror}") from error

    @property
    def lost(self) -> bool:
        """Whether nothing can be written until another process reads what is there."""
        return self._syncer.error is not None

    @property
    def current(self) -> int:
        """The number of the file that is written."""
        return self._segment

    @property
    def broken(self) -> str | None:
        """Why nothing can be written, None while all is well."""
        failed = self._syncer.error
        return f"sync failed: {failed.strerror}" if failed else self._write_error

    def append(self, record: Line) -> Location:
        """Hand a record to the kernel. Raises JournalError, and then nothing was written."""
        try:
            line = encode(record)
        except ValueError as error:
            raise JournalError(f"{self.folder}: a record that is not UTF-8: {error}") from error
        if self._syncer.error:
            raise JournalError(f"{self.folder}: {self.broken}")
        try:
            if self._size and self._size + len(line) > self._segment_bytes:
                self._rotate()
            files.append_line(self._fd, line, self._size)
        except OSError as error:
            self._write_error = error.strerror or str(error)
            raise JournalError(f"{self.folder}: {self._write_error}") from error
        self._write_error = None
        location = Location(self._segment, self._size)
        self._size += len(line)
        self._written += 1
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(SYNC_DELAY, self._sync_later)
        return location

    async def durable(self) -> None:
        """Wait until all that was appended is on the disk. Raises JournalError."""
        target = self._written
        if self._synced >= target:
            return
        try:
            await self._syncer.request()
        except OSError as error:
            raise JournalError(f"{self.folder}: {self.broken}") from error
        self._synced = max(self._synced, target)

    async def close(self) -> None:
        """Sync and let go of the folder."""
        if self._timer is not None:
            self._timer.cancel()
        with contextlib.suppress(JournalError, OSError):
            await self.durable()
            self._writer.end()
        if self.lost:
            self._writer.doubt()
        self._syncer.close()
        for descriptor in (*self._full, self._fd, self._lock):
            os.close(descriptor)

    def _rotate(self) -> None:
        """Go on in a new file. If that fails the old one stays, and the next record tries again."""
        full = self._fd
        os.fdatasync(full)
        self._open_segment()
        self._full.append(full)
        while self._full and not self._syncer.busy:
            os.close(self._full.pop())

    def _open_segment(self) -> None:
        number = max(segments(self.folder), default=0) + 1
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        opened = os.open(segment_path(self.folder, number), flags, 0o600)
        try:
            files.sync(self.folder)
        except OSError:
            os.close(opened)
            raise
        self._fd, self._segment, self._size = opened, number, 0

    def _sync_later(self) -> None:
        self._timer = None
        if self._synced < self._written:
            self._syncer.request().add_done_callback(_seen)


def _seen(sync: asyncio.Future[None]) -> None:
    """Nobody waits for a background sync; its failure is in `broken`."""
    if not sync.cancelled():
        sync.exception()


def _lock(descriptor: int, patience: float) -> None:
    """Take the lock, or raise BlockingIOError. Nothing is served yet, so waiting blocks nobody."""
    deadline = time.monotonic() + patience
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.2)
