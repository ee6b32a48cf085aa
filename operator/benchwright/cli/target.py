"""Which cluster and namespace a command speaks to, and what to say where that does not work."""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchwright.cli.errors import CliError

if TYPE_CHECKING:
    from benchwright.kube.client import KubeClient
    from benchwright.kube.errors import ApiError

T = TypeVar("T")


@dataclass(frozen=True)
class Target:
    """The global options."""

    namespace: str | None = None
    context: str | None = None


@dataclass(frozen=True)
class Session:
    """An open connection and the namespace that is meant."""

    kube: "KubeClient"
    namespace: str


def pass_target(command: Callable[..., None]) -> Callable[..., None]:
    """Pass the Target first. Its options may also stand behind the command, as with kubectl."""

    @click.option("-n", "--namespace", help="Namespace. Left out: that of the context.")
    @click.option("--context", help="Context of the kubeconfig. Left out: the current one.")
    @wraps(command)
    def with_target(*args: Any, namespace: str | None, context: str | None, **more: Any) -> None:
        outer = click.get_current_context().find_object(Target) or Target()
        target = Target(namespace or outer.namespace, context or outer.context)
        command(target, *args, **more)

    return with_target


@asynccontextmanager
async def connect(target: Target) -> AsyncIterator[Session]:
    """A session; whatever the API server or the network refuses becomes one line."""
    import aiohttp

    from benchwright.kube.client import KubeClient
    from benchwright.kube.config import LoginError, login
    from benchwright.kube.errors import ApiError

    try:
        found = login(target.context)
    except LoginError as error:
        raise CliError(str(error)) from error
    try:
        async with KubeClient(found) as kube:
            yield Session(kube, target.namespace or found.namespace)
    except ApiError as error:
        raise CliError(explain(error)) from error
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        what = str(error) or type(error).__name__
        raise CliError(
            f"the API server {found.server} cannot be reached: {what}. Is the cluster running "
            "(`make cluster`), and is it the right --context?"
        ) from error


def explain(error: "ApiError") -> str:
    """What the API server refused, and what to do."""
    hints = {
        401: "log in again, or choose another --context",
        403: "ask for the permission, or choose another --context or --namespace",
        404: "check the name and --namespace",
    }
    hint = hints.get(error.status, "")
    said = error.message or error.reason or "no reason given"
    return f"the API server says {error.status}: {said}" + (
        f". {hint.capitalize()}" if hint else ""
    )


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; Ctrl-C ends quietly with click's exit code, and SIGTERM as tidily."""
    import asyncio
    import signal

    async def until_told() -> T:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await work

    try:
        return asyncio.run(until_told())
    except KeyboardInterrupt as error:
        raise click.Abort from error
    except asyncio.CancelledError:
        raise SystemExit(128 + signal.SIGTERM) from None
