"""`benchwright watch RUN`: a live view, and the results at the end."""

import click

from benchwright.cli.errors import CliError
from benchwright.cli.gateway import service_option
from benchwright.cli.target import Session, Target, connect, pass_target, run_async


@click.command()
@click.argument("run")
@click.option("--plain", is_flag=True, help="Plain lines, as when the output is no terminal.")
@click.option(
    "--stuck-after",
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    type=click.FloatRange(min=1),
    help="Give up where nothing can go on for so long; the reason is said.",
)
@service_option
@pass_target
def watch(target: Target, run: str, plain: bool, stuck_after: float, service: str) -> None:
    """Watch RUN until every trial has an outcome, then print the results.

    Exit code 1 if a trial is invalid, or if the run is stuck.
    """
    run_async(_watch(target, run, plain, stuck_after, service))


async def _watch(target: Target, run: str, plain: bool, stuck_after: float, service: str) -> None:
    async with connect(target) as session:
        await watch_run(session, run, plain=plain, stuck_after=stuck_after, service=service)


async def watch_run(
    session: Session, run: str, *, plain: bool, stuck_after: float, service: str
) -> None:
    """Follow, print the final table, and raise where the run taught less than it should have."""
    from rich.console import Console

    from benchwright.cli.follow import Pace, follow
    from benchwright.cli.live import LiveView, PlainView, View
    from benchwright.cli.progress import invalid_summary
    from benchwright.cli.tables import print_results

    console = Console()
    view: View = PlainView(click.echo) if plain or not console.is_terminal else LiveView(console)
    try:
        end = await follow(session, run, view, Pace(stuck_after=stuck_after))
    finally:
        view.close()
    await print_results(session, run, end.run.uid, service, expected=end.run.planned)
    invalid = end.with_outcome("invalid")
    if invalid:
        raise CliError(
            f"{len(invalid)} of {len(end.planned)} trials are invalid: {invalid_summary(invalid)}"
        )
