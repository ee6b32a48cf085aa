"""Coverage as sets of lines: readers of reports, set arithmetic and a format to store them.

Pure: bytes in, values or `CoverageError` out. `read` makes a `CoverageReport` from what a tool
wrote; `merge` joins the reports of one run; `gain` compares runs before with runs after.
"""

from benchwright.coverage.codec import from_json, to_json
from benchwright.coverage.errors import CoverageError, Reason
from benchwright.coverage.gain import Gain, gain
from benchwright.coverage.limits import DEFAULT_LIMITS, Limits
from benchwright.coverage.model import (
    BaseTree,
    Branches,
    CoverageReport,
    FileCoverage,
    Match,
    Note,
    NoteKind,
    Totals,
    Unmapped,
    UnmappedReason,
    count_lines,
)
from benchwright.coverage.readers import FORMATS, read
from benchwright.coverage.sets import intersection, merge, union

__all__ = [
    "DEFAULT_LIMITS",
    "FORMATS",
    "BaseTree",
    "Branches",
    "CoverageError",
    "CoverageReport",
    "FileCoverage",
    "Gain",
    "Limits",
    "Match",
    "Note",
    "NoteKind",
    "Reason",
    "Totals",
    "Unmapped",
    "UnmappedReason",
    "count_lines",
    "from_json",
    "gain",
    "intersection",
    "merge",
    "read",
    "to_json",
    "union",
]
