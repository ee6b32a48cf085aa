"""`benchwright compare A B`: which of two agents is ahead, and how sure that is."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.datafiles import data_options, read, write
from benchwright.cli.errors import CliError

if TYPE_CHECKING:
    from benchwright.analysis.comparison import Comparison
    from benchwright.analysis.observations import Dataset

_SHOWN = 20
"""Tasks of a failure set that are named; the JSON file has all."""


@click.command()
@click.argument("a")
@click.argument("b")
@data_options
def compare(
    a: str, b: str, data: Path | None, records: tuple[Path, ...], export: Path | None
) -> None:
    """Compare agents A and B over the tasks that both were measured at.

    Says the difference with its intervals, each by the name of its uncertainty, McNemar's test where
    there is one trial a task, the sets of failures, and a verdict in sentences. To compare an agent
    of two runs, give the results.json of both and the agents as RUN/AGENT.
    """
    from benchwright.analysis.comparison import compare as compared
    from benchwright.analysis.comparison import sentences
    from benchwright.analysis.grid import grid
    from benchwright.reports.provenance import carried, warnings
    from benchwright.reports.words import one_line

    found = read(data, records, by_run="/" in a and "/" in b)
    _known(found, a, b)
    comparison = compared(grid(found), a, b)
    said = sentences(comparison)
    told = [f"{label}: {value}" for label, value in carried(found).items()]
    for line in (*said, *warnings(found), *_mcnemar(comparison), *_failures(comparison), *told):
        click.echo(one_line(line, limit=4000))
    sides = [c for c in found.configs if c.key in {a, b}]
    write(export, {"comparison": comparison, "said": said, "agents": sides, "of": found.provenance})


def _known(found: "Dataset", *names: str) -> None:
    known = [c.key for c in found.configs]
    for name in names:
        if name not in known:
            raise CliError(f"there is no agent {name!r} in the data, which have: {_some(known)}")
    if len(set(names)) < len(names):
        raise CliError(f"{names[0]} cannot be compared with itself")


def _mcnemar(one: "Comparison") -> Iterator[str]:
    if one.mcnemar is not None:
        yield f"McNemar's exact test, one trial a task: p = {one.mcnemar.exact_p:.3g}."


def _failures(one: "Comparison") -> Iterator[str]:
    from benchwright.stats.values import Undefined

    sets = one.failures
    for what, tasks in (
        (f"Only {one.a} always failed", sets.only_a_failed),
        (f"Only {one.b} always failed", sets.only_b_failed),
        ("Both always failed", sets.both_failed),
        ("Intermittent", sets.intermittent),
        ("Both always solved", sets.both_solved),
    ):
        yield f"{what}: {len(tasks)}{': ' if tasks else ''}{_some(tasks)}"
    shared = sets.failed.jaccard
    said = shared.reason if isinstance(shared, Undefined) else f"{shared:.2f}"
    yield f"Failures in common (Jaccard index of the always failed tasks): {said}"


def _some(names: "tuple[str, ...] | list[str]") -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
