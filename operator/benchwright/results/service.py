"""`benchwright results-service`: the ports of the results service."""

import asyncio
import logging
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from benchwright.results import auth, calls_api, internal_api, run_api, trial_api
from benchwright.results.database import open_engine
from benchwright.results.metrics import METRICS, Metrics, counted, metrics_app
from benchwright.results.news import News
from benchwright.results.objects import ObjectStore
from benchwright.results.reporting import Reports
from benchwright.results.store import Store
from benchwright.results.webview import mount
from benchwright_proxy.token import parse_key

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ServiceSettings:
    """Where things are kept, and the ports."""

    data: Path
    """Folder of the SQLite database and, by default, of the files."""
    keys: tuple[Path, ...]
    """Files with signing keys; the first signs, all verify."""
    database_url: str | None = None
    objects_url: str | None = None
    host: str = "0.0.0.0"  # noqa: S104 - a pod's address; NetworkPolicies say who may come
    port: int = 8080
    trial_port: int = 8081
    metrics_port: int = 8090


def trial_app(
    store: Store, keys: list[bytes], news: News, metrics: Metrics | None = None
) -> web.Application:
    """The application of the port that trial pods reach."""
    app = web.Application(client_max_size=0, middlewares=[counted("trials")])
    app[auth.KEYS], app[auth.CLOCK], app[METRICS] = keys, time.time, metrics or Metrics()
    app[trial_api.STORE], app[trial_api.NEWS] = store, news.announce
    app.add_routes(trial_api.routes)
    return app


def internal_app(
    store: Store, keys: list[bytes], news: News, metrics: Metrics | None = None
) -> web.Application:
    """The application of the port that the operator and users reach."""
    app = web.Application(client_max_size=1024**3, middlewares=[counted("internal")])
    app[auth.KEYS], app[auth.CLOCK], app[METRICS] = keys, time.time, metrics or Metrics()
    app[internal_api.STORE], app[internal_api.NEWS] = store, news
    reports = Reports(store.engine)
    app[run_api.REPORTS] = reports
    app.add_routes(internal_api.routes)
    app.add_routes(run_api.routes)
    app.add_routes(calls_api.routes)
    mount(app, store, reports)
    app.on_shutdown.append(_end_polls)
    app.on_cleanup.append(_end_reports)
    return app


async def _end_polls(app: web.Application) -> None:
    """Who waits for news would make the end wait: the operator always does."""
    app[internal_api.NEWS].announce()


async def _end_reports(app: web.Application) -> None:
    await app[run_api.REPORTS].close()


async def serve(settings: ServiceSettings) -> None:
    """Serve until SIGTERM."""
    settings.data.mkdir(parents=True, exist_ok=True)
    url = settings.database_url or f"sqlite+aiosqlite:///{settings.data / 'results.db'}"
    engine = await open_engine(url)
    store = Store(engine, ObjectStore.open(settings.objects_url or str(settings.data / "objects")))
    keys = [_key(path) for path in settings.keys]
    news, metrics = News(), Metrics()
    runners = []
    for app, port in (
        (internal_app(store, keys, news, metrics), settings.port),
        (trial_app(store, keys, news, metrics), settings.trial_port),
        (metrics_app(metrics), settings.metrics_port),
    ):
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, settings.host, port).start()
        runners.append(runner)
    log.info("results service on ports %s and %s", settings.port, settings.trial_port)
    await _until_terminated()
    for runner in runners:
        await runner.cleanup()
    await engine.dispose()


def _key(path: Path) -> bytes:
    try:
        return parse_key(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"signing key {path}: {error}") from error


async def _until_terminated() -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()
