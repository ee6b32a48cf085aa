"""`benchwright power`: how many tasks and trials a comparison needs."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.datafiles import data_options, read, write
from benchwright.cli.errors import CliError

if TYPE_CHECKING:
    from benchwright.analysis.planning import Variances

_RATE = click.FloatRange(0, 1, min_open=True, max_open=True)
_SPREAD = click.FloatRange(0, 1)
_NOISE = click.FloatRange(0, 0.25)


@click.command()
@data_options
@click.option("--a", help="First agent of the pilot.")
@click.option("--b", help="Second agent of the pilot.")
@click.option(
    "--sd-diff",
    type=_SPREAD,
    help="Assumed: standard deviation over tasks of the difference of the two agents' rates, each of "
    "--trials trials.",
)
@click.option(
    "--within-variance",
    type=_NOISE,
    help="Assumed: variance of one trial around its task's rate, which is p(1-p): the mean over tasks.",
)
@click.option("--tasks", type=click.IntRange(1, 10**6), required=True, help="Tasks to plan with.")
@click.option("--trials", type=click.IntRange(1, 10**6), required=True, help="Trials of each task.")
@click.option("--difference", type=_RATE, default=0.05, show_default=True)
@click.option("--power", "wanted_power", type=_RATE, default=0.8, show_default=True)
@click.option("--alpha", type=_RATE, default=0.05, show_default=True)
def power(
    data: Path | None, records: tuple[Path, ...], export: Path | None, a: str | None, b: str | None,
    sd_diff: float | None, within_variance: float | None, tasks: int, trials: int,
    difference: float, wanted_power: float, alpha: float,
) -> None:  # fmt: skip
    """Tasks and trials that a difference needs, or the difference that those given detect.

    From a pilot (--data or --records, with --a and --b), or from assumed variances (--sd-diff,
    --within-variance).
    """
    from benchwright.analysis.planning import Wanted, plan, sentences
    from benchwright.reports.words import one_line

    if alpha >= wanted_power:
        raise click.UsageError("--alpha is below --power")
    if data or records:
        if sd_diff is not None or within_variance is not None:
            raise click.UsageError("give a pilot or assumed variances, not both")
        variances = _pilot(data, records, a, b, trials)
    else:
        variances = _assumed(sd_diff, within_variance)
    try:
        found = plan(Wanted(tasks, trials, difference, wanted_power, alpha), variances)
    except ValueError as error:
        raise CliError(f"it cannot be planned: {error}") from error
    said = sentences(found)
    for line in said:
        click.echo(one_line(line, limit=1000))
    write(export, {"plan": found, "said": said})


def _pilot(
    data: Path | None, records: tuple[Path, ...], a: str | None, b: str | None, trials: int
) -> "Variances":
    from benchwright.analysis.grid import grid
    from benchwright.analysis.planning import pilot

    if not a or not b or a == b:
        raise click.UsageError("a pilot needs two agents, --a and --b")
    found = read(data, records)
    known = {c.key for c in found.configs}
    for name in (a, b):
        if name not in known:
            raise CliError(f"there is no agent {name!r} in the data")
    return pilot(grid(found), a, b, trials)


def _assumed(sd_diff: float | None, within: float | None) -> "Variances":
    from benchwright.analysis.planning import Variances
    from benchwright.stats.values import Undefined

    if sd_diff is None and within is None:
        raise click.UsageError(
            "give a pilot (--data or --records) or assumed variances (--sd-diff, --within-variance)"
        )
    unknown = Undefined("not-given", "it was not given")
    of_trial = unknown if within is None else within
    return Variances(unknown if sd_diff is None else sd_diff, of_trial, of_trial)
