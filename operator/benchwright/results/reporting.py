"""Reports of runs, made by `makereport` in another process, once for each state of a run."""

import asyncio
import json
import logging
import sys
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict
from typing import cast

from sqlalchemy.ext.asyncio import AsyncEngine

from benchwright.results.makereport import Made
from benchwright.results.runs import Asked, State, state

log = logging.getLogger(__name__)
ROOT = "../../../"
"""From /runs/NAMESPACE/RUN/report.html to the service's root."""
_SECONDS = 300.0
_KEPT = 16
_AGAIN = 600.0
"""Seconds until what could not be made is tried again where nothing has changed."""
_PROGRAM = (sys.executable, "-I", "-m", "benchwright.results.makereport")


class ReportError(Exception):
    """A report that could not be made; says what to do."""


class Reports:
    """One at a time; those made last are kept, and who asks for what is being made waits for it."""

    def __init__(
        self, engine: AsyncEngine, program: Sequence[str] = _PROGRAM, seconds: float = _SECONDS
    ):
        self._engine, self._program, self._seconds = engine, program, seconds
        self._one = asyncio.Lock()
        self._kept: OrderedDict[tuple[Asked, State], Made] = OrderedDict()
        self._making: dict[tuple[Asked, State], asyncio.Task[Made]] = {}
        self._failed: dict[Asked, tuple[State, float, str]] = {}

    async def get(self, asked: Asked) -> Made:
        """Of the run as it is now. Raises ReportError."""
        # A reader who goes away takes it from nobody else.
        return await asyncio.shield(await self.begin(asked))

    async def begin(self, asked: Asked) -> asyncio.Future[Made]:
        """The same, without waiting for what is not there. Raises ReportError."""
        key = (asked, await state(self._engine, asked))
        if key in self._kept:
            self._kept.move_to_end(key)
            found: asyncio.Future[Made] = asyncio.get_running_loop().create_future()
            found.set_result(self._kept[key])
            return found
        self._refuse(*key)
        if key not in self._making:
            self._making[key] = asyncio.create_task(self._make(*key))
            self._making[key].add_done_callback(_heard)
        return self._making[key]

    def _refuse(self, asked: Asked, now: State) -> None:
        """What just failed fails again, and takes a processor for it."""
        found = self._failed.get(asked)
        if found and found[0] == now and found[1] > asyncio.get_running_loop().time():
            raise ReportError(found[2])

    async def close(self) -> None:
        """End what is being made."""
        for task in self._making.values():
            task.cancel()
        await asyncio.gather(*self._making.values(), return_exceptions=True)

    async def _make(self, asked: Asked, now: State) -> Made:
        try:
            async with self._one:
                made = await self._run(asked, now)
            self._keep(asked, now, made)
            return made
        except ReportError as error:
            self._failed[asked] = (now, asyncio.get_running_loop().time() + _AGAIN, str(error))
            raise
        finally:
            del self._making[asked, now]

    def _keep(self, asked: Asked, now: State, made: Made) -> None:
        for older in [key for key in self._kept if key[0] == asked]:
            del self._kept[older]
        self._failed.pop(asked, None)
        self._kept[asked, now] = made
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)

    async def _run(self, asked: Asked, now: State) -> Made:
        url = self._engine.url.render_as_string(hide_password=False)
        order = {"url": url, "asked": asdict(asked), "revision": now.revision, "root": ROOT}
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *self._program, stdin=pipe, stdout=pipe, stderr=pipe
        )
        try:
            async with asyncio.timeout(self._seconds):
                out, err = await process.communicate(json.dumps(order).encode())
        except TimeoutError as error:
            raise ReportError(_too_large(asked, f"took more than {self._seconds:g} s")) from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            log.error("report of run %s/%s: %s", asked.namespace, asked.run, _last_line(err))
            raise ReportError(
                _too_large(asked, f"ended with {process.returncode}: {_last_line(err)}")
            )
        return cast(Made, json.loads(out))


def _heard(task: asyncio.Task[Made]) -> None:
    """Nobody may be waiting for it any more; what failed is in the log."""
    if not task.cancelled():
        task.exception()


def _last_line(text: bytes) -> str:
    lines = text.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:500] if lines else "nothing was said"


def _too_large(asked: Asked, why: str) -> str:
    return (
        f"The report of run {asked.run} could not be made here: it {why}. Where the run is large, "
        f"`benchwright report {asked.run} --out FOLDER` makes it on your own machine."
    )
