"""`benchwright run FILE…`: check, apply, watch."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.errors import CliError, warn
from benchwright.cli.options import Following, follow_options
from benchwright.cli.target import Session, Target, connect, pass_target, run_async

if TYPE_CHECKING:
    from benchwright.cli.apply import Applied
    from benchwright.cli.documents import Document


@click.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE…",
    type=click.Path(path_type=Path, exists=True),
)
@click.option("--no-wait", is_flag=True, help="Apply only, do not watch.")
@click.option("--force-conflicts", is_flag=True, help="Take over fields that others manage.")
@follow_options
@pass_target
def run(
    target: Target,
    files: tuple[Path, ...],
    no_wait: bool,
    force_conflicts: bool,
    following: Following,
) -> None:
    """Check and apply all documents of FILE…, then watch their run to its end.

    Exit code 1 if a document is wrong or refused, a trial is invalid, or the run is stuck.
    """
    documents = _checked(files)
    runs = [d for d in documents if d.ours and d.kind == "BenchmarkRun"]
    if len(runs) > 1 and not no_wait:
        names = ", ".join(d.name for d in runs)
        raise CliError(
            f"there are {len(runs)} BenchmarkRuns ({names}) and one can be watched: use --no-wait, "
            "then `benchwright watch RUN` for each"
        )
    watched = runs[0] if runs and not no_wait else None

    async def work() -> None:
        async with connect(target) as session:
            applied = await _apply(session, target, documents, force_conflicts)
            if watched is not None:
                await _watch(session, watched, applied, following)

    run_async(work())


def _checked(files: Sequence[Path]) -> "list[Document]":
    """Documents to apply; nothing is applied where anything is wrong."""
    from benchwright.cli.validate import count, inspect

    found = inspect(files)
    for finding in found.findings:
        if finding.severity != "note":
            click.echo(str(finding), err=True)
    if found.errors:
        raise CliError(f"{count(found.errors, 'error')}: nothing was applied")
    return [*found.resources, *(d for d in found.others if d.kind and d.api_version)]


async def _apply(
    session: Session, target: Target, documents: "Sequence[Document]", force: bool
) -> "list[Applied]":
    from benchwright.cli.apply import Applier, RefusedError

    applier = Applier(session, target.namespace, force)
    done = []
    try:
        async for item in applier.apply_all(documents):
            click.echo(f"{item.document.file}: {item}")
            done.append(item)
    except RefusedError as error:
        raise CliError(str(error)) from error
    return done


async def _watch(
    session: Session, document: "Document", applied: "Sequence[Applied]", following: Following
) -> None:
    from benchwright.cli.watch import watch_run

    mine = next(a for a in applied if a.document is document)
    if mine.result == "unchanged":
        warn(
            f"run {document.name} was there already and is only watched: to measure again, delete it "
            f"(`kubectl delete brun {document.name}`; its results are kept) or choose another name"
        )
    there = Session(session.kube, mine.namespace)
    await watch_run(there, document.name, following)
