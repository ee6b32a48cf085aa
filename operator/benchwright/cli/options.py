"""Options that several commands share, so that they are written once and mean the same."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TypeVar

import click

F = TypeVar("F", bound=Callable[..., None])


def service_option(command: F) -> F:
    """--results-service, of all commands that speak to it."""
    return click.option(
        "--results-service",
        "service",
        envvar="BENCHWRIGHT_RESULTS_SERVICE",
        default="benchwright-results",
        show_default=True,
        help="Service name. [env: BENCHWRIGHT_RESULTS_SERVICE]",
    )(command)


@dataclass(frozen=True)
class Following:
    """How a run is followed to its end."""

    plain: bool
    stuck_after: float
    service: str


def follow_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of commands that follow a run, passed as one `following`."""

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
    @wraps(command)
    def with_following(
        *args: object, plain: bool, stuck_after: float, service: str, **more: object
    ) -> None:
        command(*args, following=Following(plain, stuck_after, service), **more)

    return with_following
