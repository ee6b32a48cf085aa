"""A connection to a provider: one request at a time goes out, its response comes back in pieces."""

import asyncio
from collections.abc import Callable
from typing import cast

import httptools

from .headbound import HeadBound, HeadTooLargeError

#: Longest head of a response: some gateways add long security headers.
HEAD_BYTES = 256 * 1024
#: Bytes of a response that wait for a slow client before the provider is made to wait.
HIGH_WATER, LOW_WATER = 256 * 1024, 64 * 1024


class OutboundError(Exception):
    """The response, or the rest of it, did not come; the message is fit for a log."""


class Incoming:
    """A response that is still coming. `headers` have lower-case names."""

    def __init__(self, connection: "OutboundConnection") -> None:
        self._connection = connection
        self.status = 0
        self.headers: list[tuple[str, str]] = []
        self.begun = False
        self._ended = False
        self._error: OutboundError | None = None
        self._parts: list[bytes] = []
        self._size = 0
        self._waiter: asyncio.Future[None] | None = None

    async def head(self) -> None:
        """Wait for status and headers. Raises OutboundError."""
        while not self.begun:
            if self._error is not None:
                raise self._error
            await self._change()

    async def read(self) -> bytes:
        """What has come of the body since, b"" at its end. Raises OutboundError if it does not come to
        its end."""
        while not self._parts:
            if self._error is not None:
                raise self._error
            if self._ended:
                return b""
            await self._change()
        parts, self._parts, self._size = self._parts, [], 0
        if not self._ended:  # else the connection may be another call's by now
            self._connection.go_on()
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        """Hang up unless all has come."""
        if not self._ended:
            self._connection.abort()

    async def _change(self) -> None:
        self._waiter = self._connection.loop.create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    # From the connection.

    def begin(self, status: int, headers: list[tuple[str, str]]) -> None:
        self.status, self.headers, self.begun = status, headers, True

    def add(self, data: bytes) -> bool:
        """Take a piece of the body; whether it is enough for now."""
        self._parts.append(data)
        self._size += len(data)
        return self._size > HIGH_WATER

    def end(self, error: OutboundError | None = None) -> None:
        self._ended, self._error = error is None, error

    def wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class OutboundConnection(HeadBound, asyncio.Protocol):
    """See the module. `on_free` is called when it can take another request. The parser calls the
    `on_…` methods."""

    def __init__(
        self, idle_seconds: float, on_free: "Callable[[OutboundConnection], None]"
    ) -> None:
        super().__init__(HEAD_BYTES)
        self.loop = asyncio.get_running_loop()
        self._idle_seconds = idle_seconds
        self._on_free = on_free
        self._parser = httptools.HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._incoming: Incoming | None = None
        self._pieces: list[bytes] = []
        self._interim = self._complete = self._excess = False
        # The end of a body is told by its framing, not by the end of the connection.
        self._framed = False
        self._reusable = False
        self._paused = False
        self._last = 0.0
        self._watch: asyncio.TimerHandle | None = None
        self.free_since = 0.0

    @property
    def usable(self) -> bool:
        """Whether a request can be sent on it."""
        return self._transport is not None and not self._transport.is_closing()

    def request(self, data: bytes, body: bytes) -> Incoming:
        """Send a request with this head and body; its response."""
        incoming = self._incoming = Incoming(self)
        self._complete = self._excess = self._framed = False
        if self._transport is None:
            incoming.end(OutboundError("the connection was lost"))
            return incoming
        if len(body) < HIGH_WATER:
            self._transport.write(data + body)
        else:
            self._transport.writelines([data, body])
        self._last = self.loop.time()
        if self._watch is None:
            self._watch = self.loop.call_later(self._idle_seconds, self._look)
        return incoming

    def go_on(self) -> None:
        """Read again, after a pause."""
        if self._paused and self._transport is not None:
            self._paused = False
            self._last = self.loop.time()
            self._transport.resume_reading()

    def abort(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.abort()

    def close(self) -> None:
        """Let go of an unused connection."""
        if self._transport is not None:
            self._transport.close()

    def _look(self) -> None:
        """Whether the provider has been silent for too long; a pause of ours is none of its own. The
        timer outlives a request: to set one and take it back for each is dear."""
        self._watch = None
        if self._incoming is None:
            return
        left = self._idle_seconds - (self.loop.time() - self._last)
        if self._paused or left > 0:
            wait = self._idle_seconds if self._paused else left
            self._watch = self.loop.call_later(wait, self._look)
        else:
            self._fail("it was silent for too long")

    def _fail(self, why: str) -> None:
        incoming, self._incoming = self._incoming, None
        if incoming is not None:
            incoming.end(OutboundError(why))
            incoming.wake()
        self._unwatch()
        self.abort()

    def _unwatch(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    # From the transport.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        incoming = self._incoming
        if incoming is None:
            # Nothing was asked: whatever this answers, it must not become the next answer.
            self.abort()
            return
        self._last = self.loop.time()
        try:
            self._parser.feed_data(data)
            self._fed(len(data))
        except (httptools.HttpParserError, httptools.HttpParserUpgrade, HeadTooLargeError) as error:
            self._excess = True
            if not self._complete:
                self._hand_over(incoming)
                self._fail(f"what came is not HTTP ({type(error).__name__})")
                return
        self._hand_over(incoming)
        if self._complete:
            self._end(incoming)
        incoming.wake()

    def _hand_over(self, incoming: Incoming) -> None:
        pieces = self._pieces
        if not pieces:
            return
        data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        self._pieces = []
        if incoming.add(data) and not self._complete and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()

    def _end(self, incoming: Incoming) -> None:
        self._incoming = None
        incoming.end()
        self.go_on()
        transport = self._transport
        sent = transport is not None and transport.get_write_buffer_size() == 0
        if self._reusable and not self._excess and sent:
            self.free_since = self.loop.time()
            self._on_free(self)
        else:
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._unwatch()
        # It knows this object: only the garbage collector, which runs seldom, would end that.
        del self._parser
        incoming = self._incoming
        if incoming is None:
            return
        if incoming.begun and not self._framed and exc is None:
            self._end(incoming)
            incoming.wake()
        else:
            self._fail(f"the connection was lost ({type(exc).__name__ if exc else 'closed'})")

    # From the parser.

    def on_message_begin(self) -> None:
        self._begin_head()
        self._excess = self._excess or self._complete

    def on_headers_complete(self) -> None:
        if self._excess or self._incoming is None:
            return
        headers = self._end_head()
        status = self._parser.get_status_code()
        self._interim = 100 <= status < 200
        if self._interim:
            return
        self._reusable = self._parser.should_keep_alive()
        for name, value in headers:
            if name == "content-length" or (
                name == "transfer-encoding" and "chunked" in value.lower()
            ):
                self._framed = True
        self._incoming.begin(status, headers)

    def on_body(self, data: bytes) -> None:
        self._told = True
        if not self._excess:
            self._pieces.append(data)

    def on_message_complete(self) -> None:
        self._told = True
        if not self._excess and not self._interim:
            self._complete = True
