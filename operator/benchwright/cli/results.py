"""`benchwright results RUN`: the records, the table, the report and the evidence, in a folder.

The CSV file and the page are made here from the very records that were downloaded, so that the
three always agree, also while a run goes on (and the API server rewrites links in HTML that passes
through its service proxy).
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import click

from benchwright.cli import records
from benchwright.cli.errors import CliError, warn
from benchwright.cli.evidence import download
from benchwright.cli.gateway import Gateway, RefusedError
from benchwright.cli.options import service_option
from benchwright.cli.records import Record
from benchwright.cli.tables import check_complete, show
from benchwright.cli.target import Session, Target, connect, pass_target, run_async

_DOWNLOADS = 4


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
    folder = out or Path(f"{run}-results")
    work = _results(target, run, folder, uid, replace, not no_evidence, service)
    found, expected = run_async(work)
    if not quiet:
        show(run, found)
    for line in _written(folder, len(found), not no_evidence):
        click.echo(line)
    check_complete(found, expected)


def _written(folder: Path, trials: int, evidence: bool) -> Iterator[str]:
    """Where each file is, and what for."""
    for name, what in (
        ("results.json", f"records of {trials} trial{'' if trials == 1 else 's'}"),
        ("results.csv", "the same, one row a trial"),
        ("report.html", "the report: open it in a browser, it needs no network"),
        ("evidence", "logs, patches and reports, one archive a trial"),
    ):
        if evidence or name != "evidence":
            yield f"{folder / name}  {what}"


async def _results(
    target: Target,
    run: str,
    folder: Path,
    uid: str | None,
    replace: bool,
    evidence: bool,
    service: str,
) -> tuple[list[Record], int | None]:
    """The records, and how many there should be where that is known."""
    async with connect(target) as session:
        gateway = Gateway(session, service)
        known_uid, expected = await _known(session, run)
        data, found = await records.fetch(gateway, run, uid or known_uid)
        _make_room(folder, str(found[0]["run_uid"]) if found else "", replace)
        _write(folder, run, data, found)
        if evidence:
            await _all_evidence(gateway, folder / "evidence", found)
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


def _make_room(folder: Path, uid: str, replace: bool) -> None:
    """Evidence of another run is never mixed in, and never removed unasked."""
    old = folder / "results.json"
    if not old.exists():
        return
    try:
        rows = records.parse(old.read_bytes())
    except CliError as error:
        raise CliError(f"{old} is not by this program: choose another --out") from error
    others = [r for r in rows if str(r["run_uid"]) != uid]
    if others and not replace:
        raise CliError(
            f"{folder} holds the results of another run ({others[0]['run']}, UID "
            f"{others[0]['run_uid']}): choose another --out, or replace them with --replace"
        )
    for row in others:
        (folder / "evidence" / f"{row['trial']}.tar.gz").unlink(missing_ok=True)


def _write(folder: Path, run: str, data: bytes, found: list[Record]) -> None:
    from benchwright.reports.html import render
    from benchwright.reports.table import to_csv

    (folder / "evidence").mkdir(parents=True, exist_ok=True)
    (folder / "results.csv").write_text(to_csv(found), encoding="utf-8", newline="")
    page = render(run, found, evidence_folder="evidence")
    (folder / "report.html").write_text(page, encoding="utf-8")
    (folder / "results.json").write_bytes(data)


async def _all_evidence(gateway: Gateway, folder: Path, found: list[Record]) -> None:
    limit = asyncio.Semaphore(_DOWNLOADS)

    async def one(record: Record) -> str | None:
        async with limit:
            try:
                await download(
                    gateway, str(record["trial_uid"]), folder / f"{record['trial']}.tar.gz"
                )
            except RefusedError as error:
                return f"{record['trial']}: {error.format_message()}"
        return None

    missing = [m for m in await asyncio.gather(*(one(r) for r in found)) if m]
    if missing:
        trials = "1 trial" if len(missing) == 1 else f"{len(missing)} trials"
        raise CliError(f"the evidence of {trials} is missing: {'; '.join(missing)}")
