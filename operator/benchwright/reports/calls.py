"""Model calls of a trial, read back from JSON lines (pure).

The proxy wrote them, but bodies in them are an agent's and a provider's, and a file may be an older
version's: whatever a field lacks is unknown.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call. Times are unix seconds, `seconds` its duration, `first_byte` those to the first byte;
    `request` and `response` are None where bodies were not kept."""

    id: str
    attempt: int | None
    stage: str
    model: str
    answered: str | None
    status: str
    http_status: int | None
    started_at: float | None
    seconds: float | None
    first_byte: float | None
    input_tokens: int | None
    cached: int | None
    output_tokens: int | None
    reasoning: int | None
    usage_source: str
    cost_usd: float | None
    cost_unknown: str | None
    stop_reason: str | None
    tool_calls: int | None
    again: bool
    request: str | None
    response: str | None
    raw: Json

    @property
    def good(self) -> bool:
        return self.status == "ok"


class CallsError(ValueError):
    """A file that holds no calls."""


def parse(lines: Iterable[bytes | str]) -> Iterator[ModelCall]:
    """Calls in the order of the lines. Raises CallsError naming the line."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            raw = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise CallsError(f"line {number} is not JSON") from error
        if not isinstance(raw, dict):
            raise CallsError(f"line {number} is no object")
        yield _call(raw)


def _call(raw: Json) -> ModelCall:
    nanos = _number(raw, "cost_nanos")
    return ModelCall(
        id=_text(raw, "call") or "?",
        attempt=_whole(raw, "attempt"),
        stage=_text(raw, "stage") or "?",
        model=_text(raw, "model") or "?",
        answered=_text(raw, "model_answered"),
        status=_text(raw, "status") or "in flight",
        http_status=_whole(raw, "http_status"),
        started_at=_number(raw, "started_at"),
        seconds=_number(raw, "duration_seconds"),
        first_byte=_number(raw, "ttfb_seconds"),
        input_tokens=_whole(raw, "input_tokens"),
        cached=_whole(raw, "cache_read"),
        output_tokens=_whole(raw, "output_tokens"),
        reasoning=_whole(raw, "reasoning_tokens"),
        usage_source=_text(raw, "usage_source") or "unknown",
        cost_usd=None if nanos is None else nanos / 1e9,
        cost_unknown=_text(raw, "cost_unknown"),
        stop_reason=_text(raw, "stop_reason"),
        tool_calls=_whole(raw, "tool_calls"),
        again=raw.get("operation") not in (None, "", raw.get("call")),
        request=_text(raw, "request"),
        response=_text(raw, "response"),
        raw=raw,
    )


def _text(raw: Json, key: str) -> str | None:
    value = raw.get(key)
    return value if isinstance(value, str) else None


def _number(raw: Json, key: str) -> float | None:
    value = raw.get(key)
    ok = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**63
    return value if ok else None


def _whole(raw: Json, key: str) -> int | None:
    value = _number(raw, key)
    return int(value) if value is not None and value == int(value) else None
