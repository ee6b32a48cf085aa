"""The real results service on a temporary folder, and a fake proxy, on loopback ports."""

import asyncio
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from benchwright.results import database as db
from benchwright.results.database import open_engine
from benchwright.results.news import News
from benchwright.results.objects import ObjectStore, evidence_key
from benchwright.results.runs import Asked, plans_of
from benchwright.results.service import internal_app, trial_app
from benchwright.results.store import Store
from benchwright_proxy.token import TokenError, verify

KEY = b"a-signing-key-of-enough-characters-for-all"


async def _serve(app: web.Application, port: int = 0) -> tuple[web.AppRunner, int]:
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    return runner, int(runner.addresses[0][1])


@dataclass
class Results:
    """Both ports of the results service."""

    folder: tempfile.TemporaryDirectory[str]
    internal_port: int = 0
    trial_port: int = 0
    volumes: int = 1
    store: Store = field(init=False)
    _engine: AsyncEngine = field(init=False)
    _runners: list[web.AppRunner] = field(default_factory=list)

    async def start(self) -> None:
        path = Path(self.folder.name) / f"volume-{self.volumes}"
        path.mkdir()
        self._engine = await open_engine(f"sqlite+aiosqlite:///{path}/results.db")
        self.store = Store(self._engine, ObjectStore.open(str(path / "objects")))
        news = News()
        keys = [KEY]
        inside = await _serve(internal_app(self.store, keys, news), self.internal_port)
        outside = await _serve(trial_app(self.store, keys, news), self.trial_port)
        self._runners = [inside[0], outside[0]]
        self.internal_port, self.trial_port = inside[1], outside[1]

    async def lose_the_volume(self, downtime: float = 0.0) -> None:
        """The service comes back under the same address with an empty store."""
        await self._end()
        await asyncio.sleep(downtime)
        self.volumes += 1
        await self.start()

    async def forget_facts(self, stage: str) -> None:
        """As a store that was restored from an incomplete copy."""
        async with self._engine.begin() as connection:
            await connection.execute(db.facts.delete().where(db.facts.c.stage == stage))

    async def stop(self) -> None:
        await self._end()
        self.folder.cleanup()

    async def _end(self) -> None:
        for runner in self._runners:
            await runner.cleanup()
        await self._engine.dispose()

    async def plans(self) -> list[dict[str, Any]]:
        return await plans_of(self.store.engine, Asked("bench", "run-1"))

    async def calls(self, trial_uid: str) -> str | None:
        """What the first stored model call of a trial asked; None where no call is stored."""
        found = [f for f in await self.store.files(trial_uid) if f.name == "calls.jsonl"]
        if not found:
            return None
        key = evidence_key(trial_uid, found[0].attempt, found[0].stage, found[0].name)
        stored = await self.store.objects.read(key)
        data = b"".join([chunk async for chunk in stored.chunks])
        return str(json.loads(data.splitlines()[0])["request"])

    async def rows(self) -> list[dict[str, Any]]:
        """Records of all trials, those of baselines too."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(select(db.records.c.document))
            return [json.loads(row.document) for row in rows]


USED = {
    "requests": 3, "succeeded": 3, "failed": 0, "refused": 0, "unknown_usage": 0, "input_tokens": 900,
    "cached_input_tokens": 100, "output_tokens": 60, "reasoning_tokens": 10, "operations": 3,
    "tool_calls": 2, "cost_nanos": 0, "unknown_cost": 3, "mismatches": 0,
}  # fmt: skip
NOTHING = {**dict.fromkeys(USED, 0), "reasoning_tokens": None}


@dataclass
class Proxy:
    """The admin port: closes attempts and says what they used."""

    models: list[str] = field(default_factory=lambda: ["demo"])
    closed: list[tuple[str, int]] = field(default_factory=list)
    interrupted: dict[int, int] = field(default_factory=dict)
    """Attempt → number of calls that a restart interrupted."""
    limit_hit: dict[int, str] = field(default_factory=dict)
    """Attempt → the limit that refused a call of it."""
    calls: Callable[[str], bool] = lambda uid: False
    """Whether the agent of the trial of this UID calls the model."""
    priced: set[str] = field(default_factory=set)
    limits: dict[str, dict[str, int | None]] = field(default_factory=dict)
    """UID of a run → the limits that it was given last."""
    run: dict[str, Any] = field(default_factory=dict)
    """What is said of each run, where it is not nothing."""
    forgotten: list[tuple[str, int]] = field(default_factory=list)
    port: int = 0
    _runner: web.AppRunner | None = None

    async def start(self) -> None:
        app = web.Application()
        app.router.add_post("/v1/close", self._close)
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/v1/run", self._run)
        app.router.add_get("/v1/run", self._run)
        app.router.add_get("/v1/calls.jsonl", self._calls_of)
        app.router.add_post("/v1/forget", self._forget)
        self._runner, self.port = await _serve(app)

    async def stop(self) -> None:
        if self._runner:
            await self._runner.cleanup()

    def _check(self, request: web.Request) -> None:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        try:
            claims = verify(token, [KEY], audience="proxy", now=0)
        except TokenError as error:
            raise web.HTTPUnauthorized(text=str(error)) from error
        if claims.role != "operator":
            raise web.HTTPForbidden(text=claims.role)

    async def _close(self, request: web.Request) -> web.Response:
        self._check(request)
        uid, attempt = request.query["trial_uid"], int(request.query["attempt"])
        self.closed.append((uid, attempt))
        used = USED if self.calls(uid) else NOTHING
        body = {
            "total": used, "stages": {}, "interrupted": self.interrupted.get(attempt, 0),
            "limit_hit": self.limit_hit.get(attempt), "handed_over": (uid, attempt) in self.forgotten,
        }  # fmt: skip
        return web.Response(text=json.dumps(body), content_type="application/json")

    async def _models(self, request: web.Request) -> web.Response:
        self._check(request)
        named = [{"name": name, "priced": name in self.priced} for name in self.models]
        return web.json_response({"models": named})

    async def _calls_of(self, request: web.Request) -> web.Response:
        self._check(request)
        uid, attempt = request.query["trial_uid"], request.query["attempt"]
        if (uid, int(attempt)) in self.forgotten:
            raise web.HTTPGone
        bodies = {"request": "q", "response": "a"}
        call = {"call": f"{uid}-{attempt}", "stage": "write", "status": "ok", **bodies}
        return web.Response(text=json.dumps(call) + "\n")

    async def _forget(self, request: web.Request) -> web.Response:
        self._check(request)
        self.forgotten.append((request.query["trial_uid"], int(request.query["attempt"])))
        return web.json_response({})

    async def _run(self, request: web.Request) -> web.Response:
        self._check(request)
        if request.method == "POST":
            self.limits[request.query["run_uid"]] = await request.json()
        nothing = {"input": 0, "output": 0, "nanos": 0}
        body = {"requests": 0, "used": nothing, "held": nothing, "limit_hit": None, "throttled": {}}
        return web.json_response({**body, **self.run})
