"""Reading the journal: all of it at start, single records when somebody asks for them."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from .records import AnyRecord, decode

Decoded = TypeVar("Decoded")


class Location(Struct, frozen=True):
    """Where a record starts: number of the file and offset in bytes."""

    segment: int
    offset: int


@dataclass(slots=True)
class Damage:
    """What could not be read: last lines that a crash tore, and lines broken otherwise. `files`
    are those with such lines in their middle."""

    torn: int = 0
    corrupt: int = 0
    where: list[str] = field(default_factory=list)
    files: set[Path] = field(default_factory=set)


def segment_path(folder: Path, number: int) -> Path:
    return folder / f"journal-{number:08d}.jsonl"


def segments(folder: Path) -> list[int]:
    """The numbers of the files in `folder`, oldest first."""
    found = folder.glob("journal-*.jsonl")
    return sorted(int(path.stem.removeprefix("journal-")) for path in found)


def size_of(folder: Path) -> int:
    """Bytes of all files of the journal."""
    sizes = 0
    for number in segments(folder):
        with contextlib.suppress(FileNotFoundError):  # deleted just now
            sizes += segment_path(folder, number).stat().st_size
    return sizes


def replay(folder: Path, damage: Damage) -> Iterator[tuple[Location, AnyRecord]]:
    """All records, oldest first; what cannot be read is counted in `damage`."""
    for number in segments(folder):
        for offset, record in lines(segment_path(folder, number), decode, damage):
            yield Location(number, offset), record


def lines(
    path: Path, decode: Callable[[bytes], Decoded], damage: Damage
) -> Iterator[tuple[int, Decoded]]:
    """Where each line of a file starts, and what it says; what cannot be read is counted."""
    offset = 0
    with path.open("rb") as file:
        for line in file:
            try:
                yield offset, decode(line)
            except ValueError:
                _damaged(damage, line, path, offset)
            offset += len(line)


def _damaged(damage: Damage, line: bytes, path: Path, offset: int) -> None:
    if line.endswith(b"\n"):
        damage.corrupt += 1
        damage.files.add(path)
    else:
        damage.torn += 1
    damage.where.append(f"{path}:{offset}")
