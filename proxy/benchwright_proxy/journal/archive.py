"""What stays of attempts whose calls somebody else keeps: their totals, one line each.

With them the journal's files need not be kept for ever: a file is deleted when every attempt that
has a record in it is here. The limits of runs are here too, so that they outlive these files.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import msgspec

from benchwright_proxy.limits import Amount, Spent

from . import files
from .fold import Attempt, Totals
from .reading import Damage, lines
from .records import Line, Record, RunBudget, decoded, encode


class Archived(Record, frozen=True, kw_only=True):
    """The final totals of a closed attempt: `used` and `requests` are what counts for its run."""

    run_uid: str
    stages: dict[str, Totals]
    interrupted: int
    limit_hit: str | None
    requests: int
    used: Amount

    @classmethod
    def of(cls, key: tuple[str, int], attempt: Attempt, at: float) -> "Archived":
        """The line of an attempt that has no call in flight."""
        return cls(
            trial_uid=key[0],
            attempt=key[1],
            at=at,
            run_uid=attempt.run_uid,
            stages=attempt.stages,
            interrupted=attempt.interrupted,
            limit_hit=attempt.limit_hit,
            requests=attempt.spent.requests,
            used=attempt.spent.used,
        )

    def restored(self) -> Attempt:
        """The attempt as it was. Its refusals are only in its totals."""
        return Attempt(
            stages=self.stages,
            interrupted=self.interrupted,
            limit_hit=self.limit_hit,
            closed=True,
            spent=Spent(self.requests, self.used),
            run_uid=self.run_uid,
        )


AnyKept: TypeAlias = Archived | RunBudget
_DECODER: msgspec.json.Decoder[AnyKept] = msgspec.json.Decoder(AnyKept)


class Archive:
    """The file. Used under the journal's lock."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError."""
        self._path = folder / "archive.jsonl"
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._fd = os.open(self._path, flags, 0o600)
        files.sync(folder)
        self._size = _cut_torn_line(self._path, self._fd)

    def read(self, damage: Damage) -> Iterator[AnyKept]:
        """All lines, oldest first: of an attempt or a run the last one holds. What cannot be read
        is counted in `damage`."""
        return (record for _, record in lines(self._path, decode, damage))

    def append(self, record: Line) -> bytes:
        """Hand a line to the kernel, and return it. Raises OSError, and then nothing was written."""
        line = encode(record)
        files.append_line(self._fd, line, self._size)
        self._size += len(line)
        return line

    def sync(self) -> None:
        """Bring all lines to the disk. Blocks: for a thread. Raises OSError."""
        os.fdatasync(self._fd)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._fd)


def decode(line: bytes) -> AnyKept:
    """What a line says. Raises ValueError."""
    return decoded(_DECODER, line)


def _cut_torn_line(path: Path, fd: int) -> int:
    """The size of the file without a line that a crash tore: what it told is still in the journal."""
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.ftruncate(fd, whole)
    return whole
