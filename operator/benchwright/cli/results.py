"""`benchwright results RUN`: the records, the table, the report and the evidence, in a folder."""

from pathlib import Path

import click

from benchwright.cli import records
from benchwright.cli.errors import warn
from benchwright.cli.gateway import Gateway
from benchwright.cli.options import service_option
from benchwright.cli.records import Record
from benchwright.cli.saving import Folder
from benchwright.cli.tables import check_complete, show
from benchwright.cli.target import Session, Target, connect, pass_target, run_async


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
    found, expected = run_async(_results(target, run, folder, uid, service))
    if not quiet:
        show(run, found)
    for line in folder.written(len(found)):
        click.echo(line)
    check_complete(found, expected)


async def _results(
    target: Target, run: str, folder: Folder, uid: str | None, service: str
) -> tuple[list[Record], int | None]:
    """The records, and how many there should be where that is known."""
    async with connect(target) as session:
        gateway = Gateway(session, service)
        known_uid, expected = await _known(session, run)
        data, found = await records.fetch(gateway, run, uid or known_uid)
        await folder.save(gateway, run, data, found)
    return found, expected if uid in {None, known_uid} else None


async def _known(session: Session, run: str) -> tuple[str | None, int | None]:
    """UID and planned trials of the run in the cluster; a deleted one still has its results."""
    from benchwright.cli.views import parse_run
    from benchwright.kube.client import RUNS
    from benchwright.kube.errors import ApiError

    try:
        found = parse_run(await session.kube.get(RUNS, session.namespace, run))
    except ApiError as error:
        if not error.not_found:
            raise
        return None, None
    if not found.complete:
        warn(f"run {run} is not complete: these are the results so far")
        return found.uid, None
    return found.uid, found.planned
