"""Reports at random, small enough for every overlap to occur, and quick to draw: sets are bits."""

from hypothesis import strategies as st

from benchwright.coverage import (
    Branches,
    CoverageReport,
    FileCoverage,
    Match,
    Note,
    NoteKind,
    Totals,
    Unmapped,
    UnmappedReason,
)

_BITS = st.integers(0, 63)
_COUNTS = st.integers(0, 10**6)
_NAMES = st.text(max_size=6)
_TOTALS = st.builds(Totals, *[st.none() | _COUNTS] * 4)


def _lines(bits: int) -> frozenset[int]:
    return frozenset(n + 1 for n in range(bits.bit_length()) if bits >> n & 1)


def _file(measured: int, covered: int, branched: int, taken: int) -> FileCoverage:
    branches = {n: Branches(taken >> n & 1, 1 + n % 2) for n in _lines(branched)}
    return FileCoverage(_lines(measured), _lines(measured & covered), branches)


_FILES = st.builds(_file, _BITS, _BITS, _BITS, _BITS)


def reports() -> st.SearchStrategy[CoverageReport]:
    """Files alone: what arithmetic looks at."""
    names = {"a.py": _FILES, "b.py": _FILES}
    return st.fixed_dictionaries({}, optional=names).map(lambda f: CoverageReport("lcov", f))


def whole_reports() -> st.SearchStrategy[CoverageReport]:
    """Everything that a report can hold."""
    paths = st.sampled_from(["a.py", "src/naïve.py", "odd\udcff name.py"])
    unmapped = st.builds(Unmapped, _NAMES, st.sampled_from(UnmappedReason), _COUNTS, _COUNTS)
    notes = st.builds(Note, st.sampled_from(NoteKind), _NAMES, _COUNTS, _NAMES)
    return st.builds(
        CoverageReport,
        format=st.sampled_from(["lcov", "cobertura"]),
        files=st.dictionaries(paths, _FILES, max_size=2),
        unmapped=st.lists(unmapped, max_size=2).map(tuple),
        notes=st.lists(notes, max_size=2).map(tuple),
        claimed=_TOTALS,
        recomputed=_TOTALS,
        matched=st.dictionaries(st.sampled_from(Match), _COUNTS, max_size=2),
    )


RUNS = st.lists(reports(), min_size=1, max_size=3)
