"""Trials from a file: a tidy CSV (plain or gzipped), or results.json of a run."""

import gzip
import io
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from benchwright.cli.errors import CliError

if TYPE_CHECKING:
    from benchwright.analysis.observations import Dataset

MAX_BYTES = 512 * 1024 * 1024
"""Of a file, unpacked: half a million trials are a tenth of it."""
_GZIP = b"\x1f\x8b"

F = TypeVar("F", bound=Callable[..., None])


def data_options(command: F) -> F:
    """--data, --records and --json, of all commands that analyse trials."""
    file = click.Path(path_type=Path, exists=True, dir_okay=False)
    for option in (
        click.option("--json", "export", type=click.Path(path_type=Path, dir_okay=False),
                     help="Write everything to this file too."),
        click.option("--records", type=file, help="results.json of a run."),
        click.option("--data", type=file, help="Tidy CSV file, plain or gzipped: a row a trial."),
    ):  # fmt: skip
        command = option(command)
    return command


def read(data: Path | None, records: Path | None) -> "Dataset":
    """The trials of exactly one of the two. Whatever is wrong with it is one line."""
    if data is not None and records is None:
        return _tidy(data)
    if records is not None and data is None:
        return _records(records)
    raise click.UsageError("give one of --data FILE and --records FILE")


def _tidy(path: Path) -> "Dataset":
    from benchwright.analysis.tidy import TidyError, dataset

    try:
        with io.TextIOWrapper(io.BytesIO(_bytes(path)), encoding="utf-8-sig", newline="") as lines:
            return dataset(path.name.removesuffix(".gz"), lines)
    except (TidyError, UnicodeDecodeError) as error:
        raise CliError(f"{path}: {error}") from error


def _records(path: Path) -> "Dataset":
    from benchwright.analysis.records import dataset
    from benchwright.cli.records import parse

    content = _bytes(path)
    try:
        rows = parse(content)
    except (CliError, RecursionError) as error:
        raise CliError(
            f"{path} is no results.json of `benchwright results`: it holds no list of records"
        ) from error
    try:
        return dataset(path.name, rows)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CliError(
            f"{path} is no results.json of `benchwright results`: a record in it is not of the shape "
            f"that this version writes ({error!r})"
        ) from error


def _bytes(path: Path) -> bytes:
    """The content, unpacked where it is gzipped; bounded."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == _GZIP
        with gzip.open(path) if packed else path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise CliError(f"{path} cannot be read: {error}") from error
    if len(content) > MAX_BYTES:
        raise CliError(f"{path} is larger than {MAX_BYTES // 1024**2} MiB, unpacked")
    return content


def write(export: Path | None, found: object) -> None:
    """The export of a command, where it is wanted; what is undefined has its reason in it."""
    import json

    from benchwright.analysis.export import plain

    if export is None:
        return
    text = json.dumps(plain(found), indent=1, allow_nan=False)
    try:
        export.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise CliError(f"{export} cannot be written: {error}") from error
    click.echo(f"{export}  the same, with everything")
