"""Errors and warnings: one line, and nothing in it steers the terminal."""

import click
import pytest

from benchwright.cli.errors import CliError, warn

HOSTILE = "pod \x1b[2J\x1b]0;title\x07 said:\n  \u202eno\u202c"
SHOWN = "pod  [2J ]0;title  said:  no"


def test_an_error_is_one_plain_line() -> None:
    assert " ".join(CliError(HOSTILE).format_message().split()) == " ".join(SHOWN.split())


def test_a_warning_too(capsys: pytest.CaptureFixture[str]) -> None:
    warn(HOSTILE)
    said = capsys.readouterr().err
    assert said.startswith("Warning: pod")
    assert click.unstyle(said) == said
    assert not set(said) & set("\x1b\x07\u202e\u202c")
