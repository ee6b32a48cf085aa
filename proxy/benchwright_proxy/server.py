"""The two ports, from options to their end."""

import asyncio
import contextlib
import gc
import logging
import re
import resource
import secrets
import signal
import ssl
from collections.abc import Callable
from itertools import count
from pathlib import Path

from aiohttp import web
from msgspec import Struct

from .admin_port import AdminPort
from .auth import Gate
from .bodyroom import BodyRoom
from .cassettes.recording import Recorder
from .cassettes.replay import Player
from .cassettes.tape import Tape
from .catalogue import Catalogue
from .clock import Clock, SystemClock
from .config import Config, HttpProvider, ScriptedProvider, Tls
from .data_port import DataPort
from .http1.listener import MAX_CONNECTIONS, Listener
from .ledger import Ledger
from .metrics import Metrics
from .modelrequest import Serving
from .pricing import Pricing
from .providers.base import Provider
from .providers.http import HttpUpstream, dialect_of
from .ratelimits import RateLimits
from .scripted.log import ScriptedLog
from .scripted.provider import ScriptedModel
from .traces import Traces
from .watched import WatchedFile, read_provider_key, read_signing_key
from .yamlfile import FileError

log = logging.getLogger(__name__)

TIDY_SECONDS = 600.0
LOCK_PATIENCE = 60.0
"""A pod that is replaced drains its streams (30 s of grace) before it lets go of the journal."""


class Options(Struct, frozen=True):
    """How to serve. Port 0 takes a free one. `grace_seconds` is how long the end of the process
    waits for calls under way: less than the pod's terminationGracePeriodSeconds. `lock_seconds` is
    how long the start waits for another proxy to let go of the journal."""

    config: Config
    journal: Path
    key_files: tuple[Path, ...]
    host: str
    port: int
    admin_port: int
    grace_seconds: float = 25.0
    lock_seconds: float = LOCK_PATIENCE


class Proxy:
    """The running proxy. `data_address` and `admin_address` are (host, port) once started."""

    def __init__(self, options: Options, clock: Clock | None = None) -> None:
        """Raises FileError for bad keys or CA files, JournalError for a journal in use."""
        self._options = options
        clock = clock or SystemClock()
        key_files = [WatchedFile(path, read_signing_key, clock) for path in options.key_files]
        for file in key_files:
            file.get()
        gate = Gate(lambda: [file.get() for file in key_files], clock)
        self.ledger = Ledger.open(options.journal, clock, patience=options.lock_seconds)
        self._providers = _providers(options, clock)
        catalogue = Catalogue(options.config, self._providers)
        self.traces = Traces(options.journal / "traces", lambda: provider_keys(options.config))
        metrics = Metrics(self.ledger, self.traces)
        pricing = Pricing(options.config)
        rate_limits = RateLimits(clock)
        serving = Serving(
            config=options.config,
            catalogue=catalogue,
            ledger=self.ledger,
            metrics=metrics,
            pricing=pricing,
            rate_limits=rate_limits,
            traces=self.traces,
            clock=clock,
            new_id=_ids(),
            room=BodyRoom(options.config.bounds.bodies_bytes),
        )
        self.data = DataPort(serving, gate)
        self._listener = Listener(self.data.accept, _most_connections())
        self.admin = AdminPort(
            gate, catalogue, self.ledger, metrics, pricing, rate_limits, clock, self.traces
        )
        self._stopped = False
        self._tidying: asyncio.Task[None] | None = None
        self._admin_runner = web.ServerRunner(
            web.Server(self.admin.handle, access_log=None), shutdown_timeout=1.0
        )
        self.data_address: tuple[str, int] = ("", 0)
        self.admin_address: tuple[str, int] = ("", 0)

    async def start(self) -> None:
        """Open both ports. Raises OSError if one is taken."""
        host, tls = self._options.host, _serving(self._options.config.tls)
        self.data_address = await self._listener.listen(host, self._options.port, tls)
        await self._admin_runner.setup()
        await web.TCPSite(self._admin_runner, host, self._options.admin_port).start()
        address = self._admin_runner.addresses[0]
        self.admin_address = str(address[0]), int(address[1])
        self._tidying = asyncio.create_task(self._tidy_often())

    async def stop(self) -> None:
        """Refuse new calls, let those under way end within the grace, settle the rest. Once."""
        if self._stopped:
            return
        self._stopped = True
        self.data.stopping = True
        if self._tidying is not None:
            self._tidying.cancel()
        await self._listener.stop(self._options.grace_seconds)
        await self._listener.close()
        await self._admin_runner.cleanup()
        for provider in self._providers:
            await provider.close()
        await asyncio.to_thread(self.traces.close)
        await self.ledger.shut()

    async def _tidy_often(self) -> None:
        """Keep the journal as small as it may be. A failure leaves it larger, and all else well."""
        while True:
            try:
                await self.tidy()
            except OSError as error:
                log.error("the journal cannot be tidied: %s", error)
            await asyncio.sleep(TIDY_SECONDS)

    async def tidy(self) -> None:
        """Delete what the journal need not keep."""
        days = self._options.config.keeping.abandoned_days
        for key in await self.ledger.tidy(days * 86_400):
            await asyncio.to_thread(self.traces.forget, key)


def _providers(options: Options, clock: Clock) -> list[Provider]:
    providers: list[Provider] = []
    scripted_log: ScriptedLog | None = None
    for settings in options.config.providers:
        if isinstance(settings, ScriptedProvider):
            scripted_log = scripted_log or ScriptedLog(options.journal / "scripted.jsonl")
            scripted = ScriptedModel(settings, scripted_log, clock)
            mine = [model for model in options.config.models if model.provider == settings.name]
            scripted.preload(model.dialogue for model in mine if model.dialogue)
            providers.append(scripted)
        else:
            providers.append(_upstream(settings, options, clock))
    return providers


def _upstream(settings: HttpProvider, options: Options, clock: Clock) -> Provider:
    """A provider on the network, listened to or replaced by a cassette where one is configured."""
    if settings.cassette is None:
        return HttpUpstream(settings, options.config.bounds, clock)
    tape = Tape(settings.cassette.folder)
    ignore = [re.compile(pattern) for pattern in settings.cassette.ignore]
    if settings.cassette.mode == "replay":
        paced = settings.cassette.pace == "original"
        return Player(settings.name, dialect_of(settings), tape, paced=paced, ignore=ignore)
    inner = HttpUpstream(settings, options.config.bounds, clock)
    return Recorder(inner, tape, clock, lambda: provider_keys(options.config), ignore)


def _serving(settings: Tls | None) -> ssl.SSLContext | None:
    if settings is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(settings.cert_file, settings.key_file)
    except (OSError, ssl.SSLError) as error:
        raise FileError(
            f"{settings.cert_file}: not usable with {settings.key_file}: {error}"
        ) from error
    return context


def provider_keys(config: Config) -> list[str]:
    """Providers' keys, as they are now: texts that are never written anywhere."""
    found = []
    for provider in config.providers:
        if isinstance(provider, HttpProvider) and provider.key_file:
            with contextlib.suppress(FileError):
                found.append(read_provider_key(provider.key_file))
    return found


def _most_connections() -> int:
    """As many as there are descriptors for: a call takes two. Takes all that the process may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return MAX_CONNECTIONS if hard < 0 else min(MAX_CONNECTIONS, max(16, (hard - 256) // 2))


def _settle_memory() -> None:
    """A collection that looks at everything stops all streams for 80 ms: what the start has made is
    here to stay, so it is looked at no more, and the rest seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 100)


def _ids() -> Callable[[], str]:
    """Ids of calls, 16 hexadecimal digits: of this start, and counted."""
    start, numbers = secrets.token_hex(5), count()
    return lambda: f"{start}{next(numbers) & 0xFFFFFF:06x}"


async def serve(options: Options) -> None:
    """Serve until SIGTERM or SIGINT."""
    proxy = Proxy(options)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        await proxy.start()
        _settle_memory()
        log.info("agents: %s:%d, operator: %s:%d", *proxy.data_address, *proxy.admin_address)
        await stop.wait()
    finally:
        with contextlib.suppress(asyncio.CancelledError):
            await proxy.stop()
