"""A small API server of one kind (pods), that can be told to misbehave: cuts, 410, silence, noise."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

from benchwright.kube.client import KubeClient
from benchwright.kube.config import Login

Json = dict[str, Any]
PATH = "/api/v1/namespaces/bench/pods"
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def gone() -> Json:
    """What a stream says where the resource version is too old."""
    status = {
        "kind": "Status",
        "code": 410,
        "reason": "Expired",
        "message": "too old resource version",
    }
    return {"type": "ERROR", "object": status}


@dataclass
class FakeApi:
    """Objects by name, a version that counts, watchers, and a log of requests."""

    objects: dict[str, Json] = field(default_factory=dict)
    version: int = 100
    page: int = 500
    lists: list[dict[str, str]] = field(default_factory=list)
    watches: list[dict[str, str]] = field(default_factory=list)
    instead: list[Answer] = field(default_factory=list)
    """Answers for the next requests, whatever they are, in place of the proper ones."""
    deaf: bool = False
    """Watchers hear nothing of changes until they watch anew."""
    before_list_answer: Callable[[], Awaitable[None]] | None = None
    _streams: set[web.StreamResponse] = field(default_factory=set)
    _history: list[tuple[int, Json]] = field(default_factory=list)
    _pages: dict[str, tuple[list[Json], int]] = field(default_factory=dict)

    # Changing the world

    async def put(self, name: str, value: str = "") -> Json:
        """Create or change; watchers hear of it."""
        kind = "MODIFIED" if name in self.objects else "ADDED"
        self.version += 1
        meta = {"name": name, "uid": f"uid-{name}", "resourceVersion": str(self.version)}
        self.objects[name] = {"metadata": meta, "value": value}
        await self._happened({"type": kind, "object": self.objects[name]})
        return self.objects[name]

    async def remove(self, name: str) -> Json:
        self.version += 1
        raw = self.objects.pop(name)
        raw = {**raw, "metadata": {**raw["metadata"], "resourceVersion": str(self.version)}}
        await self._happened({"type": "DELETED", "object": raw})
        return raw

    async def _happened(self, event: Json) -> None:
        self._history.append((self.version, event))
        await self.say(event)

    async def say(self, event: Json) -> None:
        """An event to everybody who watches."""
        await self.say_bytes(json.dumps(event).encode() + b"\n")

    async def say_bytes(self, data: bytes) -> None:
        if not self.deaf:
            for stream in self._streams:
                with contextlib.suppress(ConnectionError):  # it was cut
                    await stream.write(data)

    async def bookmark(self) -> None:
        self.version += 1
        meta = {"resourceVersion": str(self.version)}
        await self.say({"type": "BOOKMARK", "object": {"metadata": meta}})

    def cut(self) -> None:
        """All connections of watchers are reset in the middle of whatever they are at."""
        for stream in list(self._streams):
            payload = stream._payload_writer
            assert payload is not None
            assert payload.transport is not None
            payload.transport.abort()

    @property
    def watchers(self) -> int:
        return len(self._streams)

    # Serving

    async def handle(self, request: web.Request) -> web.StreamResponse:
        watching = request.query.get("watch") == "1"
        (self.watches if watching else self.lists).append(dict(request.query))
        if self.instead:
            return await self.instead.pop(0)(request)
        return await (self._watch(request) if watching else self._list(request))

    async def _list(self, request: web.Request) -> web.Response:
        token = request.query.get("continue")
        left, version = (
            self._pages.pop(token) if token else (list(self.objects.values()), self.version)
        )
        page, rest = left[: self.page], left[self.page :]
        meta: Json = {"resourceVersion": str(version)}
        if rest:
            meta["continue"] = f"token-{len(self.lists)}"
            self._pages[meta["continue"]] = (rest, version)
        if self.before_list_answer:
            await self.before_list_answer()
        return web.json_response({"metadata": meta, "items": page})

    async def _watch(self, request: web.Request) -> web.StreamResponse:
        stream = web.StreamResponse(headers={"Content-Type": "application/json"})
        await stream.prepare(request)
        for version, event in self._history:
            if version > int(request.query["resourceVersion"]):
                await stream.write(json.dumps(event).encode() + b"\n")
        self._streams.add(stream)
        try:
            await asyncio.sleep(float(request.query["timeoutSeconds"]))
        finally:
            self._streams.discard(stream)
        return stream


@asynccontextmanager
async def serving(api: FakeApi) -> AsyncIterator[KubeClient]:
    """A client of the fake server."""
    app = web.Application()
    app.router.add_get(PATH, api.handle)
    async with TestServer(app) as server:
        login = Login(str(server.make_url("")).rstrip("/"), None, "token", None, "bench")
        async with KubeClient(login) as client:
            yield client


async def eventually(holds: Callable[[], bool], seconds: float = 5.0) -> None:
    """Wait until it holds; fail after a time."""
    try:
        async with asyncio.timeout(seconds):
            while not holds():  # noqa: ASYNC110 - conditions of another task, without a signal
                await asyncio.sleep(0.003)
    except TimeoutError:
        raise AssertionError("did not come true in time") from None
