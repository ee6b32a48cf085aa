"""Logging of the services, set up once: one line an event, on standard error."""

import logging
import os
import time
from collections.abc import Mapping

from benchwright.cli.errors import CliError

LEVEL = "BENCHWRIGHT_LOG_LEVEL"
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
_ESCAPES = {code: f"\\x{code:02x}" for code in (*range(32), 127)} | {10: "\\n", 13: "\\r", 9: "\\t"}


class OneLine(logging.Formatter):
    """Time in UTC, level, logger, message. Line ends and control characters are escaped, so that
    what others wrote (a trial's message, a traceback) can neither split nor fake an event."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        return f"{stamp}.{int(record.msecs):03d}Z"

    def format(self, record: logging.LogRecord) -> str:
        return super().format(record).translate(_ESCAPES)


def configure(env: Mapping[str, str] = os.environ) -> None:
    """Log to standard error at the level that BENCHWRIGHT_LOG_LEVEL names (default INFO)."""
    level = env.get(LEVEL, "INFO").upper()
    if level not in _LEVELS:
        raise CliError(f"{LEVEL}={level!r} is no level: set it to one of {', '.join(_LEVELS)}")
    handler = logging.StreamHandler()
    handler.setFormatter(OneLine())
    logging.basicConfig(level=level, handlers=[handler], force=True)
