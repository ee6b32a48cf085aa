"""The store behind the API server's REST, with a log of writes and a trap at any of them."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.sim.store import NAMESPACE, Refused, Store

Json = dict[str, Any]
PREFIXES = {"v1": "/api/v1", "custom": "/apis/benchwright.dev/v1alpha1"}
BOOKMARK_SECONDS = 1.0


@dataclass(frozen=True)
class Write:
    """A write that was asked for."""

    method: str
    plural: str
    name: str
    body: Json


Trap = Callable[[int, Write, bool], Awaitable[None]]
"""Called with the number of a write, the write, and whether it was applied already."""


@dataclass
class ApiServer:
    """REST on a loopback port."""

    store: Store
    writes: list[Write] = field(default_factory=list)
    applied: list[Write] = field(default_factory=list)
    trap: Trap | None = None
    throttle: int = 0
    """So many requests are answered 429 or 503 first, with Retry-After."""
    throttled: Callable[[str, str], bool] = lambda method, plural: method != "GET"
    """Which requests that are."""
    refuse: Callable[[Write], bool | Refused] = lambda write: False
    """Writes that are refused whatever they say; True is 422."""
    outage: bool = False
    """Everything is answered 503, and watches end."""
    behind: set[str] = field(default_factory=set)
    """Kinds whose lists are those of the beginning, and whose watches tell nothing for now."""
    url: str = ""
    _runner: web.AppRunner | None = None
    _cut: asyncio.Event = field(default_factory=asyncio.Event)

    async def start(self) -> None:
        app = web.Application(client_max_size=16 * 1024 * 1024)
        for prefix in PREFIXES.values():
            base = f"{prefix}/namespaces/{NAMESPACE}/{{plural}}"
            app.router.add_route("*", base, self._handle)
            app.router.add_route("*", f"{base}/{{name}}", self._handle)
            app.router.add_route("*", f"{base}/{{name}}/{{sub}}", self._handle)
        self._runner = web.AppRunner(
            app, handler_cancellation=True, shutdown_timeout=0.1, access_log=None
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"

    async def stop(self) -> None:
        self.cut_watches()
        if self._runner:
            await self._runner.cleanup()

    def cut_watches(self) -> None:
        self._cut.set()
        self._cut = asyncio.Event()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        try:
            if self.outage:
                raise Refused(503, "ServiceUnavailable", "apiserver is shutting down")
            self._throttle(request.method, request.match_info["plural"])
            if request.method == "GET":
                return await self._read(request)
            return web.json_response(await self._write(request))
        except Refused as refused:
            headers = {} if refused.retry_after is None else {"Retry-After": refused.retry_after}
            return web.json_response(refused.body(), status=refused.status, headers=headers)

    def _throttle(self, method: str, plural: str) -> None:
        if self.throttle and self.throttled(method, plural):
            self.throttle -= 1
            # Before anything is done: 429 by priority and fairness, 503 while shutting down.
            status = 503 if self.throttle % 2 else 429
            raise Refused(status, "TooManyRequests", "slow down", retry_after="1")

    # Reading

    async def _read(self, request: web.Request) -> web.StreamResponse:
        plural, name = request.match_info["plural"], request.match_info.get("name")
        if name:
            return web.json_response(self.store.find(plural, name))
        if request.query.get("watch") == "1":
            return await self._watch(request, plural)
        if plural in self.behind:
            return web.json_response({"metadata": {"resourceVersion": "0"}, "items": []})
        items = [raw for raw in self.store.all(plural) if _matches(raw, request)]
        start = int(request.query.get("continue", "0"))
        page = items[start : start + int(request.query.get("limit", "500"))]
        meta: Json = {"resourceVersion": str(self.store.version)}
        if start + len(page) < len(items):
            meta["continue"] = str(start + len(page))
        return web.json_response({"metadata": meta, "items": page})

    async def _watch(self, request: web.Request, plural: str) -> web.StreamResponse:
        place = int(request.query["resourceVersion"])
        if place < self.store.compacted:
            raise Refused(410, "Expired", "too old resource version")
        stream = web.StreamResponse(headers={"Content-Type": "application/json"})
        await stream.prepare(request)
        cut = self._cut
        while not (cut.is_set() or self.outage):
            changed = self.store.changed
            news = [] if plural in self.behind else self.store.history[_after(self.store, place) :]
            for version, kind, event in news:
                if kind == plural and _matches(event["object"], request):
                    await stream.write(json.dumps(event).encode() + b"\n")
                place = version
            if not await _wait(changed, cut) and request.query.get("allowWatchBookmarks"):
                mark = {"metadata": {"resourceVersion": str(place)}}
                await stream.write(
                    json.dumps({"type": "BOOKMARK", "object": mark}).encode() + b"\n"
                )
        return stream

    # Writing

    async def _write(self, request: web.Request) -> Json:
        body = json.loads(await request.read() or b"{}")
        info = request.match_info
        name = info.get("name") or body["metadata"]["name"]
        write = Write(request.method, info["plural"], name, body)
        self.writes.append(write)
        number = len(self.writes)
        refused = self.refuse(write)
        if refused:
            words = "refused by an admission webhook"
            raise refused if isinstance(refused, Refused) else Refused(422, "Invalid", words)
        if self.trap:
            await self.trap(number, write, False)
        answer = self._apply(write, info.get("sub"))
        self.applied.append(write)
        if self.trap:
            await self.trap(number, write, True)
        return answer

    def _apply(self, write: Write, sub: str | None) -> Json:
        if write.method == "POST":
            return self.store.create(write.plural, write.body)
        if write.method == "DELETE":
            return self.store.delete(write.plural, write.name, write.body)
        assert (write.method, sub) == ("PATCH", "status"), "the operator patches statuses only"
        return self.store.patch_status(write.plural, write.name, write.body)


def _after(store: Store, place: int) -> int:
    """Index of the first event after `place`; the history is in order of versions."""
    low, high = 0, len(store.history)
    while low < high:
        middle = (low + high) // 2
        if store.history[middle][0] <= place:
            low = middle + 1
        else:
            high = middle
    return low


async def _wait(changed: asyncio.Event, cut: asyncio.Event) -> bool:
    """Whether something happened before the next bookmark is due."""
    waits = [asyncio.create_task(changed.wait()), asyncio.create_task(cut.wait())]
    try:
        done, _ = await asyncio.wait(waits, timeout=BOOKMARK_SECONDS, return_when="FIRST_COMPLETED")
        return bool(done)
    finally:
        for task in waits:
            task.cancel()


def _matches(raw: Json, request: web.Request) -> bool:
    selector = request.query.get("labelSelector", "")
    tags = raw["metadata"].get("labels") or {}
    for part in filter(None, selector.split(",")):
        key, equals, value = part.partition("=")
        if key not in tags or (equals and tags[key] != value):
            return False
    return True
