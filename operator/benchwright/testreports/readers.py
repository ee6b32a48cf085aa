"""One reader a format."""

from collections.abc import Callable, Mapping

from benchwright.testreports import junit
from benchwright.testreports.model import ReportError, ReportLimits, ReportReason, TestReport

FORMATS: Mapping[str, Callable[[bytes, ReportLimits], TestReport]] = {"junit": junit.parse}


def read(data: bytes, format: str, *, limits: ReportLimits | None = None) -> TestReport:  # noqa: A002
    """Read one report file; raises `ReportError`.

    No test cases is a valid report: whether a run without tests is acceptable is for the verdict.
    """
    limits = limits or ReportLimits()
    parse = FORMATS.get(format)
    if parse is None:
        raise ReportError(ReportReason.UNSUPPORTED_FORMAT, f"{format!r}: know {sorted(FORMATS)}")
    if len(data) > limits.bytes:
        raise ReportError(ReportReason.TOO_LARGE, f"more than {limits.bytes} bytes")
    return parse(data, limits)
