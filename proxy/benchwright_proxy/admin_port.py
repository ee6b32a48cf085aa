"""The port of the operator and the results service: usage, calls, closing, health, metrics."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict, dataclass, fields

from aiohttp import web
from msgspec import structs

from .accounts import Key
from .adminweb import json_response, read_body
from .auth import Gate
from .catalogue import Catalogue
from .clock import Clock
from .dialect import Dialect, error_body
from .journal.records import Dispatch, Settle, encode
from .journal.writing import JournalError
from .jsonvalue import Json, JsonObject, as_count, as_object, dump, parse
from .ledger import Ledger
from .metrics import Metrics
from .pricing import Pricing
from .ratelimits import RateLimits
from .refusal import RefusalError, bad_request
from .runs import Run
from .token import Limits
from .traces import Traces

log = logging.getLogger(__name__)

ROLES = frozenset({"operator", "admin"})
#: How long closing waits for calls whose client has gone.
CLOSE_SECONDS = 5.0
MAX_LIMITS_BYTES = 10_000

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@dataclass(slots=True)
class AdminPort:
    """Handles requests."""

    gate: Gate
    catalogue: Catalogue
    ledger: Ledger
    metrics: Metrics
    pricing: Pricing
    rate_limits: RateLimits
    clock: Clock
    traces: Traces
    close_seconds: float = CLOSE_SECONDS

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request; errors have OpenAI's shape."""
        path = request.raw_path.partition("?")[0]
        open_to_all = self._open_routes().get((request.method, path))
        if open_to_all is not None:
            return open_to_all()
        try:
            self.gate.enter(request.headers, ROLES)
            handler = self._routes().get((request.method, path))
            if handler is None:
                raise RefusalError(404, "not_found_error", "no such path", "unknown_route", False)
            return await handler(request)
        except RefusalError as refusal:
            body = error_body(Dialect.OPENAI, refusal.status, refusal.kind, refusal.message)
            return json_response(refusal.status, body)
        except Exception:
            log.exception("%s %s failed", request.method, path)
            body = error_body(Dialect.OPENAI, 500, "api_error", "see the log")
            return json_response(500, body)

    def _open_routes(self) -> dict[tuple[str, str], Callable[[], web.Response]]:
        """For the kubelet and Prometheus, which have no tokens; nothing here names a trial."""
        return {
            ("GET", "/healthz"): self._healthy,
            ("GET", "/readyz"): self._ready,
            ("GET", "/metrics"): self._metrics,
        }

    def _routes(self) -> dict[tuple[str, str], Handler]:
        return {
            ("GET", "/v1/usage"): self._usage,
            ("GET", "/v1/calls"): self._calls,
            ("GET", "/v1/calls.jsonl"): self._call_lines,
            ("POST", "/v1/close"): self._close,
            ("POST", "/v1/forget"): self._forget,
            ("GET", "/v1/run"): self._run,
            ("POST", "/v1/run"): self._limit_run,
            ("GET", "/v1/models"): self._models,
        }

    def _healthy(self) -> web.Response:
        """A full disk may have room again; after a failed sync only a restart helps."""
        ok = not self.ledger.journal.lost
        return json_response(200 if ok else 503, dump({"ok": ok}))

    def _ready(self) -> web.Response:
        broken = self.ledger.journal.broken
        return json_response(503 if broken else 200, dump({"ready": not broken, "journal": broken}))

    def _metrics(self) -> web.Response:
        return web.Response(
            body=self.metrics.text(),
            headers={"content-type": "text/plain; version=0.0.4; charset=utf-8"},
        )

    async def _usage(self, request: web.BaseRequest) -> web.Response:
        return json_response(200, dump(usage(self.ledger, _key(request))))

    async def _calls(self, request: web.BaseRequest) -> web.Response:
        key = _key(request)
        listed: list[Json] = list(await self._listed(key))
        return json_response(200, dump({"trial_uid": key[0], "attempt": key[1], "calls": listed}))

    async def _call_lines(self, request: web.BaseRequest) -> web.StreamResponse:
        """The calls as JSON lines, oldest first, with their bodies where the run wanted them."""
        key = _key(request)
        listed = await self._listed(key)
        response = web.StreamResponse(headers={"content-type": "application/jsonl; charset=utf-8"})
        await response.prepare(request)
        lines = await asyncio.to_thread(self.traces.merged, key, listed)
        while line := await asyncio.to_thread(next, lines, b""):
            await response.write(line)
        await response.write_eof()
        return response

    async def _listed(self, key: Key) -> list[JsonObject]:
        """The calls of an attempt. Raises RefusalError (410) if they are here no more."""
        try:
            found = calls(await self.ledger.calls(key))
        except FileNotFoundError:
            if not self.ledger.handed_over(key):
                raise  # a file is missing: that is not the same as no calls
            found = []  # handed over, and tidied away, while they were read
        if self.ledger.handed_over(key):
            message = "the results service keeps these calls: here are only their totals"
            raise RefusalError(410, "not_found_error", message, "closed", retry=False)
        return found

    async def _forget(self, request: web.BaseRequest) -> web.Response:
        """Let go of calls and bodies that somebody else keeps now."""
        key = _key(request)
        await asyncio.to_thread(self.traces.forget, key)
        done = await self.ledger.hand_over(key, self.close_seconds)
        return json_response(200, dump({"handed_over": done}))

    async def _close(self, request: web.BaseRequest) -> web.Response:
        key = _key(request)
        self.ledger.close(key)
        await self.ledger.idle(key, self.close_seconds)
        await self.ledger.closed_for_good()
        return json_response(200, dump(usage(self.ledger, key)))

    async def _run(self, request: web.BaseRequest) -> web.Response:
        return self._told_of_run(_uid(request, "run_uid"))

    async def _limit_run(self, request: web.BaseRequest) -> web.Response:
        """The body has the limits (token.Limits), each a whole number or null."""
        uid = _uid(request, "run_uid")
        limits = _limits(await read_body(request, MAX_LIMITS_BYTES))
        try:
            self.ledger.limit_run(uid, limits)
        except JournalError as error:
            raise RefusalError(503, "api_error", str(error), "journal", retry=None) from error
        return self._told_of_run(uid)

    def _told_of_run(self, uid: str) -> web.Response:
        left = {m.name: self.rate_limits.seconds_left(m.name) for m in self.catalogue.models()}
        throttled: JsonObject = {name: seconds for name, seconds in left.items() if seconds}
        return json_response(
            200, dump({**run_usage(uid, self.ledger.run(uid)), "throttled": throttled})
        )

    async def _models(self, request: web.BaseRequest) -> web.Response:
        now = self.clock.now()
        models: list[Json] = []
        for model in self.catalogue.models():
            models.append(
                {
                    **self.catalogue.describe(model.name),
                    "priced": self.pricing.quote(model, now).row is not None,
                    "throttled_seconds": self.rate_limits.seconds_left(model.name),
                    "throttled_recently": self.rate_limits.recent(model.name),
                }
            )
        return json_response(200, dump({"models": models, "prices": self.pricing.book.label}))


def _key(request: web.BaseRequest) -> Key:
    uid, attempt = _uid(request, "trial_uid"), request.query.get("attempt", "")
    if not (attempt.isascii() and attempt.isdigit() and len(attempt) < 10):
        raise bad_request("attempt must be a whole number")
    return uid, int(attempt)


def _uid(request: web.BaseRequest, name: str) -> str:
    uid = request.query.get(name, "")
    if not uid or len(uid) > 253:
        raise bad_request(f"{name} is needed, of at most 253 characters")
    return uid


def _limits(body: bytes) -> Limits:
    try:
        given = as_object(parse(body))
    except ValueError as error:
        raise bad_request("the body is not JSON") from error
    names = {field.name for field in fields(Limits)}
    if not given.keys() <= names:
        raise bad_request(f"limits are: {', '.join(sorted(names))}")
    counts = {name: as_count(value) for name, value in given.items() if value is not None}
    if None in counts.values():
        raise bad_request("a limit is a whole number or null")
    return Limits(**counts)


def usage(ledger: Ledger, key: Key) -> JsonObject:
    """The usage of an attempt: totals by stage and over all (journal.fold.Totals)."""
    attempt = ledger.attempt(key)
    return {
        "trial_uid": key[0],
        "attempt": key[1],
        "stages": {name: asdict(totals) for name, totals in attempt.stages.items()},
        "total": asdict(attempt.total()),
        "in_flight": len(attempt.in_flight),
        "interrupted": attempt.interrupted,
        "limit_hit": attempt.limit_hit,
        "handed_over": ledger.handed_over(key),
    }


def run_usage(uid: str, run: Run) -> JsonObject:
    """What a run's trials count against its limits: of calls that ended, and held by those that run."""
    return {
        "run_uid": uid,
        "requests": run.spent.requests,
        "limits": None if run.limits is None else asdict(run.limits),
        "used": structs.asdict(run.spent.used),
        "held": structs.asdict(run.spent.held),
        "limit_hit": run.limit_hit,
    }


def calls(records: Iterable[Dispatch | Settle]) -> list[JsonObject]:
    """Calls, oldest first: dispatch and settle as one object, `status` null while a call is in
    flight."""
    found: dict[str, JsonObject] = {}
    for record in records:
        if isinstance(record, Dispatch):
            found[record.call] = {**_fields(record), "status": None}
            found[record.call]["started_at"] = record.at
        elif record.call in found:
            usage_fields = structs.asdict(record.usage)
            usage_fields["usage_source"] = usage_fields.pop("source")
            fields = _fields(record)
            fields.pop("usage", None)
            ended: JsonObject = {"ran": record.ran, "finished_at": record.at}
            found[record.call].update({**fields, **usage_fields, **ended})
    return list(found.values())


def _fields(record: Dispatch | Settle) -> JsonObject:
    fields = as_object(parse(encode(record)))
    for name in ("v", "t", "at"):
        del fields[name]
    return fields
