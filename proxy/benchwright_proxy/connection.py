"""Client connections that know the difference between a half-close and a disconnect."""

import asyncio
from collections.abc import Callable

from aiohttp import StreamReader, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http_parser import RawRequestMessage


class ClientConnection(web.RequestHandler):
    """aiohttp drops a connection whose client has finished sending. But a client that shuts its
    writing side once the request is out still reads the answer (Mesh-LLM/mesh-llm#1448)."""

    #: The body of the request being answered; None between requests.
    payload: StreamReader | None = None
    on_lost: Callable[[], None] | None = None
    half_closed = False

    def eof_received(self) -> bool:  # type: ignore[override]  # aiohttp narrows asyncio's bool | None
        """Keep the connection open for an answer, if the whole request is here."""
        payload = self.payload
        if payload is None and self._messages:
            # Parsed, but its handler has not been started yet.
            payload = self._messages[-1][1]
        if payload is None or not payload.is_eof():
            return False
        self.half_closed = True
        self.close()  # after this answer
        return True

    def connection_lost(self, exc: BaseException | None) -> None:
        """Tell whoever answers."""
        super().connection_lost(exc)
        if self.on_lost is not None:
            self.on_lost()


class ClientServer(web.Server):
    """Makes such connections."""

    def __call__(self) -> ClientConnection:
        return ClientConnection(self, loop=self._loop, **self._kwargs)

    def _make_request(
        self,
        message: RawRequestMessage,
        payload: StreamReader,
        protocol: web.RequestHandler,
        writer: AbstractStreamWriter,
        task: "asyncio.Task[None]",
    ) -> web.BaseRequest:
        if isinstance(protocol, ClientConnection):
            protocol.payload = payload
        return super()._make_request(message, payload, protocol, writer, task)


def connection_of(request: web.BaseRequest) -> ClientConnection | None:
    """The connection that a request came on."""
    connection = request.protocol
    return connection if isinstance(connection, ClientConnection) else None


def may_have_left(request: web.BaseRequest) -> bool:
    """Whether the client has closed at least its half: only writing to it tells if it was all."""
    connection = connection_of(request)
    return request.transport is None or (connection is not None and connection.half_closed)


def answered(request: web.BaseRequest) -> None:
    """The handler of a request has ended: from now on the end of input ends the connection."""
    connection = connection_of(request)
    if connection is not None:
        connection.payload = None
