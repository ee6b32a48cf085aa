"""A client's connection: requests come in, one is answered at a time, in their order."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Protocol, cast

import httptools

from .headbound import HeadBound, HeadTooLargeError
from .message import Request, Response
from .writer import ResponseWriter

log = logging.getLogger(__name__)

#: Longest head of a request, in bytes; the longest token is 7 KiB.
HEAD_BYTES = 64 * 1024
#: How long a client may take to send a head, or be silent in a body; and how long an idle connection
#: is kept. Longer than any client keeps one: whoever closes first may do so under a new request.
HEAD_SECONDS, BODY_SECONDS, IDLE_SECONDS = 60.0, 120.0, 3630.0
#: What is still read of a body that nobody wants, so that its sender sees the answer.
LINGER_BYTES, LINGER_SECONDS = 64 * 2**20, 10.0


class Accepted(Protocol):
    """What is to be done with a request once all of it is there."""

    def keep(self, size: int) -> Response | None:
        """Whether so many bytes more of its body may be kept: None, else the answer instead."""

    def dropped(self) -> None:
        """Nothing of it is kept any more. Called once, whether it was answered or not."""

    async def answer(self, request: Request, writer: ResponseWriter) -> None:
        """Answer a complete request."""


#: From the head of a request to its answer, where its body does not matter, or to what is to be done.
Application = Callable[[Request], "Response | Accepted"]
_BAD_REQUEST = Response(400, b'{"error":{"message":"not an HTTP/1.1 request"}}')
_HEAD_TOO_LARGE = Response(431, b'{"error":{"message":"the head of the request is too large"}}')


class Spawner(Protocol):
    """Who keeps the connections and runs their tasks."""

    def opened(self, connection: "InboundConnection") -> None: ...

    def closed(self, connection: "InboundConnection") -> None: ...

    def spawn(self, work: Coroutine[None, None, None]) -> None: ...


class InboundConnection(HeadBound, asyncio.Protocol):
    """See the module. The parser calls the `on_…` methods."""

    def __init__(self, application: Application, owner: Spawner) -> None:
        super().__init__(HEAD_BYTES)
        self._application = application
        self._owner = owner
        self._loop = asyncio.get_running_loop()
        self._parser = httptools.HttpRequestParser(self)
        self._target = b""
        # What is to be answered, oldest first; the first of them may be being answered.
        self._queue: deque[tuple[Request, Response | Accepted]] = deque()
        self._arriving: Request | None = None
        self._writer: ResponseWriter | None = None
        self._lingering = False
        self._last = 0.0
        self.transport: asyncio.Transport | None = None
        #: The client's address.
        self.peer = ""
        self.half_closed = False
        self.closing = False
        self.congested = False
        self._drained: asyncio.Future[None] | None = None

    # From the transport.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.peer = str((transport.get_extra_info("peername") or ("",))[0])
        self._last = self._loop.time()
        self._owner.opened(self)

    def data_received(self, data: bytes) -> None:
        self._last = self._loop.time()
        if self.closing and self._arriving is None:
            return  # behind the last request that is answered
        try:
            self._parser.feed_data(data)
            self._fed(len(data))
        except httptools.HttpParserUpgrade:
            self.closing = True  # nobody here speaks anything else; the request has its answer
        except (httptools.HttpParserError, UnicodeError, HeadTooLargeError) as error:
            self._unreadable(error)
        self._advance()

    def eof_received(self) -> bool:
        """A client that shuts its writing side once its request is out still reads the answer
        (Mesh-LLM/mesh-llm#1448)."""
        if self._arriving is not None or self._in_head or not self._queue:
            return False
        self.half_closed = self.closing = True
        return self.transport is not None and self.transport.get_extra_info("sslcontext") is None

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None
        self.closing = True
        # It knows this object: only the garbage collector, which runs seldom, would end that.
        del self._parser
        self._owner.closed(self)
        self._wake()
        if self._writer is not None:
            self._writer.lost()
        while len(self._queue) > (self._writer is not None):
            _drop(self._queue.pop()[1])

    def pause_writing(self) -> None:
        self.congested = True

    def resume_writing(self) -> None:
        self.congested = False
        self._wake()
        self._loop.call_soon(self._advance)  # a transport must not be closed from in here

    # From the parser.

    def on_message_begin(self) -> None:
        self._target = b""
        self._begin_head()

    def on_url(self, url: bytes) -> None:
        self._target += url
        self._add(len(url))

    def on_headers_complete(self) -> None:
        parser = self._parser
        headers = self._end_head()
        headers.reverse()  # of several of one name the first counts
        request = Request(
            parser.get_method().decode(),
            self._target.decode("latin-1"),
            dict(headers),
            parser.should_keep_alive(),
            parser.get_http_version() == "1.0",
        )
        wanted = self._application(request)
        self._arriving = request
        self._queue.append((request, wanted))
        expects = request.headers.get("expect", "").lower() == "100-continue"
        if expects and not isinstance(wanted, Response) and len(self._queue) == 1:
            self.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, data: bytes) -> None:
        self._told = True
        request = self._arriving
        if request is None:
            return
        request.size += len(data)
        wanted = self._queue[-1][1] if self._queue else None
        if wanted is None or isinstance(wanted, Response):
            if request.size > LINGER_BYTES:
                self.close()
        elif (instead := wanted.keep(len(data))) is None:
            request.parts.append(data)
        else:
            request.parts.clear()
            wanted.dropped()
            self._queue[-1] = request, instead

    def on_message_complete(self) -> None:
        self._told = True
        if self._arriving is not None:
            self._arriving.complete = True
            self.closing = self.closing or not self._arriving.keep_alive
            self._arriving = None

    def _unreadable(self, error: Exception) -> None:
        """What came is not HTTP: answer that behind what is answered already, and read no more."""
        if self._lingering:
            self.close()
            return
        cause = error.__context__ if isinstance(error, httptools.HttpParserError) else error
        large = isinstance(cause, HeadTooLargeError)
        if isinstance(error, httptools.HttpParserCallbackError) and not large:
            log.error("a request could not be taken", exc_info=error)
        self.closing = True
        if self._arriving is not None and self._queue:
            _drop(self._queue.pop()[1])
        request = Request("GET", "", {}, keep_alive=False, complete=True)
        self._arriving, self._in_head = None, False
        self._queue.append((request, _HEAD_TOO_LARGE if large else _BAD_REQUEST))

    # Answers.

    def _advance(self) -> None:
        """Answer what can be answered now."""
        while self._writer is None and self._queue and not self.congested:
            request, wanted = self._queue[0]
            if isinstance(wanted, Response):
                self._begin(request).respond(wanted)
            elif request.complete:
                self._owner.spawn(self._answer(wanted, request, self._begin(request)))
            else:
                break  # the rest of it is still to come
        self._end_lingering()
        if self.transport is not None and (len(self._queue) > 1 or self.congested):
            self.transport.pause_reading()  # it sends faster than it is answered, or reads nothing
        elif self.transport is not None:
            self.transport.resume_reading()

    def _begin(self, request: Request) -> ResponseWriter:
        self._writer = ResponseWriter(self, request)
        return self._writer

    async def _answer(self, wanted: Accepted, request: Request, writer: ResponseWriter) -> None:
        try:
            await wanted.answer(request, writer)
        finally:
            wanted.dropped()
            if not writer.ended:
                writer.abort()
            self._advance()

    def answered(self) -> None:
        """The response that is being written has ended."""
        request, _ = self._queue.popleft()
        self._writer = None
        self._last = self._loop.time()
        if not request.complete:
            self._lingering = self.closing = True
            self._loop.call_later(LINGER_SECONDS, self.close)
        elif self.closing and not self._queue:
            self.close()

    def _end_lingering(self) -> None:
        if self._lingering and self._arriving is None:
            self.close()

    # For the writer of a response and the owner.

    @property
    def answering(self) -> bool:
        """Whether a response is being made or written."""
        return self._writer is not None

    @property
    def may_have_left(self) -> bool:
        """Whether the client has closed at least its half: only writing to it tells if it was all."""
        return self.transport is None or self.half_closed

    def write(self, data: bytes) -> None:
        """Hand bytes to the transport, if there is one still."""
        if self.transport is not None:
            self.transport.write(data)

    async def drain(self) -> None:
        """Wait until the client has taken most of what was written, or has gone."""
        if self.congested and self.transport is not None:
            self._drained = self._drained or self._loop.create_future()
            await asyncio.shield(self._drained)

    def _wake(self) -> None:
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)
        self._drained = None

    def close(self) -> None:
        """Close when all that was written has been taken."""
        self.closing = True
        if self.transport is not None:
            self.transport.close()

    def abort(self) -> None:
        """Close at once."""
        self.closing = True
        if self.transport is not None:
            self.transport.abort()

    def sweep(self, now: float) -> None:
        """Close what nobody uses, or only pretends to."""
        if self.answering:
            return
        silent = now - self._last
        if self._arriving is not None:
            allowed = BODY_SECONDS
        else:
            allowed = HEAD_SECONDS if self._in_head else IDLE_SECONDS
        if silent > allowed:
            self.close()


def _drop(wanted: Response | Accepted) -> None:
    if not isinstance(wanted, Response):
        wanted.dropped()
