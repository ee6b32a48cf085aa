"""Trials from a file: a tidy CSV (plain or gzipped), or results.json of a run."""

import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
    option = click.option(
        "--json", "export", type=click.Path(path_type=Path, dir_okay=False),
        help="Write everything to this file too.",
    )  # fmt: skip
    return file_options(option(command))


def file_options(command: F) -> F:
    """--data and --records."""
    file = click.Path(path_type=Path, exists=True, dir_okay=False)
    for option in (
        click.option("--records", type=file, multiple=True,
                     help="results.json of a run; given again, of several runs."),
        click.option("--data", type=file, help="Tidy CSV file, plain or gzipped: a row a trial."),
    ):  # fmt: skip
        command = option(command)
    return command


def read(data: Path | None, records: Sequence[Path], *, by_run: bool = False) -> "Dataset":
    """The trials of a table or of runs. Whatever is wrong with a file is one line.

    `by_run`: agents of several runs are kept apart, as `run/agent`.
    """
    if data is not None and not records:
        return read_tidy(data)
    if records and data is None:
        return _dataset(records, by_run)
    raise click.UsageError("give one of --data FILE and --records FILE")


def read_tidy(path: Path, planned: int | None = None) -> "Dataset":
    """A tidy CSV file. `planned`: trials of each agent at each task, where that is known."""
    from benchwright.analysis.tidy import TidyError, dataset

    try:
        with io.TextIOWrapper(io.BytesIO(_bytes(path)), encoding="utf-8-sig", newline="") as lines:
            return dataset(path.name.removesuffix(".gz"), lines, required_trials=planned)
    except (TidyError, UnicodeDecodeError) as error:
        raise CliError(f"{path}: {error}") from error


def read_records(paths: Sequence[Path]) -> "list[dict[str, object]]":
    """Records of all files, each of another run."""
    rows = {str(path): _rows(path) for path in paths}
    seen: dict[str, str] = {}
    for path, found in rows.items():
        for uid in {str(row["run_uid"]) for row in found}:
            if uid in seen:
                raise CliError(f"{path} and {seen[uid]} are of the same run: its trials count once")
            seen[uid] = path
    if not any(rows.values()):
        raise CliError(f"there is no trial in {', '.join(rows)}")
    return [row for found in rows.values() for row in found]


def read_plans(
    paths: Sequence[Path], rows: "Sequence[Mapping[str, object]]"
) -> "list[dict[str, object]]":
    """Plans in plan.json beside the files, as `benchwright results` writes it, of the runs of `rows`."""
    from benchwright.cli.records import parse_plans

    beside = {path.with_name("plan.json"): None for path in paths}
    plans = [p for file in beside if file.exists() for p in parse_plans(_bytes(file))]
    uids = {str(row["run_uid"]) for row in rows}
    return list({uid: p for p in plans if (uid := str(p["run_uid"])) in uids}.values())


def _dataset(paths: Sequence[Path], by_run: bool) -> "Dataset":
    from benchwright.analysis.records import dataset

    names = ", ".join(path.name for path in paths)
    with of_this_shape(names):
        rows = read_records(paths)
        return dataset(names, rows, read_plans(paths, rows), by_run=by_run)


@contextmanager
def of_this_shape(names: str) -> Iterator[None]:
    """What a record of another shape raises is one line."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CliError(
            f"{names} is no results.json of `benchwright results`: a record in it is not of the "
            f"shape that this version writes ({error!r})"
        ) from error


def _rows(path: Path) -> "list[dict[str, object]]":
    from benchwright.cli.records import parse

    content = _bytes(path)
    try:
        return parse(content)
    except (CliError, RecursionError) as error:
        raise CliError(
            f"{path} is no results.json of `benchwright results`: it holds no list of records"
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
