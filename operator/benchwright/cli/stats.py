"""`benchwright stats check FILE`: do the statistics agree with reference values?"""

import csv
import gzip
import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from benchwright.cli.errors import CliError


@click.group()
def stats() -> None:
    """The statistics of reports, and how to check them."""


@stats.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--data",
    metavar="DIR",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with the tables (CSV, or CSV packed as .gz) that FILE's real_data are about.",
)
def check(file: Path, data: Path | None) -> None:
    """Compute the cases in FILE (JSON) and compare them with what it expects.

    One line for each value that disagrees, and how many cases agree. Exit code 1 where one does not.
    """
    from benchwright.cli.findings import Finding
    from benchwright.stats.reference import (
        NotReferenceError,
        agreeing,
        check_whole_sets,
    )
    from benchwright.stats.reference import check as check_cases

    document = _document(file)
    try:
        checked = check_cases(document)
        checked += check_whole_sets(document, _tables(data)) if data else []
    except NotReferenceError as error:
        raise CliError(f"{file}: {error}") from error
    for case in checked:
        for text in case.disagreements:
            click.echo(str(Finding(case.case, case.statistic, "", text)))
    agree = agreeing(checked)
    click.echo(f"{len(checked)} cases, {agree} agree")
    if agree < len(checked):
        raise SystemExit(1)


def _document(file: Path) -> object:
    try:
        document: object = json.loads(file.read_bytes())
    except OSError as error:
        raise CliError(f"{file}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise CliError(f"{file}: is no JSON: {error}") from error
    return document


def _tables(folder: Path) -> Mapping[str, Sequence[Mapping[str, str]]]:
    """The tables that `folder` has, by set. One at least must be there."""
    from benchwright.stats.wholesets import SETS

    found = {}
    for name, (table, _) in SETS.items():
        paths = [p for p in (folder / table, folder / f"{table}.gz") if p.is_file()]
        if paths:
            found[name] = _rows(paths[0])
    if not found:
        names = ", ".join(table for table, _ in SETS.values())
        raise CliError(f"{folder}: has none of {names}")
    return found


def _rows(path: Path) -> Sequence[Mapping[str, str]]:
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
        return list(csv.DictReader(text.splitlines()))
    except (OSError, EOFError, zlib.error, ValueError, csv.Error) as error:
        raise CliError(f"{path}: cannot be read: {error}") from error
