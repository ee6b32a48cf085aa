"""`benchwright results RUN`: the records, the table, the report and the evidence, in a folder."""

from pathlib import Path

import click

from benchwright.cli.fetched import Fetched, fetch
from benchwright.cli.gateway import Gateway
from benchwright.cli.options import service_option
from benchwright.cli.saving import Folder
from benchwright.cli.tables import check_complete, show
from benchwright.cli.target import Target, connect, pass_target, run_async


@click.command()
@click.argument("run")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write to. Left out: <run>-results.",
)
@click.option("--uid", help="Which of several runs that had this name.")
@click.option("--replace", is_flag=True, help="Replace the results of another run in the folder.")
@click.option("--no-evidence", is_flag=True, help="Leave the evidence where it is.")
@click.option("--quiet", is_flag=True, help="Write the files, do not print the table.")
@service_option
@pass_target
def results(
    target: Target,
    run: str,
    out: Path | None,
    uid: str | None,
    replace: bool,
    no_evidence: bool,
    quiet: bool,
    service: str,
) -> None:
    """Write results.json, results.csv, report.html and evidence/ of RUN, and print the table."""
    folder = Folder(out or Path(f"{run}-results"), replace, not no_evidence)
    found = run_async(_results(target, run, folder, uid, service))
    if not quiet:
        show(run, found.records, found.plans)
    for line in folder.written(len(found.records)):
        click.echo(line)
    check_complete(found.records, found.expected)


async def _results(
    target: Target, run: str, folder: Folder, uid: str | None, service: str
) -> Fetched:
    async with connect(target) as session:
        gateway = Gateway(session, service)
        found = await fetch(gateway, run, uid)
        await folder.save(gateway, run, found.data, found.records, found.plans)
    return found
