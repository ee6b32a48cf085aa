"""The usage that a scripted answer claims.

Numbers that the dialogue leaves out are derived, the same for the same request: four bytes a token,
rounded up and at least one, of the request's messages, system prompt and tools for the input, and
of the text and the tool calls (names and arguments as JSON) for the output.
"""

from msgspec import Struct

from benchwright_proxy.jsonvalue import Json, dump

from .dialogue import Turn


class Claimed(Struct, frozen=True):
    """Input includes cached and written tokens; None for reasoning: not said."""

    input_tokens: int
    cached_input_tokens: int
    cache_write_tokens: int
    output_tokens: int
    reasoning_tokens: int | None


def claimed(turn: Turn, request_size: int) -> Claimed:
    """The usage of `turn` as the answer to a request of `request_size` bytes."""
    usage = turn.usage
    cached = usage.cached_input_tokens + usage.cache_write_tokens
    read, written = usage.input_tokens, usage.output_tokens
    return Claimed(
        input_tokens=max(tokens(request_size), cached) if read is None else read,
        cached_input_tokens=usage.cached_input_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        output_tokens=max(tokens(answer_size(turn)), usage.reasoning_tokens or 0)
        if written is None
        else written,
        reasoning_tokens=usage.reasoning_tokens,
    )


def tokens(size: int) -> int:
    """Tokens of `size` bytes."""
    return max(1, -(-size // 4))


def answer_size(turn: Turn) -> int:
    """Bytes of what the model writes."""
    calls: list[Json] = [[call.name, dict(call.arguments)] for call in turn.tool_calls]
    return len((turn.text or "").encode()) + (len(dump(calls)) if calls else 0)
