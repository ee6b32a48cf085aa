"""One call from its dispatch to its settlement.

It runs in the task of its request, which goes on when the client leaves: the provider goes on writing,
and billing, either way. What is left of a response whose client has gone is read within bounds of
time and bytes.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import msgspec
from msgspec import Struct, field

from .clock import Clock
from .config import Bounds
from .dialect import error_body
from .http1.message import Response
from .http1.writer import ResponseWriter
from .journal.records import NOTHING_SAID, Dispatch, Settle, Status, may_have_run
from .jsonvalue import JsonObject, clean
from .pricing import Quote
from .providers.base import (
    Asked,
    BrokenReplyError,
    NoResponseError,
    Provider,
    Reply,
    UnreachableError,
)
from .ratelimits import retry_after
from .routes import Endpoint
from .tap import Tap, make_tap
from .traces import Trace
from .usage.record import Answer

log = logging.getLogger(__name__)

#: Of a provider's usage object, as text: longer, or with more in it that could be nested, it is none.
MAX_SAID, MAX_INSIDE = 4096, 100


def status_of(http_status: int, answer: Answer, *, clean: bool) -> Status:
    """How a call ended whose provider answered."""
    if not 200 <= http_status < 300:
        return "http_error"
    if answer.error is not None:
        return "error_in_body"
    return "ok" if clean and answer.complete else "truncated"


class _Seen(Struct):
    """What is known of the response so far."""

    http_status: int | None = None
    request_id: str | None = None
    retry_after: float | None = None
    first_byte_at: float | None = None
    last_byte_at: float = 0.0
    longest_gap: float | None = None
    chunks: int = 0
    received: int = 0
    drained: int = 0
    tap: Tap | None = None


class Call(Struct):
    """Everything that one call needs. `run` once."""

    dispatch: Dispatch
    asked: Asked
    provider: Provider
    client: ResponseWriter
    bounds: Bounds
    clock: Clock
    withhold_usage: bool
    quote: Quote
    trace: Trace | None
    on_settle: "Callable[[Call, Settle], None]"
    #: The provider has the request: its body is here no more.
    on_sent: Callable[[], None]
    _seen: _Seen = field(default_factory=_Seen)
    _began: float = 0.0
    _cut: bool = False
    _settled: bool = False
    _timer: asyncio.TimerHandle | None = None
    _task: "asyncio.Task[None] | None" = None

    async def run(self) -> None:
        """Relay, meter, settle. Raises nothing but CancelledError when the proxy ends."""
        self._began = self.clock.monotonic()
        self._task = asyncio.current_task()
        self.client.watch(self._client_gone)
        try:
            await self._relay()
        except asyncio.CancelledError:
            self._settle("drain_cut" if self._cut else "interrupted", self._partial())
            self.client.abort()
            if not self._cut:
                raise
        except Exception:
            log.exception("call %s failed inside the proxy", self.dispatch.call)
            self._settle("interrupted", self._partial())
            self.client.abort()
        finally:
            if self._timer is not None:
                self._timer.cancel()

    async def _relay(self) -> None:
        try:
            reply = await self._opened()
        except UnreachableError as error:
            await self._no_reply("unreachable", str(error))
        except NoResponseError as error:
            await self._no_reply("no_response", str(error))
        else:
            self.on_sent()
            await self._pump(reply)

    def _opened(self) -> Awaitable[Reply]:
        """What waits for the answer; the body is only there as long as the provider needs it."""
        asked, self.asked = self.asked, self.asked.sent()
        return self.provider.open(asked, self.on_sent)

    async def _no_reply(self, status: Status, message: str) -> None:
        """Tell the client what a gateway tells: 502, worth another try."""
        self._settle(status, Answer())
        body = error_body(self.asked.dialect, 502, "upstream_error", message)
        self.client.respond(Response(502, body))

    async def _pump(self, reply: Reply) -> None:
        content_type = reply.headers.get("content-type", "")
        # Gemini's stream without alt=sse is one JSON array that grows.
        streamed = (
            content_type.startswith("text/event-stream")
            or self.asked.endpoint is Endpoint.STREAM_GENERATE
        )
        if self.trace is not None:
            self.trace.encoding = reply.headers.get("content-encoding", "")
        tap = self._seen.tap = make_tap(
            self.asked.endpoint,
            content_type,
            reply.headers.get("content-encoding", ""),
            withhold_usage=self.withhold_usage,
            limit=self.bounds.metered_bytes,
        )
        self._seen.http_status, self._seen.request_id = reply.status, reply.request_id
        self._seen.retry_after = retry_after(reply.status, reply.headers)
        headers = dict(reply.headers)
        if streamed:
            headers.pop("content-length", None)
        self.client.start(reply.status, headers, stream=streamed)
        # The end of a body that is not a stream waits for the settlement: who has read an answer
        # must find it counted.
        kept, clean = await self._copy(reply, tap, keep_last=not streamed)
        last, answer = tap.finish(clean=clean)
        status = status_of(reply.status, answer, clean=clean)
        self._settle("drain_cut" if self._cut else status, answer)
        if clean:
            self.client.finish(kept + last)
        else:
            await self.client.send(kept + last)
            self.client.abort()

    async def _copy(self, reply: Reply, tap: Tap, *, keep_last: bool) -> tuple[bytes, bool]:
        """Pass the body on; what was kept of its end, and whether it came whole."""
        kept = b""
        try:
            while chunk := await reply.read():
                self._received(chunk)
                passed = tap.feed(chunk)
                if keep_last:
                    passed, kept = kept, passed
                await self.client.send(passed)
                if self._drained_too_much(chunk):
                    return b"", False
            return kept, True
        except BrokenReplyError as error:
            log.warning("call %s: %s", self.dispatch.call, error)
            return kept, False
        finally:
            reply.close()

    def _received(self, chunk: bytes) -> None:
        seen, now = self._seen, self.clock.monotonic()
        seen.received += len(chunk)
        if self.trace is not None:
            self.trace.heard(chunk)
        seen.chunks += 1
        if seen.first_byte_at is None:
            seen.first_byte_at = now
        else:
            seen.longest_gap = max(seen.longest_gap or 0.0, now - seen.last_byte_at)
        seen.last_byte_at = now

    def _drained_too_much(self, chunk: bytes) -> bool:
        if not self.client.gone:
            return False
        self._seen.drained += len(chunk)
        self._cut = self._seen.drained > self.bounds.drain_bytes
        return self._cut

    def _client_gone(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self.bounds.drain_seconds, self._cut_off)

    def _cut_off(self) -> None:
        self._cut = True
        if self._task is not None:
            self._task.cancel()

    def _partial(self) -> Answer:
        """What an unfinished response has said."""
        return self._seen.tap.finish(clean=False)[1] if self._seen.tap else Answer()

    def _settle(self, status: Status, answer: Answer) -> None:
        """Once a call, whatever happens: a call that never ends would hold its reservation."""
        if self._settled:
            return
        self._settled = True
        try:
            record = self._record(status, answer)
        except ValueError:
            log.exception("call %s: its usage cannot be recorded", self.dispatch.call)
            record = self._record(status, Answer())
        self.on_settle(self, record)

    def _record(self, status: Status, answer: Answer) -> Settle:
        seen, first = self._seen, self._seen.first_byte_at
        ran = may_have_run(status, seen.http_status, answer.usage)
        cost = self.quote.cost(answer, ran=ran)
        return Settle(
            trial_uid=self.dispatch.trial_uid,
            attempt=self.dispatch.attempt,
            at=self.clock.now(),
            call=self.dispatch.call,
            stage=self.dispatch.stage,
            status=status,
            http_status=seen.http_status,
            usage=answer.usage,
            said=_evidence(answer.said),
            model_answered=answer.model,
            stop_reason=answer.stop_reason,
            error=answer.error,
            service_tier=answer.service_tier,
            speed=answer.speed,
            geo=answer.geo,
            fingerprint=answer.fingerprint,
            tool_calls=answer.tool_calls,
            cost_nanos=cost.nanos,
            cost_unknown=cost.why,
            prices=self.quote.prices,
            retry_after_seconds=seen.retry_after,
            chunks=seen.chunks,
            longest_gap_seconds=seen.longest_gap,
            duration_seconds=self.clock.monotonic() - self._began,
            ttfb_seconds=None if first is None else first - self._began,
            response_bytes=seen.received,
            client_gone=self.client.gone,
            upstream_request_id=seen.request_id and clean(seen.request_id),
        )


def _evidence(said: JsonObject) -> msgspec.Raw:
    """The provider's usage object, unless it is too large or too odd to be one."""
    try:
        told = msgspec.json.encode(said)
    except (ValueError, RecursionError):
        return NOTHING_SAID
    usual = len(told) <= MAX_SAID and told.count(b"{") + told.count(b"[") <= MAX_INSIDE
    return msgspec.Raw(told) if usual else NOTHING_SAID
