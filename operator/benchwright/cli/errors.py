"""Errors as the user sees them: one line that says what, where and what to do."""

import click

OK, PROBLEM, USAGE = 0, 1, 2
"""Exit codes: done; a problem was found or a run failed; the command line was wrong."""


class CliError(click.ClickException):
    """Ends the command with exit code 1 and one line."""

    exit_code = PROBLEM

    def format_message(self) -> str:
        return " ".join(self.message.split())


def warn(message: str) -> None:
    """A line on standard error that does not end the command."""
    click.echo(f"Warning: {' '.join(message.split())}", err=True)
