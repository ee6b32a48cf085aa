"""The port that agents reach: checks a request, then starts its call."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import web

from . import routes
from .auth import Gate
from .body import read_body
from .call import Call
from .catalogue import Catalogue
from .client import Client
from .clock import Clock
from .config import Config
from .connection import answered, may_have_left
from .dialect import Dialect, error_body
from .journal.records import Settle
from .jsonvalue import dump
from .ledger import Ledger
from .metrics import Metrics
from .preparing import Arrived, Prepared, prepare
from .pricing import Pricing
from .providers.base import ProviderError
from .ratelimits import RateLimits
from .refusal import RefusalError
from .routes import Endpoint, Route
from .token import Claims
from .traces import Trace, Traces

log = logging.getLogger(__name__)

ROLES = frozenset({"workspace", "evaluator"})
PROBE = dump({"service": "benchwright-proxy"})


@dataclass(slots=True)
class DataPort:
    """Handles requests. `running` are the calls under way; `stopping` refuses new ones."""

    config: Config
    gate: Gate
    catalogue: Catalogue
    ledger: Ledger
    metrics: Metrics
    pricing: Pricing
    rate_limits: RateLimits
    traces: Traces
    clock: Clock
    new_id: Callable[[], str]
    running: "set[asyncio.Task[None]]" = field(default_factory=set)
    stopping: bool = False

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request, in the caller's dialect whatever happens."""
        try:
            return await self._respond(request)
        finally:
            answered(request)

    async def _respond(self, request: web.BaseRequest) -> web.StreamResponse:
        route = routes.find(request.method, request.raw_path)
        if route is not None and route.endpoint is Endpoint.PROBE:
            return json_response(200, PROBE)
        dialect = route.dialect if route else None
        if dialect is None:
            dialect = routes.caller_dialect(request.raw_path, request.headers)
        if routes.wants_websocket(request.raw_path, request.headers):
            message = "the proxy does not speak WebSocket here: use HTTP"
            return json_response(426, error_body(dialect, 426, "upgrade_refused", message))
        try:
            return await self._answer(request, route, dialect)
        except RefusalError as refusal:
            self.metrics.refused(refusal.reason)
            body = error_body(dialect, refusal.status, refusal.kind, refusal.message)
            return json_response(refusal.status, body, refusal.headers())
        except (ConnectionError, web.RequestPayloadError) as error:
            raise ConnectionResetError("the client left before its request was read") from error
        except Exception:
            log.exception("%s %s failed", request.method, route)
            message = "the proxy failed; see its log"
            return json_response(500, error_body(dialect, 500, "api_error", message))

    async def _answer(
        self, request: web.BaseRequest, route: Route | None, dialect: Dialect
    ) -> web.StreamResponse:
        claims = self.gate.enter(request.headers, ROLES, query_key(request))
        if route is None:
            message = "the proxy does not serve this path"
            raise RefusalError(404, "not_found_error", message, "unknown_route", retry=False)
        if route.endpoint is Endpoint.MODELS:
            return json_response(200, self.catalogue.listing(claims, dialect))
        try:
            return await self._model_request(request, route, dialect, claims)
        except RefusalError as refusal:
            self.ledger.refuse(claims, refusal.reason)
            raise

    async def _model_request(
        self, request: web.BaseRequest, route: Route, dialect: Dialect, claims: Claims
    ) -> web.StreamResponse:
        if self.stopping:
            message = "the proxy is shutting down"
            raise RefusalError(503, "api_error", message, "shutting_down", retry=1)
        self.ledger.check_open(claims)
        body = await read_body(request, self.config.bounds.request_bytes)
        arrived = Arrived(
            claims, route.endpoint, dialect, body, request.headers, request.query, route.model
        )
        prepared = prepare(arrived, self.catalogue)
        if route.endpoint in routes.FREE:
            return await self._unmetered(prepared)
        return await self._call(prepared, request)

    async def _unmetered(self, prepared: Prepared) -> web.Response:
        """A request that generates nothing and costs nothing."""
        try:
            reply = await prepared.provider.open(prepared.asked)
            try:
                body = b"".join([chunk async for chunk in reply.chunks()])
            finally:
                reply.close()
        except ProviderError as error:
            body = error_body(prepared.asked.dialect, 502, "upstream_error", str(error))
            return json_response(502, body)
        return web.Response(status=reply.status, body=body, headers=reply.headers)

    async def _call(self, prepared: Prepared, request: web.BaseRequest) -> web.StreamResponse:
        now, claims = self.clock.now(), prepared.asked.claims
        quote = self.pricing.quote(prepared.asked.model, now)
        dispatch = await self.ledger.admit(
            prepared.dispatch(self.new_id(), now, quote),
            claims,
            prepared.need(self.config.budget, quote),
            wait_seconds=self.config.budget.wait_seconds,
            # A client that closed while its call waited most likely gave up: what was not yet
            # asked for need not be paid for. Without a wait a half-close is no leaving.
            wanted=lambda: not may_have_left(request),
        )
        call = Call(
            dispatch=dispatch,
            asked=prepared.asked,
            provider=prepared.provider,
            client=Client(request, self.config.bounds.client_stall_seconds),
            bounds=self.config.bounds,
            clock=self.clock,
            withhold_usage=prepared.withhold_usage,
            quote=quote,
            trace=Trace.of(dispatch, prepared.asked.body) if claims.trace else None,
            on_settle=self._settled,
        )
        task = asyncio.get_running_loop().create_task(call.run())
        self.running.add(task)
        task.add_done_callback(self.running.discard)
        await asyncio.shield(task)
        return call.client.response()

    def _settled(self, call: Call, settle: Settle) -> None:
        if call.trace is not None:
            self.traces.offer(call.trace)  # first: who sees the end of a call finds its bodies
        self.ledger.settle(settle)
        self.metrics.settled(call.dispatch, settle)
        self.rate_limits.settled(call.dispatch, settle)


def query_key(request: web.BaseRequest) -> str | None:
    """The credential in the address, where Gemini's older clients put it; it goes no further."""
    return request.query.get("key") if "key=" in request.raw_path else None


def json_response(status: int, body: bytes, headers: dict[str, str] | None = None) -> web.Response:
    """A JSON response of the proxy's own."""
    return web.Response(status=status, body=body, headers=headers, content_type="application/json")
