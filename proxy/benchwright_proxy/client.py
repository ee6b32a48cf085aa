"""The client's side of one call: a response that outlives its client without failing."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping

from aiohttp import web

from .connection import connection_of

#: Bytes that a transport without a backlog takes without waiting (asyncio's limit is 64 KiB).
SMALL = 32 * 1024
#: Not aiohttp's and Python's versions.
SERVER = "benchwright-proxy"


class HeldHead(web.StreamResponse):
    """Its head waits for the first part of its body, and goes out with it in one packet."""

    _send_headers_immediately = False


class Client:
    """Writes one response. After the client has gone, writing does nothing."""

    def __init__(self, request: web.BaseRequest, stall_seconds: float) -> None:
        self._request = request
        self._stall_seconds = stall_seconds
        self._response: web.StreamResponse | None = None
        self._on_gone: Callable[[], None] | None = None
        self.gone = False

    def watch(self, on_gone: Callable[[], None]) -> None:
        """From now until `unwatch`: call `on_gone` once when the client disconnects."""
        self._on_gone = on_gone
        connection = connection_of(self._request)
        if connection is None or connection.transport is None:
            self._lost()
        else:
            connection.on_lost = self._lost

    def unwatch(self) -> None:
        """The call has ended."""
        self._on_gone = None
        connection = connection_of(self._request)
        if connection is not None:
            connection.on_lost = None

    def _lost(self) -> None:
        if not self.gone:
            self.gone = True
            if self._on_gone is not None:
                self._on_gone()

    @property
    def started(self) -> bool:
        """Whether a response has begun, so that no other can be sent."""
        return self._response is not None

    def response(self) -> web.StreamResponse:
        """What the handler must return."""
        return self._response or web.Response(status=499)

    async def start(self, status: int, headers: Mapping[str, str], *, stream: bool) -> None:
        """Begin a response; the head of a stream goes out before there is anything to follow it."""
        kind = web.StreamResponse if stream else HeldHead
        response = kind(status=status, headers={**headers, "Server": SERVER})
        if stream:
            # Tells nginx and its like to pass events on as they come.
            response.headers["X-Accel-Buffering"] = "no"
            response.headers["Cache-Control"] = "no-cache"
        self._response = response
        with self._noticing():
            await response.prepare(self._request)

    async def send(self, data: bytes) -> None:
        """Send a part of the body; a client that takes nothing for too long counts as gone."""
        if self.gone or not data or self._response is None:
            return
        try:
            if self._waits_for_nobody(data):
                await self._response.write(data)
            else:
                async with asyncio.timeout(self._stall_seconds):
                    await self._response.write(data)
        except ConnectionError:
            self._lost()
        except TimeoutError:
            self._lost()
            self.abort()

    def _waits_for_nobody(self, data: bytes) -> bool:
        """Whether the client has taken all before, and this is too little to wait for: a timer for each
        event of a stream costs more than the event."""
        transport = self._request.transport
        return (
            transport is not None and len(data) < SMALL and transport.get_write_buffer_size() == 0
        )

    async def finish(self) -> None:
        """End the response as HTTP says."""
        if not self.gone and self._response is not None:
            with self._noticing():
                await self._response.write_eof()

    def abort(self) -> None:
        """End it so that the client sees that something is missing."""
        connection = connection_of(self._request)
        if connection is not None:
            connection.force_close()

    @contextlib.contextmanager
    def _noticing(self) -> Iterator[None]:
        try:
            yield
        except ConnectionError:
            self._lost()
