"""`benchwright watch RUN`: a live view, and the results at the end."""

import click

from benchwright.cli.errors import CliError
from benchwright.cli.options import Following, follow_options
from benchwright.cli.target import Session, Target, connect, pass_target, run_async


@click.command()
@click.argument("run")
@follow_options
@pass_target
def watch(target: Target, run: str, following: Following) -> None:
    """Watch RUN until every trial has an outcome, then print the results.

    Exit code 1 if a trial is invalid, or if the run is stuck.
    """
    run_async(_watch(target, run, following))


async def _watch(target: Target, run: str, following: Following) -> None:
    async with connect(target) as session:
        await watch_run(session, run, following)


async def watch_run(session: Session, run: str, following: Following) -> None:
    """Follow, print the final table, and raise where the run taught less than it should have."""
    from rich.console import Console

    from benchwright.cli.follow import Pace, follow, get_run
    from benchwright.cli.live import LiveView, PlainView, View
    from benchwright.cli.progress import invalid_summary
    from benchwright.cli.saving import Folder
    from benchwright.cli.tables import print_results

    folder = Folder(following.out, following.replace) if following.out else None
    if folder:
        # Said now, not after the hours that a run may take.
        folder.check((await get_run(session, run)).uid)
    console = Console()
    lines = following.plain or not console.is_terminal
    view: View = PlainView(click.echo) if lines else LiveView(console)
    try:
        end = await follow(session, run, view, Pace(stuck_after=following.stuck_after))
    finally:
        view.close()
    await print_results(session, end.run, following.service, folder)
    invalid = end.with_outcome("invalid")
    if invalid:
        raise CliError(
            f"{len(invalid)} of {len(end.planned)} trials are invalid: {invalid_summary(invalid)}"
        )
