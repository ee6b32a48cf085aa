"""`benchwright calibrate`: how good the tasks are, and which of them should be looked at."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.datafiles import data_options, read, write
from benchwright.cli.errors import CliError

if TYPE_CHECKING:
    from rich.table import Table

    from benchwright.analysis.items import Calibration, Item
    from benchwright.stats.values import Undefined


@click.command()
@data_options
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="AGENT",
    help="Agent by which saturation is judged; may be given again. Left out: all.",
)
@click.option("--all", "every", is_flag=True, help="Show all tasks, not only those to review.")
def calibrate(
    data: Path | None,
    records: tuple[Path, ...],
    export: Path | None,
    references: tuple[str, ...],
    every: bool,
) -> None:
    """Item statistics of the tasks, their spread over difficulty, and a list to review.

    A flag is a reason to look at a task, never to leave it out of results.
    """
    from rich.console import Console

    from benchwright.analysis.grid import grid
    from benchwright.analysis.items import calibrate as calibrated

    found = read(data, records)
    unknown = set(references) - {c.key for c in found.configs}
    if unknown:
        raise CliError(f"there is no agent {sorted(unknown)[0]!r} in the data")
    calibration = calibrated(grid(found), references)
    console = Console()
    if not console.is_terminal:
        console = Console(width=max(console.width, 160))
    shown = calibration.items if every else calibration.review
    if shown:
        console.print(_table(shown, "Tasks" if every else "Tasks to review"))
    for line in _sentences(calibration):
        click.echo(line)
    write(export, {"calibration": calibration, "of": found.provenance})


def _table(items: "tuple[Item, ...]", title: str) -> "Table":
    from rich.table import Table
    from rich.text import Text

    from benchwright.reports.words import one_line

    out = Table(title=title, title_justify="left")
    out.add_column("Task", overflow="fold")
    out.add_column("Average", justify="right")
    out.add_column("Trials", justify="right")
    out.add_column("Item-rest r (95 %)", justify="right")
    out.add_column("Review", overflow="fold")
    for item in items:
        out.add_row(
            Text(one_line(item.task.key)),
            _number(item.panel_average, "{:.0%}"),
            f"{item.pooled.c}/{item.pooled.n}",
            _correlation(item),
            Text("; ".join(item.reviews) or "–"),
        )
    return out


def _number(value: "float | Undefined", form: str) -> str:
    from benchwright.stats.values import Undefined

    return "n/a" if isinstance(value, Undefined) else form.format(value)


def _correlation(item: "Item") -> str:
    from benchwright.stats.values import Undefined

    r, interval = _number(item.item_rest, "{:.2f}"), item.item_rest_interval
    return (
        r if isinstance(interval, Undefined) else f"{r} ({interval.low:.2f} to {interval.high:.2f})"
    )


def _sentences(of: "Calibration") -> Iterator[str]:
    from benchwright.analysis.items import BAND, TARGET_PERCENT
    from benchwright.reports.words import one_line

    shape = of.portfolio
    share = f"{shape.in_band / shape.tasks:.0%}" if shape.tasks else "n/a"
    yield (
        f"{shape.in_band} of {shape.tasks} tasks ({share}) have panel averages of {BAND[0]} to "
        f"{BAND[1]} % (target: {TARGET_PERCENT} %); {shape.harder} are harder, {shape.easier} easier"
    )
    yield f"never solved: {shape.never_solved}; always solved: {shape.always_solved}"
    lacking = len(of.items) - shape.tasks
    if lacking:
        yield f"{lacking} tasks have no panel average: an agent has no valid trial of them"
    for group in of.cohorts:
        yield (
            f"between the best {group.best} agents {group.always + group.never} tasks decide nothing: "
            f"all always solve {group.always} of them, none ever {group.never}"
        )
    families = ", ".join(f"{one_line(f)} {n}" for f, n in sorted(of.families.items()))
    yield f"panel: {of.configurations} agents, by model family: {families}"
    yield f"to review: {len(of.review)} of {len(of.items)} tasks; none is left out for it"
