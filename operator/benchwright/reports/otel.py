"""Model calls as OpenTelemetry spans, in the JSON of OTLP (pure).

Attributes follow the semantic conventions for generative AI (opentelemetry semantic-conventions-genai,
development status in 2026): input includes cached tokens, output includes reasoning. A token count that
is not known is left out.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from benchwright.reports.calls import ModelCall

Json = dict[str, Any]
_PROVIDERS = {"openai": "openai", "anthropic": "anthropic", "gemini": "gcp.gemini"}
_OPERATIONS = {
    "embeddings": "embeddings",
    "generate": "generate_content",
    "stream_generate": "generate_content",
}
_CLIENT, _ERROR = 3, 2


def attributes(call: ModelCall) -> dict[str, str | int | float | list[str]]:
    """What is known of a call, by the conventions' names; ours begin with benchwright."""
    raw = call.raw
    known: Mapping[str, str | int | float | list[str] | None] = {
        "gen_ai.operation.name": _OPERATIONS.get(str(raw.get("endpoint")), "chat"),
        "gen_ai.provider.name": _PROVIDERS.get(str(raw.get("dialect"))),
        "gen_ai.request.model": call.model,
        "gen_ai.response.model": call.answered,
        "gen_ai.response.finish_reasons": [call.stop_reason] if call.stop_reason else None,
        "gen_ai.usage.input_tokens": call.input_tokens,
        "gen_ai.usage.output_tokens": call.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": call.cached,
        "gen_ai.usage.cache_creation.input_tokens": raw.get("cache_write"),
        "gen_ai.usage.reasoning.output_tokens": call.reasoning,
        "gen_ai.response.time_to_first_chunk": call.first_byte,
        "error.type": None if call.good else raw.get("error") or call.status,
        "http.response.status_code": call.http_status,
        "benchwright.run": raw.get("run"),
        "benchwright.trial": raw.get("trial"),
        "benchwright.attempt": call.attempt,
        "benchwright.stage": call.stage,
        "benchwright.operation": raw.get("operation"),
        "benchwright.usage_source": call.usage_source,
        "benchwright.cost_usd": call.cost_usd,
        "benchwright.prices": raw.get("prices"),
    }
    return {name: value for name, value in known.items() if value is not None}


def otlp(calls: Iterable[ModelCall]) -> Json:
    """The body of a request to a collector's /v1/traces."""
    spans = [_span(call) for call in calls if call.started_at is not None]
    resource = {"attributes": _pairs({"service.name": "benchwright-proxy"})}
    scope = {"scope": {"name": "benchwright"}, "spans": spans}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}


def _span(call: ModelCall) -> Json:
    start = call.started_at or 0.0
    where = f"{call.raw.get('trial_uid')}/{call.attempt}"
    span: Json = {
        "traceId": hashlib.sha256(where.encode()).hexdigest()[:32],
        "spanId": hashlib.sha256(f"{where}/{call.id}".encode()).hexdigest()[:16],
        "name": f"{attributes(call)['gen_ai.operation.name']} {call.model}",
        "kind": _CLIENT,
        "startTimeUnixNano": _nanos(start),
        "endTimeUnixNano": _nanos(start + (call.seconds or 0.0)),
        "attributes": _pairs(attributes(call)),
    }
    return span if call.good else {**span, "status": {"code": _ERROR, "message": call.status}}


def _nanos(seconds: float) -> str:
    return str(round(seconds * 1e9))


def _pairs(values: Mapping[str, str | int | float | list[str]]) -> list[Json]:
    return [{"key": name, "value": _value(value)} for name, value in values.items()]


def _value(value: str | int | float | list[str]) -> Json:
    if isinstance(value, list):
        return {"arrayValue": {"values": [{"stringValue": item} for item in value]}}
    if isinstance(value, str):
        return {"stringValue": value}
    # 64-bit integers are strings in the JSON of protocol buffers.
    return {"doubleValue": value} if isinstance(value, float) else {"intValue": str(value)}
