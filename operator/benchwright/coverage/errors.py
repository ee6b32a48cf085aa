"""Why a report cannot be used."""

from enum import StrEnum


class Reason(StrEnum):
    """Why a report is no measurement."""

    MALFORMED = "malformed"
    TOO_LARGE = "too_large"
    NO_MEASURABLE_LINES = "no_measurable_lines"
    PATH_ESCAPE = "path_escape"
    REFUSED_XML = "refused_xml"
    UNSUPPORTED_FORMAT = "unsupported_format"


class CoverageError(Exception):
    """A report that cannot be used; `message` is one line, safe to show (bounded, printable)."""

    def __init__(self, reason: Reason, message: str) -> None:
        self.reason = reason
        self.message = printable(message)
        super().__init__(f"{reason}: {self.message}")


def printable(text: str, limit: int = 400) -> str:
    """One line of at most `limit` characters without control characters or surrogates."""
    shown = "".join(char if char.isprintable() else "�" for char in text[: limit + 1])
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def malformed(message: str) -> CoverageError:
    """Not what its format says, or broken."""
    return CoverageError(Reason.MALFORMED, message)


def too_large(message: str) -> CoverageError:
    """Past a limit."""
    return CoverageError(Reason.TOO_LARGE, message)
