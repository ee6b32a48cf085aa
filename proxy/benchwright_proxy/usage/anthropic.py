"""Usage of Anthropic Messages and of servers that imitate it.

`input_tokens` leaves cached tokens out; `output_tokens` includes thinking. In a stream
`message_start` has the input and a placeholder for the output, `message_delta` has running totals.
Both are merged by overwriting each field that is there, and 0 is there: nothing is summed
(envoyproxy/ai-gateway#2279, agentgateway#2977, Wei-Shaw/sub2api#6125).
"""

import re
from collections.abc import Mapping
from typing import ClassVar

from benchwright_proxy.jsonvalue import Json, JsonObject, as_count, as_list, as_object, as_text

from .record import UNKNOWN, Answer, Lifetime, Usage, cache_write, source

_LIFETIMES: Mapping[str, Lifetime] = {
    "ephemeral_5m_input_tokens": "5m",
    "ephemeral_1h_input_tokens": "1h",
}


def usage_of(said: JsonObject, *, final: bool) -> Usage:
    """The canonical usage of a merged `usage` object."""
    fresh = as_count(said.get("input_tokens"))
    read = as_count(said.get("cache_read_input_tokens"))
    write = cache_write(
        as_count(said.get("cache_creation_input_tokens")),
        as_object(said.get("cache_creation")),
        _LIFETIMES,
    )
    whole = None if fresh is None else fresh + (read or 0) + (write.whole or 0)
    output = as_count(said.get("output_tokens"))
    details = as_object(said.get("output_tokens_details"))
    return Usage(
        input_tokens=whole,
        input_uncached=fresh,
        cache_read=read,
        cache_write=write.whole,
        output_tokens=output,
        reasoning_tokens=as_count(details.get("thinking_tokens")),
        source=source(final=final, input_tokens=whole, output_tokens=output),
        notes=write.notes,
        cache_write_by=write.by,
        server_tools=_server_tools(as_object(said.get("server_tool_use"))),
    )


def _server_tools(said: JsonObject) -> dict[str, int]:
    """{"web_search_requests": 2} → {"web_search": 2}."""
    counts = {key.removesuffix("_requests"): as_count(value) for key, value in said.items()}
    return {name: count for name, count in counts.items() if count}


def answer_of_body(body: Json) -> Answer:
    """What a response without streaming says."""
    top = as_object(body)
    said = as_object(top.get("usage"))
    return Answer(
        usage=usage_of(said, final=True) if said else UNKNOWN,
        said=said,
        model=as_text(top.get("model")),
        stop_reason=as_text(top.get("stop_reason")),
        error=_error_type(top),
        complete=True,
        service_tier=as_text(said.get("service_tier")),
        speed=as_text(said.get("speed")),
        geo=as_text(said.get("inference_geo")),
        tool_calls=sum(map(_is_call, as_list(top.get("content")))),
    )


def _is_call(block: Json) -> bool:
    return as_object(block).get("type") == "tool_use"


def _error_type(top: JsonObject) -> str | None:
    if top.get("type") != "error" and not top.get("error"):
        return None
    return as_text(as_object(top.get("error")).get("type")) or "error"


class MessageStream:
    """Reads the events of a streamed message."""

    telling: ClassVar[re.Pattern[bytes] | None] = re.compile(
        rb"message_|content_block_start|error|\[DONE\]"
    )

    def __init__(self) -> None:
        self._said: JsonObject = {}
        self._model: str | None = None
        self._stop_reason: str | None = None
        self._error: str | None = None
        self._output_said = False
        self._stopped = False
        self._calls = 0

    def event(self, name: str, data: Json) -> bool:
        """Take one event. Never True: no event here carries nothing but usage."""
        top = as_object(data)
        kind = as_text(top.get("type")) or name
        if kind == "message_start":
            message = as_object(top.get("message"))
            self._model = as_text(message.get("model"))
            self._merge(as_object(message.get("usage")))
        elif kind == "message_delta":
            usage = as_object(top.get("usage"))
            self._merge(usage)
            self._output_said |= as_count(usage.get("output_tokens")) is not None
            delta = as_object(top.get("delta"))
            self._stop_reason = as_text(delta.get("stop_reason")) or self._stop_reason
        elif kind == "content_block_start":
            self._calls += _is_call(top.get("content_block"))
        elif kind == "message_stop":
            self._stopped = True
        elif kind == "error":
            self._error = _error_type(top) or "error"
        return False

    def done(self) -> None:
        """The stream said [DONE], as some imitations do after their last event."""

    def _merge(self, usage: JsonObject) -> None:
        self._said.update({key: value for key, value in usage.items() if value is not None})

    def answer(self, *, clean: bool) -> Answer:
        """What was said; `clean` is whether the body ended as HTTP says it must."""
        final = self._stopped or self._stop_reason is not None
        said = dict(self._said)
        if not self._output_said:
            # The placeholder of message_start is not what was written (litellm PR#39893).
            said.pop("output_tokens", None)
        return Answer(
            usage=usage_of(said, final=final) if said else UNKNOWN,
            said=self._said,
            model=self._model,
            stop_reason=self._stop_reason,
            error=self._error,
            complete=self._stopped,
            service_tier=as_text(self._said.get("service_tier")),
            speed=as_text(self._said.get("speed")),
            geo=as_text(self._said.get("inference_geo")),
            tool_calls=self._calls,
        )
