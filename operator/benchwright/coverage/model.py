"""What a coverage report is here: for each file of the base tree, two sets of lines."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from benchwright.coverage.errors import CoverageError, Reason
from benchwright.coverage.paths import is_clean


class UnmappedReason(StrEnum):
    """Why a path of the report is none of the base tree's."""

    NOT_IN_BASE = "not_in_base"
    """Inside the workspace, but the base has no such file: a new file, a generated one."""
    OUTSIDE = "outside"
    """Outside the workspace: a system header, an installed package, a temporary file."""
    AMBIGUOUS = "ambiguous"
    """It could be more than one file of the base, or another path could be the same file."""


class Match(StrEnum):
    """Which rule found the base file; `one_of_sources` and `suffix` are worth a human's look."""

    EXACT = "exact"
    SOURCE = "source"
    ONE_OF_SOURCES = "one_of_sources"
    """Below just one of several `<source>`; a file made while tests ran may be below another."""
    ROOT = "root"
    SUFFIX = "suffix"


class NoteKind(StrEnum):
    """What was odd in a report that could still be read."""

    LINE_OUT_OF_RANGE = "line_out_of_range"
    """Lines that the base file does not have: dropped."""
    BAD_HITS = "bad_hits"
    """Negative, NaN or infinite counts: taken as not covered (GCC bug 68080, gcovr/gcovr#1075)."""
    BAD_BRANCH = "bad_branch"
    """Branch figures that cannot be true, e.g. 3 of 2: dropped."""
    DISAGREES = "disagrees"
    """The report's own totals are not what its rows add up to: the rows are used."""
    METHOD_LINES_ONLY = "method_lines_only"
    """Cobertura class with lines under its methods alone, which are not counted."""
    UNKNOWN_RECORD = "unknown_record"
    """Well-formed records of a kind that is not known: skipped."""


class Branches(NamedTuple):
    """Branches of one line."""

    covered: int
    total: int


class Note(NamedTuple):
    """Something odd: how often, in which file of the report ("" for the report as a whole)."""

    kind: NoteKind
    path: str
    times: int
    detail: str = ""


class Unmapped(NamedTuple):
    """A path of the report, as the report wrote it, whose lines are counted nowhere."""

    path: str
    reason: UnmappedReason
    measured: int
    covered: int


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts of lines and branches; None where a report does not say."""

    lines_covered: int | None = None
    lines_total: int | None = None
    branches_covered: int | None = None
    branches_total: int | None = None


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """Measured lines of one base file (1-based), the covered ones (hits > 0), and branches.

    Branches may sit on lines that are not measured: some tools write such rows
    (zgosalvez/github-actions-report-lcov#282).
    """

    measured: frozenset[int]
    covered: frozenset[int]
    branches: Mapping[int, Branches] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.covered <= self.measured:
            raise ValueError("a covered line is not a measured one")


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """One report, or several merged, on files of the base tree (repo-relative posix paths).

    `claimed` is what the report says of itself and `recomputed` what its rows add up to, both
    before any path was mapped or line dropped; where they differ, `notes` says so. What counts
    is `files`.
    """

    format: str
    files: Mapping[str, FileCoverage]
    unmapped: tuple[Unmapped, ...] = ()
    notes: tuple[Note, ...] = ()
    claimed: Totals = Totals()
    recomputed: Totals = Totals()
    matched: Mapping[Match, int] = field(default_factory=dict)

    @property
    def totals(self) -> Totals:
        """Counts over `files`: never None, and `lines_total` never 0 after `read`."""
        branches = [pair for file in self.files.values() for pair in file.branches.values()]
        return Totals(
            lines_covered=sum(len(file.covered) for file in self.files.values()),
            lines_total=sum(len(file.measured) for file in self.files.values()),
            branches_covered=sum(pair.covered for pair in branches),
            branches_total=sum(pair.total for pair in branches),
        )


@dataclass(frozen=True, slots=True)
class BaseTree:
    """The files of the pristine base: repo-relative posix path → number of lines.

    `extra` are paths that the measured workspace had beyond the base (overlaid tests), so that
    none of them passes for a base file. Names that are not UTF-8 are decoded with
    surrogateescape. Raises `CoverageError(path_escape)` for a path that is absolute, has `..` or
    is not normalised.
    """

    lines: Mapping[str, int]
    extra: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for path in (*self.lines, *self.extra):
            require_clean(path)

    def knows(self, path: str) -> bool:
        """Whether the measured workspace had the file."""
        return path in self.lines or path in self.extra


def require_clean(path: str) -> None:
    """Raise `CoverageError(path_escape)` unless `path` is a normal repo-relative one."""
    if not is_clean(path):
        raise CoverageError(Reason.PATH_ESCAPE, f"not a path inside the repository: {path!r}")


def count_lines(source: bytes) -> int:
    r"""Lines of a source file as tools number them: `\n`, `\r\n` and lone `\r` end one."""
    return len(source.splitlines())
