"""A port, its connections, and the tasks that answer on them."""

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Coroutine

from .inbound import Application, InboundConnection

log = logging.getLogger(__name__)

SWEEP_SECONDS = 5.0
#: How long answers may take to reach their clients once nothing is written any more.
FLUSH_SECONDS = 1.0
#: How long a client may take to agree on TLS: until then its connection counts nowhere.
HANDSHAKE_SECONDS = 10.0
#: Connections at most: about 10 KiB each.
MAX_CONNECTIONS = 8192


class Listener:
    """Serves `application` on at most `most` connections. When these are taken, the address that has
    most of them loses its oldest on which nothing is being answered, so that nobody can keep others
    out by opening many. `running` are the requests that are being answered."""

    def __init__(self, application: Application, most: int = MAX_CONNECTIONS) -> None:
        self._application = application
        self._most = most
        self._by_peer: dict[str, dict[InboundConnection, None]] = {}
        self._server: asyncio.Server | None = None
        self._sweeper: asyncio.TimerHandle | None = None
        self._connections: set[InboundConnection] = set()
        self._none_left = asyncio.Event()
        self.running: set[asyncio.Task[None]] = set()

    async def listen(
        self, host: str, port: int, tls: ssl.SSLContext | None = None
    ) -> tuple[str, int]:
        """Open the port, 0 for a free one; where it is. Raises OSError if it is taken."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: InboundConnection(self._application, self),
            host,
            port,
            ssl=tls,
            ssl_handshake_timeout=HANDSHAKE_SECONDS if tls else None,
            backlog=1024,
        )
        self._sweep()
        bound = self._server.sockets[0].getsockname()
        return str(bound[0]), int(bound[1])

    def opened(self, connection: InboundConnection) -> None:
        self._connections.add(connection)
        self._by_peer.setdefault(connection.peer, {})[connection] = None
        if len(self._connections) > self._most:
            greediest = max(self._by_peer.values(), key=len)
            unused = (c for c in greediest if not c.answering and c is not connection)
            victim = next(unused, connection)
            self.closed(victim)
            # A connection that is being made is not aborted from in here.
            asyncio.get_running_loop().call_soon(victim.abort)

    def closed(self, connection: InboundConnection) -> None:
        self._connections.discard(connection)
        mine = self._by_peer.get(connection.peer, {})
        mine.pop(connection, None)
        if not mine:
            self._by_peer.pop(connection.peer, None)
        if not self._connections:
            self._none_left.set()

    def spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.running.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self.running.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("a request was not answered", exc_info=error)

    def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for connection in list(self._connections):
            connection.sweep(now)
        self._sweeper = loop.call_later(SWEEP_SECONDS, self._sweep)

    async def stop(self, grace_seconds: float) -> None:
        """Wait for what is being answered, at most so long, and cancel the rest."""
        if self.running:
            log.info("waiting for %d calls", len(self.running))
            await asyncio.wait(set(self.running), timeout=grace_seconds)
        for task in self.running:
            task.cancel()
        await asyncio.gather(*self.running, return_exceptions=True)

    async def close(self) -> None:
        """Close the port and all connections."""
        if self._server is not None:
            self._server.close()
        if self._sweeper is not None:
            self._sweeper.cancel()
        self._none_left.clear()
        for connection in list(self._connections):
            connection.close()
        if self._connections:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._none_left.wait(), FLUSH_SECONDS)
        for connection in list(self._connections):
            connection.abort()
