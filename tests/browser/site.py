"""The results service behind a path prefix, as the API server's service proxy shows it, in a thread.

Playwright's plain interface cannot share a thread with an event loop.
"""

import asyncio
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer
from yarl import URL

from benchwright.results.store import Store
from tests.unit.results.support import Service, running
from tests.unit.web.samples import fill

T = TypeVar("T")
PREFIX = "/api/v1/namespaces/bench/services/http:benchwright-results:http/proxy"
_DROPPED = {
    "host",
    "authorization",
    "content-length",
    "transfer-encoding",
    "connection",
    "accept-encoding",
}


@dataclass(frozen=True)
class Site:
    """A running service. `direct` is its own root, `proxied` what a user of the API server sees."""

    loop: asyncio.AbstractEventLoop
    service: Service
    direct: str
    proxied: str

    def do(self, work: Callable[[Store], Coroutine[Any, Any, T]]) -> T:
        """Something to the store while pages are open."""
        return asyncio.run_coroutine_threadsafe(work(self.service.store), self.loop).result(60)


def behind_prefix(target: str, http: aiohttp.ClientSession) -> web.Application:
    """What the API server does: strips the prefix and Authorization. Outside of it nothing is."""

    async def forward(request: web.Request) -> web.Response:
        rest = request.raw_path.removeprefix(PREFIX)
        headers = {k: v for k, v in request.headers.items() if k.lower() not in _DROPPED}
        url = URL(f"{target}{rest}", encoded=True)
        body = await request.read()
        async with http.request(
            request.method, url, data=body or None, headers=headers, allow_redirects=False
        ) as answer:
            back = [(k, v) for k, v in answer.headers.items() if k.lower() not in _DROPPED]
            response = web.Response(status=answer.status, body=await answer.read())
            response.headers.clear()
            response.headers.extend(back)
            return response

    app = web.Application()
    app.router.add_route("*", PREFIX + "/{rest:.*}", forward)
    return app


@contextmanager
def serving(fill_store: Callable[[Store], Coroutine[Any, Any, None]] = fill) -> Iterator[Site]:
    """A site for as long as the context lasts."""
    loop, ready, stop = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    found: list[Site] = []

    async def serve() -> None:
        with tempfile.TemporaryDirectory(prefix="bw-browser-") as folder:
            async with running(Path(folder)) as service:
                await fill_store(service.store)
                direct = str(service.internal)
                async with TestServer(behind_prefix(direct, service.http)) as proxy:
                    found.append(Site(loop, service, direct, str(proxy.make_url(PREFIX))))
                    ready.set()
                    await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(60), "the service did not start"
    yield found[0]
    loop.call_soon_threadsafe(stop.set)
    thread.join(30)
