"""Options that several commands share, so that they are written once and mean the same."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
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
    out: Path | None
    replace: bool


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
    @click.option(
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder to write the results to at the end, as `benchwright results` does.",
    )
    @click.option("--replace", is_flag=True, help="Replace the results of another run in --out.")
    @service_option
    @wraps(command)
    def with_following(
        *args: object,
        plain: bool,
        stuck_after: float,
        service: str,
        out: Path | None,
        replace: bool,
        **more: object,
    ) -> None:
        if replace and out is None:
            raise click.UsageError("--replace needs --out")
        command(*args, following=Following(plain, stuck_after, service, out, replace), **more)

    return with_following
