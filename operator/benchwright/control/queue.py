"""A work queue of keys: one worker a key at a time, duplicates merged, failures backed off.

Modelled on client-go's rate-limiting queue: a key that is added while it is worked on is worked on
again afterwards, so that the last state is always looked at.
"""

import asyncio
import heapq
import logging
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

log = logging.getLogger(__name__)

K = TypeVar("K", bound=Hashable)
_FIRST_BACKOFF, _LAST_BACKOFF = 0.2, 60.0


class WorkQueue(Generic[K]):
    """Keys waiting for a worker."""

    def __init__(
        self,
        monotonic: Callable[[], float],
        expected: tuple[type[Exception], ...] = (),
        asked: Callable[[Exception], float | None] = lambda error: None,
    ):
        """`expected`: failures that need no stack trace, such as a service that is away.
        `asked`: for how many seconds a failure asks to be left alone, if it does."""
        self._monotonic, self._expected, self._asked = monotonic, expected, asked
        self._ready: asyncio.Queue[K] = asyncio.Queue()
        self._queued: dict[K, float] = {}
        self._active: set[K] = set()
        self._again: set[K] = set()
        self._later: list[tuple[float, int, K]] = []
        self._due: dict[K, float] = {}
        self._ticket = 0
        self._alarm = asyncio.Event()
        self.failures: dict[K, int] = {}

    def __len__(self) -> int:
        return len(self._queued)

    @property
    def oldest_seconds(self) -> float:
        """How long the longest-waiting key has waited for a worker."""
        return self._monotonic() - min(self._queued.values()) if self._queued else 0.0

    def add(self, key: K) -> None:
        """Work on this key as soon as a worker is free."""
        if key in self._active:
            self._again.add(key)
        elif key not in self._queued:
            self._queued[key] = self._monotonic()
            self._ready.put_nowait(key)

    def add_after(self, key: K, seconds: float) -> None:
        """Work on this key after a while; of several times the earliest holds."""
        due = self._monotonic() + seconds
        if key in self._due and self._due[key] <= due:
            return
        self._due[key] = due
        self._ticket += 1
        heapq.heappush(self._later, (due, self._ticket, key))
        self._alarm.set()

    async def run(self, workers: int, work: Callable[[K], Awaitable[float | None]]) -> None:
        """Work for ever. `work` returns after how many seconds to look again, or None."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._timekeeper())
            for _ in range(workers):
                group.create_task(self._worker(work))

    async def _worker(self, work: Callable[[K], Awaitable[float | None]]) -> None:
        while True:
            key = await self._ready.get()
            self._queued.pop(key, None)
            self._active.add(key)
            try:
                again_after = await work(key)
                self.failures.pop(key, None)
            except Exception as error:  # whatever it was, the key must not be lost
                again_after = self._backoff(key, error)
                expected = isinstance(error, self._expected)
                log.warning(
                    "%s: %s; again in %.1f s", key, error, again_after, exc_info=not expected
                )
            finally:
                self._active.discard(key)
            if key in self._again:
                self._again.discard(key)
                self.add(key)
            elif again_after is not None:
                self.add_after(key, again_after)

    def _backoff(self, key: K, error: Exception) -> float:
        count = self.failures.get(key, 0)
        self.failures[key] = count + 1
        # The exponent is bounded: a key that fails for days would overflow a float.
        wait = max(_FIRST_BACKOFF * 2 ** min(count, 20), self._asked(error) or 0.0)
        return float(min(_LAST_BACKOFF, wait))

    async def _timekeeper(self) -> None:
        while True:
            self._alarm.clear()
            now = self._monotonic()
            while self._later and self._later[0][0] <= now:
                due, _, key = heapq.heappop(self._later)
                if self._due.get(key) == due:
                    del self._due[key]
                    self.add(key)
            wait = self._later[0][0] - now if self._later else None
            try:
                async with asyncio.timeout(wait):
                    await self._alarm.wait()
            except TimeoutError:
                continue
