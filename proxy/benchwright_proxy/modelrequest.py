"""A request for a model: what is done once its body is there."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from msgspec import Struct

from .bodyroom import BodyRoom
from .call import Call
from .catalogue import Catalogue
from .clock import Clock
from .config import Config
from .dialect import Dialect, error_body
from .http1.message import Request, Response
from .http1.writer import ResponseWriter
from .journal.fold import Attempt
from .journal.records import Dispatch, Settle
from .ledger import Ledger
from .limits import Amount
from .metrics import Metrics
from .preparing import Arrived, Prepared, prepare
from .pricing import Pricing
from .providers.base import ProviderError
from .ratelimits import RateLimits
from .refusal import RefusalError, check_body, no_room, too_large
from .routes import FREE, Route
from .token import Claims
from .traces import Traces

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Serving:
    """What requests are served with. `new_id` makes ids of calls."""

    config: Config
    catalogue: Catalogue
    ledger: Ledger
    metrics: Metrics
    pricing: Pricing
    rate_limits: RateLimits
    traces: Traces
    clock: Clock
    new_id: Callable[[], str]
    room: BodyRoom

    def refused(self, dialect: Dialect, refusal: RefusalError) -> Response:
        """The answer to a refused request, in its caller's dialect."""
        self.metrics.refused(refusal.reason)
        body = error_body(dialect, refusal.status, refusal.kind, refusal.message)
        return Response(refusal.status, body, refusal.headers())

    def settled(self, call: Call, settle: Settle) -> None:
        """A call has ended."""
        if call.trace is not None:
            self.traces.offer(call.trace)  # first: who sees the end of a call finds its bodies
        self.ledger.settle(settle)
        self.metrics.calls.settled(call.dispatch, settle)
        self.rate_limits.settled(call.dispatch, settle)


class ModelRequest(Struct):
    """One request whose head has been accepted. `kept` are the bytes of its body that are here."""

    serving: Serving
    route: Route
    dialect: Dialect
    claims: Claims
    kept: int = 0

    def keep(self, size: int) -> Response | None:
        limit = self.serving.config.bounds.request_bytes
        if self.kept + size > limit:
            return self.refused(too_large(limit))
        if not self.serving.room.take(self.claims.trial_uid, size):
            return self.refused(no_room())
        self.kept += size
        return None

    def dropped(self) -> None:
        self.serving.room.give(self.claims.trial_uid, self.kept)
        self.kept = 0

    def refused(self, refusal: RefusalError) -> Response:
        """Refuse it, and have that counted for its trial."""
        self.serving.ledger.refuse(self.claims, refusal.reason)
        return self.serving.refused(self.dialect, refusal)

    def screen(self, request: Request) -> Response | None:
        """The answer to a request that is refused whatever its body says, None for others."""
        try:
            self.serving.ledger.check_open(self.claims)
            check_body(request.headers, self.serving.config.bounds.request_bytes)
        except RefusalError as refusal:
            return self.refused(refusal)
        return None

    async def answer(self, request: Request, writer: ResponseWriter) -> None:
        """Answer it, in the caller's dialect whatever happens."""
        try:
            await self._answer(request, writer)
        except RefusalError as refusal:
            writer.respond(self.refused(refusal))
        except ConnectionResetError:
            writer.abort()  # it was no longer wanted
        except Exception:
            log.exception("%s failed", self.route)
            if not writer.started:
                message = "the proxy failed; see its log"
                writer.respond(Response(500, error_body(self.dialect, 500, "api_error", message)))

    async def _answer(self, request: Request, writer: ResponseWriter) -> None:
        prepared = self._prepared(request)
        if self.route.endpoint in FREE:
            await self._unmetered(prepared, writer)
            return
        call = await self._admitted(prepared, writer)
        del prepared  # its body is large, and not needed once it has been sent
        await call.run()

    def _prepared(self, request: Request) -> Prepared:
        arrived = Arrived(
            self.claims,
            self.route.endpoint,
            self.dialect,
            request.body,
            request.headers,
            request.query,
            self.route.model,
        )
        request.parts.clear()  # what goes out may be another one
        return prepare(arrived, self.serving.catalogue)

    async def _unmetered(self, prepared: Prepared, writer: ResponseWriter) -> None:
        """A request that generates nothing and costs nothing."""
        try:
            reply = await prepared.provider.open(prepared.asked)
        except ProviderError as error:
            body = error_body(self.dialect, 502, "upstream_error", str(error))
            writer.respond(Response(502, body))
            return
        try:
            writer.start(reply.status, reply.headers, stream=False)
            while chunk := await reply.read():
                await writer.send(chunk)
            writer.finish()
        except ProviderError:
            writer.abort()
        finally:
            reply.close()

    async def _admitted(self, prepared: Prepared, writer: ResponseWriter) -> Call:
        """The call, once it may go out. Raises RefusalError, or ConnectionResetError."""
        serving, claims = self.serving, self.claims
        now, budget = serving.clock.now(), serving.config.budget
        quote = serving.pricing.quote(prepared.asked.model, now)
        call_id = serving.new_id()

        def record(reserved: Amount, attempt: Attempt) -> Dispatch:
            operation = attempt.operation(claims.stage, prepared.request_sha256)
            return prepared.dispatch(call_id, now, quote, reserved, operation)

        dispatch = await serving.ledger.admit(
            claims,
            prepared.need(budget, quote),
            record,
            wait_seconds=budget.wait_seconds,
            # A client that closed while its call waited most likely gave up: what was not yet
            # asked for need not be paid for. Without a wait a half-close is no leaving.
            wanted=lambda: not writer.may_have_left,
        )
        bounds = serving.config.bounds
        writer.stall_seconds = bounds.client_stall_seconds
        return Call(
            dispatch=dispatch,
            asked=prepared.asked,
            provider=prepared.provider,
            client=writer,
            bounds=bounds,
            clock=serving.clock,
            withhold_usage=prepared.withhold_usage,
            quote=quote,
            trace=serving.traces.begin(dispatch, prepared.asked.body) if claims.trace else None,
            on_settle=serving.settled,
            on_sent=self.dropped,
        )
