"""Wakes everybody who waits for a change."""

import asyncio
import contextlib


class Bell:
    """`wait` returns at the next `ring` or after `seconds`; who wakes must look for themselves.
    `awaited` is how many wait now."""

    def __init__(self) -> None:
        self._next = asyncio.Event()
        self.awaited = 0

    def ring(self) -> None:
        if self.awaited:
            self._next.set()
            self._next = asyncio.Event()

    async def wait(self, seconds: float) -> None:
        self.awaited += 1
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._next.wait(), seconds)
        finally:
            self.awaited -= 1
