"""Evidence as text on a page: patches whole up to a limit, logs by their head and tail."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.web.colouring import Colourer, Spans
from benchwright.web.patch import FilePatch, Line, parse
from benchwright.web.ports import Evidence, FileRow
from benchwright.web.text import cut, decoded

PATCH = "patch.diff"
LOGS = "logs/"
PATCH_BYTES = 400 * 1024
HEAD_BYTES, TAIL_BYTES = 8 * 1024, 24 * 1024
LOST = "the file is named in the database and is not in the object store any more"


@dataclass(frozen=True, slots=True)
class PatchView:
    """A patch. `pieces`: coloured pieces by the id() of a line."""

    file: FileRow
    files: Sequence[FilePatch]
    pieces: dict[int, Spans]
    notes: Sequence[str]

    def of(self, line: Line) -> Spans:
        """The line's pieces; one without a class where it has no colours."""
        return self.pieces.get(id(line)) or [("", line.text)]


@dataclass(frozen=True, slots=True)
class LogView:
    """A log: all of it, or its head and its tail with `skipped` bytes between them."""

    file: FileRow
    head: str
    tail: str
    skipped: int
    problem: str = ""


async def patches(
    evidence: Evidence, files: Sequence[FileRow], colourer: Colourer
) -> list[PatchView]:
    """Of each stage that left one."""
    return [await _patch(evidence, f, colourer) for f in files if f.name == PATCH]


async def _patch(evidence: Evidence, file: FileRow, colourer: Colourer) -> PatchView:
    try:
        data = await evidence.part(file, 0, PATCH_BYTES)
    except FileNotFoundError:
        return PatchView(file, (), {}, (LOST,))
    patch = parse(data.decode("utf-8", "replace"))
    notes = []
    if patch.cut or file.size > len(data):
        notes.append("Only the beginning is shown here.")
    pieces = await colourer.colour(patch.files)
    if pieces is None:
        notes.append("Without colours of syntax: colouring took too long.")
    return PatchView(file, patch.files, pieces or {}, notes)


async def logs(evidence: Evidence, files: Sequence[FileRow]) -> list[LogView]:
    """Of each step of each stage."""
    return [await _log(evidence, f) for f in files if f.name.startswith(LOGS)]


async def _log(evidence: Evidence, file: FileRow) -> LogView:
    try:
        if file.size <= HEAD_BYTES + TAIL_BYTES:
            return LogView(file, _lines(await evidence.part(file, 0, file.size)), "", 0)
        head = await evidence.part(file, 0, HEAD_BYTES)
        tail = await evidence.part(file, file.size - TAIL_BYTES, TAIL_BYTES)
    except FileNotFoundError:
        return LogView(file, "", "", 0, LOST)
    return LogView(file, _lines(head), _lines(tail), file.size - len(head) - len(tail))


def _lines(data: bytes) -> str:
    return "\n".join(cut(line) for line in decoded(data).split("\n"))
