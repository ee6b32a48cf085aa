"""Printing the results of a run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli import records
from benchwright.cli.errors import CliError, warn
from benchwright.cli.gateway import Gateway, RefusedError
from benchwright.cli.saving import Folder
from benchwright.cli.target import Session

if TYPE_CHECKING:
    from benchwright.cli.views import RunProgress


async def print_results(
    session: Session, run: "RunProgress", service: str, folder: Folder | None
) -> None:
    """The final table from the results service, or else from the Trials themselves, then the files.

    What is missing in either raises at the end.
    """
    gateway = Gateway(session, service)
    data, refused = None, ""
    plans: list[dict[str, Any]] = []
    try:
        data, found = await records.fetch(gateway, run.name, run.uid)
        plans = await records.fetch_plans(gateway, run.name, run.uid)
    except RefusedError as error:
        refused = error.format_message()
        warn(f"{refused}. The table is made from the Trial resources instead")
        found = await records.from_trials(session, run.name, run.uid)
    show(run.name, found, plans)
    if folder and data is None:
        raise CliError(f"nothing was written to {folder.path}: {refused}")
    if folder and data is not None:
        await folder.save(gateway, run.name, data, found, plans)
        for line in folder.written(len(found)):
            click.echo(line)
    check_complete(found, run.planned)


def show(run: str, found: Sequence[dict[str, Any]], plans: Sequence[dict[str, Any]] = ()) -> None:
    """Print the table. Where the output is no terminal it is as wide as it needs to be."""
    from rich.console import Console

    from benchwright.reports.report import of_records
    from benchwright.reports.text import results

    console = Console()
    if not console.is_terminal:
        console = Console(width=max(console.width, 160))
    console.print(results(of_records(run, found, plans)))


def check_complete(found: Sequence[dict[str, Any]], expected: int | None) -> None:
    """A lost number is worse than none: say so."""
    if expected is not None and len(found) != expected:
        raise CliError(
            f"the run planned {expected} trials and there are records of {len(found)}: do not use "
            "these results before it is known what became of the others (`kubectl get trials`)"
        )
