"""From what a reader found to a report on the base tree."""

from collections import Counter

from benchwright.coverage.errors import CoverageError, Reason
from benchwright.coverage.model import (
    BaseTree,
    CoverageReport,
    FileCoverage,
    Match,
    Note,
    NoteKind,
    Unmapped,
)
from benchwright.coverage.rebase import Found, Lost, rebase
from benchwright.coverage.sets import union_of_files
from benchwright.coverage.tally import RawFile, Tally


def assemble(
    tally: Tally, name: str, base: BaseTree, *, root: str, cwd: str | None
) -> CoverageReport:
    """Map paths, drop lines that the base does not have (noted), refuse a report on nothing."""
    places = rebase(tally.files, base, root=root, sources=tally.sources, cwd=cwd)
    files: dict[str, FileCoverage] = {}
    matched: Counter[Match] = Counter()
    unmapped: list[Unmapped] = []
    notes = tally.notes()
    for path, raw in tally.files.items():
        place = places[path]
        if isinstance(place, Lost):
            unmapped.append(Unmapped(path, place.reason, len(raw.lines), sum(raw.lines.values())))
            continue
        matched[place.how] += 1
        notes.extend(_beyond(path, raw, base.lines[place.path]))
        _add(files, place, _within(raw, base.lines[place.path]))
    _require_lines(files, unmapped)
    return CoverageReport(
        format=name,
        files=files,
        unmapped=tuple(sorted(unmapped)),
        notes=tuple(sorted(notes)),
        claimed=tally.claimed,
        recomputed=tally.recomputed(),
        matched=dict(matched),
    )


def _add(files: dict[str, FileCoverage], place: Found, file: FileCoverage) -> None:
    known = files.get(place.path)  # the report may spell one path in two ways
    files[place.path] = file if known is None else union_of_files(known, file)


def _within(raw: RawFile, length: int) -> FileCoverage:
    lines = {line: covered for line, covered in raw.lines.items() if line <= length}
    return FileCoverage(
        measured=frozenset(lines),
        covered=frozenset(line for line, covered in lines.items() if covered),
        branches={line: b for line, b in raw.branches_by_line().items() if line <= length},
    )


def _beyond(path: str, raw: RawFile, length: int) -> list[Note]:
    lines = [line for line in (*raw.lines, *raw.branches_by_line()) if line > length]
    if not lines:
        return []
    detail = f"up to line {max(lines)} of {length}"
    return [Note(NoteKind.LINE_OUT_OF_RANGE, path, len(set(lines)), detail)]


def _require_lines(files: dict[str, FileCoverage], unmapped: list[Unmapped]) -> None:
    if any(file.measured for file in files.values()):
        return
    lost = f"; {len(unmapped)} paths are not of the base, e.g. " if unmapped else ""
    shown = ", ".join(f"{each.path} ({each.reason})" for each in sorted(unmapped)[:3])
    raise CoverageError(Reason.NO_MEASURABLE_LINES, f"no line of the base measured{lost}{shown}")
