"""Model calls read back, and as OpenTelemetry spans."""

import json
from typing import Any

import pytest

from benchwright.reports.calls import CallsError, parse
from benchwright.reports.otel import attributes, otlp

CALL: dict[str, Any] = {
    "call": "c1", "operation": "c0", "trial_uid": "u", "trial": "t", "run": "r", "attempt": 2,
    "stage": "write", "dialect": "anthropic", "endpoint": "messages", "model": "m",
    "model_answered": "m-1", "status": "ok", "http_status": 200, "started_at": 1000.5,
    "duration_seconds": 2.25, "ttfb_seconds": 0.5, "input_tokens": 900, "cache_read": 700,
    "cache_write": 0, "output_tokens": 60, "reasoning_tokens": 40, "usage_source": "provider",
    "cost_nanos": 1_500_000, "stop_reason": "end_turn", "tool_calls": 1, "prices": "p 2026",
}  # fmt: skip


def line(**more: Any) -> str:
    return json.dumps({**CALL, **more})


def test_a_call_is_read_back() -> None:
    (call,) = parse([line(request="q", response="a"), ""])
    assert (call.good, call.again, call.cost_usd, call.first_byte) == (True, True, 0.0015, 0.5)
    assert (call.request, call.response, call.attempt) == ("q", "a", 2)


def test_what_is_not_said_is_unknown() -> None:
    (call,) = parse(["{}"])
    assert (call.status, call.usage_source, call.again) == ("in flight", "unknown", False)
    assert {call.input_tokens, call.cost_usd, call.seconds, call.request, call.tool_calls} == {None}


@pytest.mark.parametrize("value", ["9", True, [1], {"a": 1}, 1.5, 1e300, None])
def test_what_is_no_count_is_unknown(value: Any) -> None:
    (call,) = parse([line(input_tokens=value)])
    assert call.input_tokens is None


@pytest.mark.parametrize(
    ("text", "says"),
    [("no", "line 2 is not JSON"), ("[]", "line 2 is no object"), ("[" * 9999, "2")],
)
def test_a_damaged_line_is_named(text: str, says: str) -> None:
    with pytest.raises(CallsError, match=says):
        list(parse([line(), text]))


def test_attributes_are_those_of_the_conventions() -> None:
    (call,) = parse([line()])
    assert attributes(call) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "m",
        "gen_ai.response.model": "m-1",
        "gen_ai.response.finish_reasons": ["end_turn"],
        "gen_ai.usage.input_tokens": 900,
        "gen_ai.usage.output_tokens": 60,
        "gen_ai.usage.cache_read.input_tokens": 700,
        "gen_ai.usage.cache_creation.input_tokens": 0,
        "gen_ai.usage.reasoning.output_tokens": 40,
        "gen_ai.response.time_to_first_chunk": 0.5,
        "http.response.status_code": 200,
        "benchwright.run": "r",
        "benchwright.trial": "t",
        "benchwright.attempt": 2,
        "benchwright.stage": "write",
        "benchwright.operation": "c0",
        "benchwright.usage_source": "provider",
        "benchwright.cost_usd": 0.0015,
        "benchwright.prices": "p 2026",
    }


def test_a_failed_call_says_why_and_claims_no_tokens() -> None:
    given = dict.fromkeys(("input_tokens", "output_tokens", "cost_nanos"), None)
    (call,) = parse([line(status="http_error", http_status=529, error="overloaded_error", **given)])
    found = attributes(call)
    assert found["error.type"] == "overloaded_error"
    assert "gen_ai.usage.input_tokens" not in found


def test_spans_have_the_times_and_ids_that_otlp_wants() -> None:
    found = otlp(parse([line(), line(call="c2", status="truncated"), line(started_at=None)]))
    (scope,) = found["resourceSpans"][0]["scopeSpans"]
    first, second = scope["spans"]
    assert (first["startTimeUnixNano"], first["endTimeUnixNano"]) == (
        "1000500000000",
        "1002750000000",
    )
    assert first["traceId"] == second["traceId"] != ""
    assert (len(first["traceId"]), len(first["spanId"])) == (32, 16)
    assert first["spanId"] != second["spanId"]
    assert ("status" in first, second["status"]["code"]) == (False, 2)
    assert {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "900"}} in first["attributes"]
