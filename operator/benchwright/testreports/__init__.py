"""Results of tests: readers of reports, and what changed between runs.

Pure: bytes in, values or `ReportError` out. `read` makes a `TestReport` from one file, `join`
puts together the files of one run, `compare` sets runs after against runs before.
"""

from benchwright.testreports.compare import TestDelta, compare
from benchwright.testreports.model import (
    Counts,
    ReportError,
    ReportLimits,
    ReportReason,
    Status,
    TestCase,
    TestReport,
    join,
)
from benchwright.testreports.readers import FORMATS, read

__all__ = [
    "FORMATS",
    "Counts",
    "ReportError",
    "ReportLimits",
    "ReportReason",
    "Status",
    "TestCase",
    "TestDelta",
    "TestReport",
    "compare",
    "join",
    "read",
]
