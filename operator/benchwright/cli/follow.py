"""Following a run at the API server until it is complete, or stuck."""

import asyncio
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import aiohttp

from benchwright.cli.errors import CliError
from benchwright.cli.live import View
from benchwright.cli.progress import Progress, problems
from benchwright.cli.target import Session
from benchwright.cli.views import RunProgress, parse_run
from benchwright.cli.watched import Watched, watch
from benchwright.kube.client import RUNS
from benchwright.kube.errors import ApiError

_QUIET_SECONDS = 75.0
"""A server that is well says something each minute (bookmarks)."""
_ASK_SECONDS = 1.0
_UNREACHABLE_SECONDS = 2 * _QUIET_SECONDS
_SETTLE_SECONDS = 10.0


class StuckError(CliError):
    """The run has not been able to go on for too long."""


@dataclass(frozen=True)
class Pace:
    """How often to look, and how long to wait."""

    interval: float = 0.5
    stuck_after: float = 120.0


async def follow(session: Session, name: str, view: View, pace: Pace) -> Progress:
    """Show the run until it is complete; returns its last state. Raises StuckError."""
    first = await get_run(session, name)
    async with watch(session, name) as watched:
        watcher = _Watcher(session, first, watched, pace)
        while True:
            progress = await watcher.look()
            view.update(progress)
            if watcher.done(progress):
                return progress
            watcher.check_stuck(progress)
            await asyncio.sleep(pace.interval)


async def get_run(session: Session, name: str) -> RunProgress:
    """The run as it is now, or what to do where there is none."""
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

    def __init__(self, session: Session, run: RunProgress, watched: Watched, pace: Pace):
        self._session, self._run, self._watched, self._pace = session, run, watched, pace
        self._heard = self._fine = time.monotonic()
        self._asked = 0.0
        self._complete_since: float | None = None

    async def look(self) -> Progress:
        """The state as far as it was heard of; what cannot be reached for a moment is as it was."""
        run = await self._run_now()
        if run.uid != self._run.uid:
            raise CliError(f"run {run.name} was deleted and made again while it was watched")
        self._run = run
        mine = sorted(
            (t for t in self._watched.trials if t.run_uid == run.uid), key=lambda t: t.name
        )
        waiting = frozenset(p.trial for p in self._watched.pods if p.phase == "Pending")
        now = datetime.fromtimestamp(time.time(), UTC)
        progress = Progress(run, tuple(mine), waiting, now)
        if run.complete or len(progress.active) > len(progress.overdue):
            self._fine = time.monotonic()
        return replace(progress, idle=time.monotonic() - self._fine)

    async def _run_now(self) -> RunProgress:
        """As it was last heard of. The API server is asked where it says nothing, or that the run is
        gone: its answer, or that there is none, tells which."""
        now = time.monotonic()
        found = self._watched.runs.get(self._run.name)
        silence = min(self._watched.runs.silence, now - self._heard)
        if found is not None and silence < _QUIET_SECONDS:
            return found
        if now - self._asked < _ASK_SECONDS:
            return self._run
        self._asked = now
        try:
            run = await get_run(self._session, self._run.name)
        except (ApiError, aiohttp.ClientError, TimeoutError):
            if silence > _UNREACHABLE_SECONDS:
                raise
            return self._run
        self._heard = now
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
