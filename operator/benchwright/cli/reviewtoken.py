"""`benchwright review-token`: who may review trials in the web view, and for how long."""

import time

import click

from benchwright.cli.push import results_token, signing_key
from benchwright.cli.target import Target, connect, pass_target, run_async

ROLE = "reviewer"
_HINT = "ask who may read it for a token"


@click.command("review-token")
@click.option(
    "--hours",
    type=click.IntRange(1, 24 * 30),
    default=8,
    show_default=True,
    help="How long it may be used. It cannot be taken back before.",
)
@pass_target
def review_token(target: Target, hours: int) -> None:
    """Print a token that may approve and reject trials, and nothing else.

    This needs permission to read the Secret with the signing key. Give the token to one person: who
    has it may review.
    """
    run_async(_print(target, hours))


async def _print(target: Target, hours: int) -> None:
    async with connect(target) as session:
        key = await signing_key(session, _HINT)
        click.echo(results_token(key, ROLE, int(time.time()) + hours * 3600))
