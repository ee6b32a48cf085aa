"""Errors as the user sees them: one line that says what, where and what to do."""

import click

from benchwright.reports.words import one_line

OK, PROBLEM, USAGE = 0, 1, 2
"""Exit codes: done; a problem was found or a run failed; the command line was wrong."""


_LONGEST = 8000


class CliError(click.ClickException):
    """Ends the command with exit code 1 and one line."""

    exit_code = PROBLEM

    def format_message(self) -> str:
        return _line(self.message)


def warn(message: str) -> None:
    """A line on standard error that does not end the command."""
    click.echo(f"Warning: {_line(message)}", err=True)


def _line(message: str) -> str:
    """It may quote files, names and answers of services: nothing in it may steer a terminal."""
    return one_line(" ".join(message.split()), limit=_LONGEST)
