"""Where in the journal an attempt's records are: 8 bytes a block of the file, however many they are."""

import json
from array import array
from collections.abc import Iterator
from itertools import chain, groupby
from pathlib import Path
from typing import BinaryIO

from .reading import Location, segment_path
from .records import AttemptRecord, RunBudget, decode

#: Bytes of a file that are read through to find an attempt's records among those of others.
BLOCK = 64 * 2**10


class Blocks:
    """Blocks with records of one attempt, oldest first. A record is in the block it starts in."""

    def __init__(self) -> None:
        # Packed, the segment in the upper half: there may be millions of records.
        self._packed = array("Q")

    def add(self, location: Location) -> None:
        """A record was written there, after all that were added before."""
        packed = location.segment << 32 | location.offset // BLOCK
        if not self._packed or self._packed[-1] != packed:
            self._packed.append(packed)

    def segments(self) -> set[int]:
        """The numbers of the files that are needed."""
        return set(map(_segment, self._packed))

    def copy(self) -> "Blocks":
        """For reading in a thread while this one grows."""
        copied = Blocks()
        copied._packed = self._packed[:]
        return copied

    def read(self, folder: Path, key: tuple[str, int]) -> Iterator[AttemptRecord]:
        """The records of attempt `key`, in the order of writing. Blocks: for a thread."""
        named = json.dumps(key[0], ensure_ascii=False).encode()
        for segment, blocks in groupby(self._packed, _segment):
            with segment_path(folder, segment).open("rb") as file:
                for line in chain.from_iterable(_lines(file, packed) for packed in blocks):
                    if named in line and (record := _own(line, key)):
                        yield record


def _segment(packed: int) -> int:
    return packed >> 32


def _lines(file: BinaryIO, packed: int) -> Iterator[bytes]:
    """The whole lines that start in a block."""
    start = (packed & 0xFFFFFFFF) * BLOCK
    at = max(0, start - 1)
    file.seek(at)
    if start:
        at += len(file.readline())  # the end of a line of the block before
    while at < start + BLOCK and (line := file.readline()).endswith(b"\n"):
        at += len(line)
        yield line


def _own(line: bytes, key: tuple[str, int]) -> AttemptRecord | None:
    """The record in a line, if it can be read and is of this attempt."""
    try:
        record = decode(line)
    except ValueError:
        return None  # it was counted as damage when the journal was opened
    if isinstance(record, RunBudget) or (record.trial_uid, record.attempt) != key:
        return None
    return record
