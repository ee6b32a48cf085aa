"""What the runs after cover that no run before did, in lines of the base sources."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchwright.coverage.model import CoverageReport, FileCoverage
from benchwright.coverage.sets import Files, intersection, union

Lines = Mapping[str, frozenset[int]]
"""Lines by file; files without any are left out."""


@dataclass(frozen=True, slots=True)
class Gain:
    """Gained, lost and compared lines. All counts are of lines of the universe.

    The universe is what the runs before measured, in files that count as sources: what the tests
    added, moved or no longer measure changes no denominator.
    """

    gained: Lines
    """Covered in every run after and in none before."""
    lost: Lines
    """Covered in every run before and not in every run after."""
    new_measured: Lines
    """Measured after and never before: listed, not counted."""
    unmeasured: Lines
    """Measured before and in no run after, e.g. by a `no cover` comment."""
    base_total: int
    base_covered: int
    """Covered in at least one run before."""
    after_covered: int
    """Covered in every run after."""
    gained_branches: int
    """Sum over lines of (fewest taken after - most taken before), where positive."""
    unstable_before: int
    """Covered in some runs before and not in others: the noise floor."""
    unstable_after: int

    @property
    def gained_lines(self) -> int:
        """How many lines were gained."""
        return _count(self.gained)

    @property
    def lost_lines(self) -> int:
        """How many lines were lost."""
        return _count(self.lost)


def gain(
    before: Sequence[CoverageReport],
    after: CoverageReport | Sequence[CoverageReport],
    *,
    is_source: Callable[[str], bool] = lambda path: True,
) -> Gain:
    """Compare runs, each one (merged) report; `is_source` says which base files count.

    Flaky lines never help: one run before is enough to have a line, and one run after without
    it is enough not to. Raises ValueError without a run on either side.
    """
    runs = (after,) if isinstance(after, CoverageReport) else after
    ever, always = _only(union(before), is_source), _only(intersection(before), is_source)
    ever_after, after_all = _only(union(runs), is_source), _only(intersection(runs), is_source)
    measured = {path: file.measured for path, file in ever.items()}
    measured_after = {path: file.measured for path, file in ever_after.items()}
    # What a run after covers outside the universe is no line of the base: it never counts.
    covered = _and(_covered(after_all), measured)
    seen = _and(_covered(ever_after), measured)
    return Gain(
        gained=_minus(covered, _covered(ever)),
        lost=_minus(_covered(always), covered),
        new_measured=_minus(measured_after, measured),
        unmeasured=_minus(measured, measured_after),
        base_total=_count(measured),
        base_covered=_count(_covered(ever)),
        after_covered=_count(covered),
        gained_branches=sum(_branch_gain(ever[path], after_all.get(path)) for path in ever),
        unstable_before=_count(_minus(_covered(ever), _covered(always))),
        unstable_after=_count(_minus(seen, covered)),
    )


def _only(files: Files, is_source: Callable[[str], bool]) -> Files:
    return {path: file for path, file in files.items() if is_source(path)}


def _covered(files: Files) -> Lines:
    return {path: file.covered for path, file in files.items()}


def _minus(left: Lines, right: Lines) -> Lines:
    rest = {path: lines - right.get(path, frozenset()) for path, lines in sorted(left.items())}
    return {path: lines for path, lines in rest.items() if lines}


def _and(left: Lines, right: Lines) -> Lines:
    both = {path: lines & right.get(path, frozenset()) for path, lines in left.items()}
    return {path: lines for path, lines in both.items() if lines}


def _count(lines: Lines) -> int:
    return sum(map(len, lines.values()))


def _branch_gain(before: FileCoverage, after: FileCoverage | None) -> int:
    """Counts beyond the base's own total of a line are none of the base's branches."""
    if after is None:
        return 0
    return sum(
        max(0, min(after.branches[line].covered, total) - covered)
        for line, (covered, total) in before.branches.items()
        if line in after.branches
    )
