"""`benchwright report`: the whole report as a folder of files."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.datafiles import (
    file_options,
    of_this_shape,
    read_plans,
    read_records,
    read_tidy,
)
from benchwright.cli.errors import CliError
from benchwright.cli.options import service_option
from benchwright.cli.target import Target, connect, pass_target, run_async

if TYPE_CHECKING:
    from benchwright.reports.report import Report


@click.command()
@click.argument("run", required=False)
@file_options
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder to write to.",
)
@click.option("--title", help="Title of the report. Left out: the run, or the file.")
@click.option(
    "--planned",
    type=click.IntRange(min=1),
    metavar="N",
    help="Trials that were planned for each agent at each task of --data. Left out: unknown.",
)
@click.option(
    "--public",
    is_flag=True,
    help="Leave out private tasks (split: private): of these only what is said of all together.",
)
@click.option("--replace", is_flag=True, help="Write over an earlier report in the folder.")
@click.option("--uid", help="Which of several runs that had this name.")
@service_option
@pass_target
def report(
    target: Target,
    run: str | None,
    data: Path | None,
    records: tuple[Path, ...],
    out: Path,
    title: str | None,
    planned: int | None,
    public: bool,
    replace: bool,
    uid: str | None,
    service: str,
) -> None:
    """Write report.html, the trials, and all that follows from them to a folder.

    The trials are those of RUN in the cluster, of --records (results.json of one run or of several),
    or of --data (a tidy CSV file, plain or gzipped: config, model_family, task, trial, outcome,
    cost_usd, tokens_in, tokens_out, seconds). `benchwright results` writes the same with the evidence.
    """
    if sum((run is not None, data is not None, bool(records))) != 1:
        raise click.UsageError("give one of RUN, --data FILE and --records FILE")
    if planned is not None and data is None:
        raise click.UsageError("--planned is for --data: the plan of a run is known")
    if (out / "report.html").exists() and not replace:
        raise CliError(f"{out} holds a report already: choose another --out, or --replace it")
    found = (
        _of_run(target, run, uid, service, title)
        if run is not None
        else _of_files(data, records, title, planned)
    )
    _write(found, out, public)


def _of_run(target: Target, run: str, uid: str | None, service: str, title: str | None) -> "Report":
    from benchwright.cli.fetched import Fetched, fetch
    from benchwright.cli.gateway import Gateway
    from benchwright.reports.report import of_records

    async def fetched() -> Fetched:
        async with connect(target) as session:
            return await fetch(Gateway(session, service), run, uid)

    found = run_async(fetched())
    return of_records(title or run, found.records, found.plans)


def _of_files(
    data: Path | None, records: tuple[Path, ...], title: str | None, planned: int | None
) -> "Report":
    from dataclasses import replace

    from benchwright.reports.report import Report, of_records

    if data is not None:
        found = read_tidy(data, planned)
        return Report(replace(found, title=title or found.title))
    rows = read_records(records)
    names = ", ".join(sorted({str(row["run"]) for row in rows}))
    with of_this_shape(", ".join(path.name for path in records)):
        return of_records(title or names, rows, read_plans(records, rows))


def _write(made: "Report", out: Path, public: bool) -> None:
    from benchwright.reports.files import WHAT, files
    from benchwright.reports.report import published

    out.mkdir(parents=True, exist_ok=True)
    for name, content in files(published(made) if public else made):
        path = out / name
        try:
            path.write_text(content, encoding="utf-8", newline="")
        except OSError as error:
            raise CliError(f"{path} cannot be written: {error}") from error
        click.echo(f"{path}  {WHAT[name]}")
