"""A small API server in a thread: objects, lists, watches, server-side apply, a service proxy."""

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Json = dict[str, Any]
GROUP = "/apis/benchwright.dev/v1alpha1"


def status(code: int, message: str, reason: str = "") -> web.Response:
    body = {"kind": "Status", "status": "Failure", "code": code, "message": message}
    return web.json_response({**body, "reason": reason}, status=code)


@dataclass
class Call:
    """A request that came in."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


@dataclass
class FakeApi:
    """State of the server. Change it with `put` and `remove`, from any thread."""

    objects: dict[tuple[str, str, str], Json] = field(default_factory=dict)
    """(plural, namespace, name) → object."""
    refuse: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    """(method, a part of the path) → status and message."""
    service: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    """Path at the results service → answer."""
    calls: list[Call] = field(default_factory=list)
    url: str = ""
    _version: int = 100
    _watchers: list[tuple[str, "asyncio.Queue[Json]"]] = field(default_factory=list)
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)

    # For tests

    def put(self, plural: str, name: str, body: Json, namespace: str = "default") -> Json:
        """Create or replace an object; watchers hear of it."""
        self._version += 1
        kind = "MODIFIED" if (plural, namespace, name) in self.objects else "ADDED"
        meta = {"namespace": namespace, "creationTimestamp": "2026-01-01T10:00:00Z"}
        meta |= {"name": name, "uid": f"uid-{name}", "resourceVersion": str(self._version)}
        obj = {**body, "metadata": {**meta, **body.get("metadata", {})}}
        obj["metadata"]["resourceVersion"] = str(self._version)
        self.objects[plural, namespace, name] = obj
        self._tell(plural, kind, obj)
        return obj

    def remove(self, plural: str, name: str, namespace: str = "default") -> None:
        """Delete an object; watchers hear of it."""
        self._version += 1
        obj = self.objects.pop((plural, namespace, name))
        meta = {**obj["metadata"], "resourceVersion": str(self._version)}
        self._tell(plural, "DELETED", {**obj, "metadata": meta})

    def _tell(self, plural: str, kind: str, obj: Json) -> None:
        for wanted, queue in self._watchers:
            if wanted == plural:
                queue.put_nowait({"type": kind, "object": obj})

    def later(self, seconds: float, action: Callable[[], object]) -> None:
        """Do something while a command runs."""
        self._loop.call_soon_threadsafe(self._loop.call_later, seconds, action)

    def called(self, method: str, part: str = "") -> list[Call]:
        return [c for c in self.calls if c.method == method and part in c.path]

    # The server

    def start(self) -> Callable[[], None]:
        """Serve in a thread; returns what stops it."""
        ready = threading.Event()
        thread = threading.Thread(target=self._serve, args=(ready,), daemon=True)
        thread.start()
        assert ready.wait(20)

        def stop() -> None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join(20)

        return stop

    def _serve(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        runner = self._loop.run_until_complete(self._listen())
        ready.set()
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    async def _listen(self) -> web.AppRunner:
        app = web.Application(client_max_size=2**30)
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return runner

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        call = Call(
            request.method, request.path, dict(request.query), dict(request.headers),
            await request.read(),
        )  # fmt: skip
        self.calls.append(call)
        for (method, part), (code, message) in self.refuse.items():
            if method == request.method and part in request.path:
                return status(code, message)
        if "/proxy/" in request.path:
            return self._service(call)
        return await self._resource(request, call)

    def _service(self, call: Call) -> web.Response:
        path = "/" + call.path.partition("/proxy/")[2]
        if "/services/http:benchwright-results:http/" not in call.path:
            return status(404, 'services "x" not found')
        if call.method == "PUT":
            return web.json_response({})
        code, body = self.service.get(path, (404, b"no such thing here"))
        return web.Response(status=code, body=body)

    async def _resource(self, request: web.Request, call: Call) -> web.StreamResponse:
        if call.path == "/api/v1":
            kinds = [("ConfigMap", "configmaps", True), ("Namespace", "namespaces", False)]
            rows = [{"kind": k, "name": n, "namespaced": s} for k, n, s in kinds]
            return web.json_response({"resources": rows})
        head, _, rest = call.path.partition("/namespaces/")
        if head not in {GROUP, "/api/v1"} or not rest:
            return status(404, "the server could not find the requested resource")
        namespace, plural, *name = rest.split("/")
        if not name:
            return await self._many(request, plural, namespace)
        if call.method == "PATCH":
            return self._apply(plural, namespace, name[0], json.loads(call.body))
        found = self.objects.get((plural, namespace, name[0]))
        return web.json_response(found) if found else status(404, f'{plural} "{name[0]}" not found')

    def _apply(self, plural: str, namespace: str, name: str, body: Json) -> web.Response:
        old = self.objects.get((plural, namespace, name))
        if old and old.get("spec") == body.get("spec"):
            return web.json_response(old)
        return web.json_response(self.put(plural, name, {**(old or {}), **body}, namespace))

    async def _many(self, request: web.Request, plural: str, namespace: str) -> web.StreamResponse:
        if "watch" in request.query:
            return await self._watch(request, plural)
        items = [o for (p, n, _), o in self.objects.items() if (p, n) == (plural, namespace)]
        return web.json_response(
            {"items": items, "metadata": {"resourceVersion": str(self._version)}}
        )

    async def _watch(self, request: web.Request, plural: str) -> web.StreamResponse:
        queue: asyncio.Queue[Json] = asyncio.Queue()
        self._watchers.append((plural, queue))
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            event = await queue.get()
            await response.write(json.dumps(event).encode() + b"\n")
