"""Following a run at the API server until it is complete, or stuck."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

import aiohttp

from benchwright.api import labels
from benchwright.cli.errors import CliError
from benchwright.cli.live import View
from benchwright.cli.progress import Progress, problems
from benchwright.cli.target import Session
from benchwright.cli.views import RunProgress, TrialProgress, parse_run, parse_trial
from benchwright.core.observed import PodView, parse_pod
from benchwright.kube.client import PODS, RUNS, TRIALS, Json, Resource
from benchwright.kube.errors import ApiError
from benchwright.kube.informer import Informer

V = TypeVar("V")
_UNREACHABLE_SECONDS = 60.0
_SETTLE_SECONDS = 10.0


class StuckError(CliError):
    """The run has not been able to go on for too long."""


@dataclass(frozen=True)
class Pace:
    """How often to look, and how long to wait."""

    interval: float = 0.5
    run_interval: float = 1.0
    """For the run itself, which is asked for; trials and pods are watched."""
    stuck_after: float = 120.0


async def follow(session: Session, name: str, view: View, pace: Pace) -> Progress:
    """Show the run until it is complete; returns its last state. Raises StuckError."""
    first = await _get(session, name)
    async with _informers(session, name) as (trials, pods):
        watcher = _Watcher(session, first, trials, pods, pace)
        while True:
            progress = await watcher.look()
            view.update(progress)
            if watcher.done(progress):
                return progress
            watcher.check_stuck(progress)
            await asyncio.sleep(pace.interval)


async def _get(session: Session, name: str) -> RunProgress:
    try:
        return parse_run(await session.kube.get(RUNS, session.namespace, name))
    except ApiError as error:
        if not error.not_found:
            raise
        raise CliError(
            f"there is no BenchmarkRun {name!r} in namespace {session.namespace}: apply it with "
            "`benchwright run FILE`, or check the name and --namespace"
        ) from error


class _Watcher:
    """Puts the pieces together and keeps the times."""

    def __init__(
        self,
        session: Session,
        run: RunProgress,
        trials: Informer[TrialProgress],
        pods: Informer[PodView],
        pace: Pace,
    ):
        self._session, self._run, self._trials, self._pods = session, run, trials, pods
        self._pace = pace
        self._heard = self._fine = self._asked = time.monotonic()
        self._complete_since: float | None = None

    async def look(self) -> Progress:
        """The state now; what cannot be reached for a moment is as it was."""
        run = await self._run_now()
        if run.uid != self._run.uid:
            raise CliError(f"run {run.name} was deleted and made again while it was watched")
        self._run = run
        mine = sorted((t for t in self._trials if t.run_uid == run.uid), key=lambda t: t.name)
        waiting = frozenset(p.trial for p in self._pods if p.phase == "Pending")
        now = datetime.fromtimestamp(time.time(), UTC)
        progress = Progress(run, tuple(mine), waiting, now)
        if run.complete or len(progress.active) > len(progress.overdue):
            self._fine = time.monotonic()
        return replace(progress, idle=time.monotonic() - self._fine)

    async def _run_now(self) -> RunProgress:
        if time.monotonic() - self._asked < self._pace.run_interval:
            return self._run
        self._asked = time.monotonic()
        try:
            run = await _get(self._session, self._run.name)
        except (ApiError, aiohttp.ClientError, TimeoutError):
            if time.monotonic() - self._heard > _UNREACHABLE_SECONDS:
                raise
            return self._run
        self._heard = time.monotonic()
        return run

    def done(self, progress: Progress) -> bool:
        """Complete, and the trials seen so; the watch may be a moment behind the run."""
        if not progress.run.complete:
            return False
        self._complete_since = self._complete_since or time.monotonic()
        return progress.settled or time.monotonic() - self._complete_since > _SETTLE_SECONDS

    def check_stuck(self, progress: Progress) -> None:
        """Raise where nothing has been going on for long, and say what is wrong."""
        if not progress.run.complete and progress.idle >= self._pace.stuck_after:
            wrong = problems(progress) or ["no trial is active"]
            raise StuckError(
                f"run {progress.run.name} has been stuck for {progress.idle:.0f} s: "
                f"{'; '.join(wrong)}. It goes on by itself once that is mended (--stuck-after "
                "waits longer)"
            )


@contextlib.asynccontextmanager
async def _informers(
    session: Session, name: str
) -> AsyncIterator[tuple[Informer[TrialProgress], Informer[PodView]]]:
    """Trials and pods of the run, kept up to date in the background."""
    await session.kube.list_page(TRIALS, session.namespace, {"limit": "1"})  # refused? say so now
    # Who may not list pods sees all but whether containers have started: not worth a warning.
    logging.getLogger("benchwright.kube.informer").setLevel(logging.ERROR)
    trials = _informer(session, name, TRIALS, parse_trial)
    pods = _informer(session, name, PODS, parse_pod)
    tasks = [asyncio.create_task(trials.run()), asyncio.create_task(pods.run())]
    try:
        await asyncio.wait_for(trials.synced.wait(), _UNREACHABLE_SECONDS)
        yield trials, pods
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _informer(
    session: Session, name: str, resource: Resource, parse: Callable[[Json], V]
) -> Informer[V]:
    return Informer(
        session.kube, resource, session.namespace, parse=parse, changed=lambda _: None,
        monotonic=time.monotonic, selector=f"{labels.RUN}={name}",
    )  # fmt: skip
