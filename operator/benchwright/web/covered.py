"""Coverage by file: lines of the base that were gained and lost, compared as the grader does."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.api.facts import StageFacts
from benchwright.core.evaluation import coverage_of
from benchwright.coverage import ranges
from benchwright.coverage.errors import CoverageError
from benchwright.coverage.gain import Gain, gain
from benchwright.coverage.model import CoverageReport
from benchwright.coverage.sets import union
from benchwright.reports import words

MAX_FILES = 200
BUCKETS = 200
"""Of a strip: each is as many lines of the file as it takes."""
RANGE_CHARS = 400
NONE: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Band:
    """A piece of a strip: class, where it begins and how wide it is, in buckets."""

    kind: str
    x: int
    width: int


@dataclass(frozen=True, slots=True)
class FileView:
    """One file of the base. Line numbers as ranges: "1-3,7"."""

    path: str
    gained: int
    gained_ranges: str
    lost: int
    lost_ranges: str
    before: int
    before_ranges: str
    after: int
    measured: int
    strip: Sequence[Band]


@dataclass(frozen=True, slots=True)
class CoverageView:
    """Files in which lines were gained or lost first; `missing` says why there is none."""

    files: Sequence[FileView] = ()
    left_out: int = 0
    gained: int = 0
    """In all files. It is the record's number, unless baselines were added since it was graded."""
    missing: str = ""


def coverage_view(
    baselines: Sequence[StageFacts], after: StageFacts | None, max_files: int = MAX_FILES
) -> CoverageView:
    """From stored line sets; nothing is counted anew that the record says."""
    if after is None:
        return CoverageView(missing=_NO_EVALUATOR)
    if after.coverage is None:
        problem = after.coverage_problem
        said = f": {problem.reason}: {words.one_line(problem.message)}" if problem else ""
        return CoverageView(missing=f"the evaluator's facts have no line sets{said}")
    try:
        before = [c for c in map(coverage_of, baselines) if c]
        now = coverage_of(after)
    except CoverageError as error:
        return CoverageView(missing=f"the stored line sets cannot be read: {error.reason}")
    if not before or now is None:
        return CoverageView(missing="there is no good baseline of this task to compare with")
    return _compared(before, now, max_files)


def _compared(
    before: Sequence[CoverageReport], now: CoverageReport, max_files: int
) -> CoverageView:
    found, base = gain(before, now), union(before)
    views = [_file(path, found, now, base[path].covered, base[path].measured) for path in base]
    views.sort(key=lambda v: (-v.gained, -v.lost, v.path))
    return CoverageView(views[:max_files], max(0, len(views) - max_files), found.gained_lines)


def _file(
    path: str, found: Gain, now: CoverageReport, before: frozenset[int], measured: frozenset[int]
) -> FileView:
    gained, lost = found.gained.get(path, NONE), found.lost.get(path, NONE)
    file = now.files.get(path)
    after = (file.covered if file else NONE) & measured
    return FileView(
        path=words.one_line(path, 400),
        gained=len(gained),
        gained_ranges=_ranges(gained),
        lost=len(lost),
        lost_ranges=_ranges(lost),
        before=len(before),
        before_ranges=_ranges(before),
        after=len(after),
        measured=len(measured),
        strip=_strip(gained, lost, before, measured),
    )


def _ranges(lines: frozenset[int]) -> str:
    text = ranges.encode(lines).replace(",", ", ")
    return text if len(text) <= RANGE_CHARS else text[:RANGE_CHARS].rpartition(",")[0] + ", …"


def _strip(
    gained: frozenset[int], lost: frozenset[int], before: frozenset[int], measured: frozenset[int]
) -> list[Band]:
    """The file from its first line to its last measured one. What was gained wins a shared bucket."""
    last = max(measured, default=1)
    kinds = [""] * BUCKETS
    for kind, lines in (("open", measured), ("before", before), ("lost", lost), ("gained", gained)):
        for line in lines:
            first = (line - 1) * BUCKETS // last
            end = max(first + 1, line * BUCKETS // last)
            kinds[first:end] = [kind] * (end - first)
    return _bands(kinds)


def _bands(kinds: Sequence[str]) -> list[Band]:
    bands: list[Band] = []
    for x, kind in enumerate(kinds):
        if bands and bands[-1].kind == kind and bands[-1].x + bands[-1].width == x:
            bands[-1] = Band(kind, bands[-1].x, bands[-1].width + 1)
        elif kind:
            bands.append(Band(kind, x, 1))
    return bands


_NO_EVALUATOR = (
    "no evaluator ran in the attempt that counts, or its facts are not stored: where nothing crosses "
    "over, nothing is gained or lost by definition"
)
