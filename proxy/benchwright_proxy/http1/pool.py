"""Connections to one origin, used again."""

import asyncio
import ssl
from collections import deque
from urllib.parse import SplitResult

from .outbound import OutboundConnection

#: Unused for longer, a connection may be closed by the other side under the next request, and then
#: nobody knows whether that request was heard.
FREE_SECONDS = 15.0


class Pool:
    """Opens connections and keeps free ones, as many as there were calls at a time."""

    def __init__(
        self,
        origin: SplitResult,
        tls: ssl.SSLContext | None,
        connect_seconds: float,
        idle_seconds: float,
    ) -> None:
        """`origin` is any URL there, with `tls` if it is https; `idle_seconds` is how long it may be
        silent."""
        self._host = origin.hostname or ""
        self._tls = tls
        self._port = origin.port or (443 if self._tls else 80)
        self._connect_seconds = connect_seconds
        self._idle_seconds = idle_seconds
        self._free: deque[OutboundConnection] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    async def connection(self) -> OutboundConnection:
        """One that is free, the last used first, or a new one. Raises OSError, which includes those
        of TLS and TimeoutError."""
        while self._free:
            found = self._free.pop()
            if found.usable:
                return found
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(self._connect_seconds):
            _, opened = await loop.create_connection(
                lambda: OutboundConnection(self._idle_seconds, self._freed),
                self._host,
                self._port,
                ssl=self._tls,
            )
        return opened

    def _freed(self, connection: OutboundConnection) -> None:
        if self._closed:
            connection.close()
            return
        self._free.append(connection)
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(FREE_SECONDS, self._let_go)

    def _let_go(self) -> None:
        """Close what has been free for long: the oldest are at the left."""
        self._timer = None
        loop = asyncio.get_running_loop()
        while self._free and loop.time() - self._free[0].free_since >= FREE_SECONDS - 0.01:
            self._free.popleft().close()
        if self._free:
            left = FREE_SECONDS - (loop.time() - self._free[0].free_since)
            self._timer = loop.call_later(left, self._let_go)

    def close(self) -> None:
        """Close what is free now, and what becomes free later."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        while self._free:
            self._free.pop().close()
