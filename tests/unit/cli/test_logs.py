"""Logging of the services: one line an event."""

import logging
import sys
from collections.abc import Iterator

import pytest

from benchwright.cli.errors import CliError
from benchwright.cli.logs import OneLine, configure


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    root = logging.getLogger()
    before = (root.level, list(root.handlers))
    yield
    root.setLevel(before[0])
    root.handlers[:] = before[1]


def formatted(message: str, error: bool = False) -> str:
    info = None
    if error:
        try:
            raise ValueError("first\nsecond")
        except ValueError:
            info = sys.exc_info()
    record = logging.LogRecord("benchwright.x", logging.INFO, "f", 1, message, None, info)
    record.created, record.msecs = 1767261600.5, 500.0
    return OneLine().format(record)


def test_an_event_is_a_line_with_time_level_and_logger() -> None:
    assert formatted("hello") == "2026-01-01T10:00:00.500Z INFO benchwright.x: hello"


@pytest.mark.parametrize(
    ("message", "shown"), [("a\nb", "a\\nb"), ("a\r\x1b[0m", "a\\r\\x1b[0m"), ("a\tb\x7f", "a\\tb\\x7f")]
)  # fmt: skip
def test_no_message_can_fake_another_event(message: str, shown: str) -> None:
    assert formatted(message).endswith(f": {shown}")


def test_a_traceback_is_in_the_same_line() -> None:
    text = formatted("failed", error=True)
    assert len(text.splitlines()) == 1
    assert text.endswith("ValueError: first\\nsecond")


def test_the_level_comes_from_the_environment() -> None:
    configure({"BENCHWRIGHT_LOG_LEVEL": "warning"})
    assert logging.getLogger().level == logging.WARNING
    configure({})
    assert logging.getLogger().level == logging.INFO
    assert len(logging.getLogger().handlers) == 1


def test_a_level_that_is_none_says_which_there_are() -> None:
    with pytest.raises(CliError, match="set it to one of DEBUG, INFO, WARNING, ERROR"):
        configure({"BENCHWRIGHT_LOG_LEVEL": "loud"})
