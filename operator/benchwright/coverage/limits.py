"""How much of a report is believed to be a report; beyond it, it is an attack or a mistake."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps on one report. Past any of them `CoverageError(too_large)` is raised.

    The defaults are an order of magnitude above the largest public repositories. Measured at
    them, hostile files of 64 MiB took at most 650 MiB of memory to refuse, and up to a minute of
    a slow core.
    """

    bytes: int = 64 * 1024 * 1024
    files: int = 200_000
    lines: int = 5_000_000
    """Distinct (file, line) pairs; distinct branches count as lines too."""
    rows: int = 10_000_000
    """Records of a text format, JSON values, XML elements: bounds time, not only memory."""
    sources: int = 256
    """`<source>` elements; each one is tried for each file."""
    path_chars: int = 4096
    stored_bytes: int = 32 * 1024 * 1024
    """Of a report as `to_json` writes it."""
    xml_depth: int = 64


DEFAULT_LIMITS = Limits()
