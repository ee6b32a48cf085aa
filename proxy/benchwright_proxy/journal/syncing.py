"""Bringing a file to the disk without keeping the event loop: all who wait share one sync."""

import asyncio
import os
import queue
import threading
from collections.abc import Callable


class Syncer:
    """Syncs in a thread of its own, one sync at a time. Made and used in one event loop's thread."""

    def __init__(self, file: Callable[[], int]) -> None:
        """`file` gives the descriptor that the next sync is of."""
        self._file = file
        self._jobs: queue.SimpleQueue[tuple[asyncio.AbstractEventLoop, int] | None] = (
            queue.SimpleQueue()
        )
        self._thread: threading.Thread | None = None
        #: Whether a sync is running.
        self.busy = False
        # Who is served by the sync that runs, and by the one after it.
        self._served: list[asyncio.Future[None]] = []
        self._waiting: list[asyncio.Future[None]] = []
        #: Why nothing can be synced any more: after a failure the kernel may have dropped the pages,
        #: and only a restart, which reads the files again, tells what is there.
        self.error: OSError | None = None

    def request(self) -> "asyncio.Future[None]":
        """A sync that begins after now: done when it has ended, failed (OSError) if it did."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        if self.error is not None:
            future.set_exception(self.error)
            return future
        self._waiting.append(future)
        if not self.busy:
            self.busy = True
            loop.call_soon(self._begin)  # whoever is about to ask is served by the same one
        return future

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
            self._thread.start()
        self._served, self._waiting = self._waiting, []
        self._jobs.put((asyncio.get_running_loop(), self._file()))

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            loop, file = job
            error = None
            try:
                os.fdatasync(file)
            except OSError as failure:
                error = failure
            loop.call_soon_threadsafe(self._synced, error)

    def _synced(self, error: OSError | None) -> None:
        self.error = self.error or error
        served, self._served = self._served, []
        for future in served:
            if future.done():
                continue  # whoever waited was cancelled
            if self.error is not None:
                future.set_exception(self.error)
            else:
                future.set_result(None)
        if self._waiting:
            self._begin()
        else:
            self.busy = False

    def close(self) -> None:
        """End the thread, behind what it was asked for."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None
