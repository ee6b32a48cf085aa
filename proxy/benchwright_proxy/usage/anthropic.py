"""Usage of Anthropic Messages and of servers that imitate it.

`input_tokens` leaves cached tokens out; `output_tokens` includes thinking. In a stream
`message_start` has the input and a placeholder for the output, `message_delta` has running totals.
Both are merged by overwriting each field that is there, and 0 is there: nothing is summed
(envoyproxy/ai-gateway#2279, agentgateway#2977, Wei-Shaw/sub2api#6125).
"""

from benchwright_proxy.jsonvalue import Json, JsonObject, as_count, as_object, as_text

from .record import UNKNOWN, Answer, Usage, source


def usage_of(said: JsonObject, *, final: bool) -> Usage:
    """The canonical usage of a merged `usage` object."""
    fresh = as_count(said.get("input_tokens"))
    read = as_count(said.get("cache_read_input_tokens"))
    write, notes = _cache_write(said)
    whole = None if fresh is None else fresh + (read or 0) + (write or 0)
    output = as_count(said.get("output_tokens"))
    details = as_object(said.get("output_tokens_details"))
    return Usage(
        input_tokens=whole,
        input_uncached=fresh,
        cache_read=read,
        cache_write=write,
        output_tokens=output,
        reasoning_tokens=as_count(details.get("thinking_tokens")),
        source=source(final=final, input_tokens=whole, output_tokens=output),
        notes=notes,
    )


def _cache_write(said: JsonObject) -> tuple[int | None, tuple[str, ...]]:
    """Tokens written to the cache: the aggregate, else the sum of its parts by lifetime."""
    whole = as_count(said.get("cache_creation_input_tokens"))
    split = as_object(said.get("cache_creation"))
    parts = [count for count in map(as_count, split.values()) if count is not None]
    if not parts:
        return whole, ()
    if whole is None:
        return sum(parts), ()
    return whole, () if whole == sum(parts) else ("cache_write_split_mismatch",)


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
    )


def _error_type(top: JsonObject) -> str | None:
    if top.get("type") != "error" and not top.get("error"):
        return None
    return as_text(as_object(top.get("error")).get("type")) or "error"


class MessageStream:
    """Reads the events of a streamed message."""

    def __init__(self) -> None:
        self._said: JsonObject = {}
        self._model: str | None = None
        self._stop_reason: str | None = None
        self._error: str | None = None
        self._output_said = False
        self._stopped = False

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
        )
