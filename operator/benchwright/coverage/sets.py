"""Union and intersection of reports, as sets of lines."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce

from benchwright.coverage.model import Branches, CoverageReport, FileCoverage, Match, Totals

Files = Mapping[str, FileCoverage]


def union_of_files(one: FileCoverage, other: FileCoverage) -> FileCoverage:
    """Measured or covered in either. Branches of a line: the better count of the two.

    Counts say not which branches were taken, so two halves do not make a whole: 1/2 and 1/2 is
    1/2. That can only understate.
    """
    lines = one.branches.keys() | other.branches.keys()
    return FileCoverage(
        measured=one.measured | other.measured,
        covered=one.covered | other.covered,
        branches={line: _pick(max, one, other, line) for line in lines},
    )


def intersection_of_files(one: FileCoverage, other: FileCoverage) -> FileCoverage:
    """Measured in either, covered in both; branches: the worse count of the two.

    A line that one run did not measure was not seen to be executed there, but it stays a line.
    """
    lines = one.branches.keys() | other.branches.keys()
    return FileCoverage(
        measured=one.measured | other.measured,
        covered=one.covered & other.covered,
        branches={line: _worse(one, other, line) for line in lines},
    )


def union(reports: Iterable[CoverageReport]) -> Files:
    """Lines of any of the reports; of none: nothing."""
    return _fold(reports, union_of_files)


def intersection(reports: Sequence[CoverageReport]) -> Files:
    """Lines covered in every report; a file that one lacks is covered there nowhere.

    Raises ValueError without any report: everything would be covered in all of none.
    """
    if not reports:
        raise ValueError("no reports")
    every = {path for report in reports for path in report.files}
    return {
        path: reduce(intersection_of_files, (r.files.get(path, _ABSENT) for r in reports))
        for path in sorted(every)
    }


def merge(reports: Sequence[CoverageReport]) -> CoverageReport:
    """The reports of one run (several languages, test commands or shards) as one.

    Associative, commutative and idempotent. What each claimed of itself is left out, as such
    figures cannot be added up without counting lines twice; disagreements stay in the notes.
    Raises ValueError without any report.
    """
    if not reports:
        raise ValueError("no reports")
    matched: dict[Match, int] = {}
    for report in reports:
        for how, count in report.matched.items():
            matched[how] = max(count, matched.get(how, 0))
    return CoverageReport(
        format="+".join(sorted({name for r in reports for name in r.format.split("+")})),
        files=union(reports),
        unmapped=tuple(sorted({each for report in reports for each in report.unmapped})),
        notes=tuple(sorted({note for report in reports for note in report.notes})),
        claimed=Totals(),
        recomputed=Totals(),
        matched=matched,
    )


def _fold(
    reports: Iterable[CoverageReport],
    combine: Callable[[FileCoverage, FileCoverage], FileCoverage],
) -> Files:
    found: dict[str, FileCoverage] = {}
    for report in reports:
        for path, file in report.files.items():
            found[path] = combine(found[path], file) if path in found else file
    return found


_ABSENT = FileCoverage(frozenset(), frozenset())
_NONE = Branches(0, 0)


def _pick(
    choose: Callable[[int, int], int], one: FileCoverage, other: FileCoverage, line: int
) -> Branches:
    a, b = one.branches.get(line, _NONE), other.branches.get(line, _NONE)
    return Branches(choose(a.covered, b.covered), max(a.total, b.total))


def _worse(one: FileCoverage, other: FileCoverage, line: int) -> Branches:
    return _pick(min, one, other, line)
