"""Printing the results of a run."""

from collections.abc import Sequence
from typing import Any

from benchwright.cli import records
from benchwright.cli.errors import CliError, warn
from benchwright.cli.gateway import Gateway, RefusedError
from benchwright.cli.target import Session


async def print_results(
    session: Session, run: str, uid: str, service: str, *, expected: int | None
) -> None:
    """The final table from the results service, or else from the Trials themselves."""
    try:
        _, found = await records.fetch(Gateway(session, service), run, uid)
    except RefusedError as error:
        warn(f"{error.format_message()}. The table is made from the Trial resources instead")
        found = await records.from_trials(session, run, uid)
    show(run, found)
    check_complete(found, expected)


def show(run: str, found: Sequence[dict[str, Any]]) -> None:
    """Print the table. Where the output is no terminal it is as wide as it needs to be."""
    from rich.console import Console

    from benchwright.reports.text import results

    console = Console()
    if not console.is_terminal:
        console = Console(width=max(console.width, 160))
    console.print(results(run, found))


def check_complete(found: Sequence[dict[str, Any]], expected: int | None) -> None:
    """A lost number is worse than none: say so."""
    if expected is not None and len(found) != expected:
        raise CliError(
            f"the run planned {expected} trials and there are records of {len(found)}: do not use "
            "these results before it is known what became of the others (`kubectl get trials`)"
        )
