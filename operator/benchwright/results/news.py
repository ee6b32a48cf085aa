"""Waking those who wait for facts."""

import asyncio
import uuid


class News:
    """A counter that can be waited for. `boot` changes when the service restarts."""

    def __init__(self) -> None:
        self.version = 0
        self.boot = uuid.uuid4().hex
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    def announce(self) -> None:
        self.version += 1
        task = asyncio.get_running_loop().create_task(self._wake())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _wake(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def wait(self, seen: int, seconds: float) -> None:
        """Until something came after version `seen`, or the time is over."""
        try:
            async with asyncio.timeout(seconds), self._changed:
                await self._changed.wait_for(lambda: self.version != seen)
        except TimeoutError:
            return
