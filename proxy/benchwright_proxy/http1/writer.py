"""One response on its way to a client, who may leave without that being a failure."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .message import BODILESS, Request, Response, head_of

if TYPE_CHECKING:
    from .inbound import InboundConnection


class ResponseWriter:
    """Writes one response. After the client has gone, writing does nothing."""

    def __init__(self, connection: "InboundConnection", request: Request) -> None:
        self._connection = connection
        self._request = request
        self._head: bytes | None = None
        self._chunked = self._bodiless = False
        self._on_gone: Callable[[], None] | None = None
        #: Seconds that a client may take nothing before it counts as gone; None for ever.
        self.stall_seconds: float | None = None
        self.gone = connection.transport is None
        self.started = self.ended = False

    @property
    def may_have_left(self) -> bool:
        """Whether the client has closed at least its half of the connection."""
        return self._connection.may_have_left

    def watch(self, on_gone: Callable[[], None]) -> None:
        """From now on until the response has ended: call `on_gone` once when the client disconnects."""
        self._on_gone = on_gone
        if self.gone:
            on_gone()

    def lost(self) -> None:
        """The connection is no more."""
        if not self.gone and not self.ended:
            self.gone = True
            if self._on_gone is not None:
                self._on_gone()

    def respond(self, response: Response) -> None:
        """Write a whole response."""
        headers = {"content-type": "application/json", **response.headers}
        headers["content-length"] = str(len(response.body))
        self.start(response.status, headers, stream=False)
        self.finish(response.body)

    def start(self, status: int, headers: Mapping[str, str], *, stream: bool) -> None:
        """Begin a response. The head of a stream goes out before there is anything to follow it, any
        other with the first part of its body."""
        self.started = True
        request, connection = self._request, self._connection
        self._bodiless = request.method == "HEAD" or status in BODILESS
        more = ""
        if stream:
            # Tells nginx and its like to pass events on as they come.
            more = "X-Accel-Buffering: no\r\nCache-Control: no-cache\r\n"
        if "content-length" not in headers and not self._bodiless:
            if request.http_1_0:
                connection.closing = True
            else:
                self._chunked = True
                more += "Transfer-Encoding: chunked\r\n"
        if connection.closing or not request.complete:
            more += "Connection: close\r\n"
        elif request.http_1_0:
            more += "Connection: keep-alive\r\n"
        self._head = head_of(status, headers, now=time.time(), more=more)
        if stream:
            self._write(b"")

    async def send(self, data: bytes) -> None:
        """Send a part of the body; a client that takes nothing for too long counts as gone."""
        if self.gone or not data:
            return
        self._write(self._framed(data))
        if self._connection.congested:
            await self._taken()

    async def _taken(self) -> None:
        try:
            async with asyncio.timeout(self.stall_seconds):
                await self._connection.drain()
        except TimeoutError:
            self.lost()
            self._connection.abort()

    def finish(self, data: bytes = b"") -> None:
        """End the response, with the last part of its body, as HTTP says."""
        if self.ended:
            return
        last = self._framed(data) if data else b""
        if self._chunked:
            last += b"0\r\n\r\n"
        if not self.gone:
            self._write(last)
        self._end()

    def abort(self) -> None:
        """End it so that the client sees that something is missing."""
        if self.ended:
            return
        if self._head is not None and not self.gone:
            self._write(b"")
        self._connection.close()
        self._end()

    def _end(self) -> None:
        self.ended = True
        self._on_gone = None
        self._connection.answered()

    def _framed(self, data: bytes) -> bytes:
        if self._bodiless:
            return b""
        return b"%x\r\n%b\r\n" % (len(data), data) if self._chunked else data

    def _write(self, data: bytes) -> None:
        if self._head is not None:
            data, self._head = self._head + data, None
        if data:
            self._connection.write(data)
