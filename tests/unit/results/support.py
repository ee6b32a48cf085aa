"""The real results service on loopback ports, with SQLite and files in a temporary folder."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp
from aiohttp.test_utils import BaseTestServer, TestServer
from yarl import URL

from benchwright.api.facts import StageFacts
from benchwright.results import auth
from benchwright.results.database import open_engine
from benchwright.results.metrics import Metrics, metrics_app
from benchwright.results.news import News
from benchwright.results.objects import ObjectStore
from benchwright.results.service import internal_app, trial_app
from benchwright.results.store import Store
from benchwright_proxy.token import Claims, sign

KEY = b"k" * 40
NOW = 1_800_000_000
HARNESS = Claims(
    audience="results", role="harness", namespace="bench", run="run-1", trial="trial-1",
    trial_uid="uid-1", attempt=1, stage="write", task="sha256:" + "d" * 64, expires_at=NOW + 60,
)  # fmt: skip
EVALUATOR = replace(HARNESS, stage="evaluate")
OPERATOR = replace(HARNESS, role="operator", trial_uid="", trial="", stage="", attempt=0)
MINE = "/v1/attempts/uid-1/1/write"
DIGEST = HARNESS.task


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class Reply:
    status: int
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Service:
    """All ports, and the store behind them."""

    folder: Path
    store: Store
    internal: URL
    trial: URL
    metrics: URL
    http: aiohttp.ClientSession

    async def call(
        self, method: str, path: str, who: Claims | str | None, data: object = None, *,
        port: str = "trial", json: object = None, **headers: str,
    ) -> Reply:  # fmt: skip
        token = sign(who, KEY) if isinstance(who, Claims) else who
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        url = URL(f"{getattr(self, port)}{path}", encoded=True)
        async with self.http.request(method, url, data=data, json=json, headers=headers) as answer:
            return Reply(answer.status, await answer.read())

    async def upload(
        self, name: str, data: bytes, who: Claims = HARNESS, place: str = MINE
    ) -> Reply:
        headers = {"X-Content-SHA256": sha256(data)}
        return await self.call("PUT", f"{place}/files/{name}", who, data, **headers)

    async def facts(self, facts: StageFacts, who: Claims = HARNESS, place: str = MINE) -> Reply:
        body = facts.model_dump_json(by_alias=True).encode()
        return await self.call("PUT", f"{place}/facts", who, body)

    async def fetch(self, name: str, who: Claims = EVALUATOR, place: str = MINE) -> Reply:
        return await self.call("GET", f"{place}/files/{name}", who)


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Service]:
    """Started on what an earlier one left in the folder."""
    engine = await open_engine(f"sqlite+aiosqlite:///{folder}/results.db")
    store, news = Store(engine, ObjectStore.open(str(folder / "objects"))), News()
    metrics = Metrics()
    internal = internal_app(store, [KEY], news, metrics)
    trial = trial_app(store, [KEY], news, metrics)
    for app in (internal, trial):
        app[auth.CLOCK] = lambda: float(NOW)
    async with (
        TestServer(internal) as one,
        TestServer(trial) as two,
        TestServer(metrics_app(metrics)) as three,
        aiohttp.ClientSession(auto_decompress=False) as http,
    ):
        yield Service(folder, store, _url(one), _url(two), _url(three), http)
    await engine.dispose()


def _url(server: BaseTestServer) -> URL:
    return URL(str(server.make_url("")).rstrip("/"))
