"""Scripted answers as OpenAI chat completions."""

from benchwright_proxy.jsonvalue import Json, JsonObject, dump

from .claims import Claimed
from .pieces import Piece, Script, arguments, call_id, cut, event


def body(script: Script) -> bytes:
    """The answer without streaming."""
    message: JsonObject = {"role": "assistant", "content": script.turn.text}
    if script.turn.tool_calls:
        message["tool_calls"] = [
            _call(script, index, dump(arguments(call)).decode())
            for index, call in enumerate(script.turn.tool_calls)
        ]
    answer = _top(script, "chat.completion")
    answer["choices"] = [{"index": 0, "message": message, "finish_reason": _finish(script)}]
    if script.usage is not None:
        answer["usage"] = _usage(script.usage)
    return dump(answer)


def stream(script: Script, *, include_usage: bool) -> list[Piece]:
    """The answer as a stream; with `include_usage` it ends with the chunk that says it."""
    chunks = script.turn.chunks
    deltas: list[Json] = [{"content": text} for text in cut(script.turn.text or "", chunks)]
    for index, call in enumerate(script.turn.tool_calls):
        deltas.append({"tool_calls": [{"index": index, **_call(script, index, "")}]})
        for part in cut(dump(arguments(call)).decode(), chunks):
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    say_usage = include_usage and script.usage is not None
    pieces = [Piece(_chunk(script, {"role": "assistant", "content": ""}, None, say_usage))]
    pieces += [Piece(_chunk(script, delta, None, say_usage), paced=True) for delta in deltas]
    pieces.append(Piece(_chunk(script, {}, _finish(script), say_usage)))
    if include_usage and script.usage is not None:
        last = _top(script, "chat.completion.chunk")
        pieces.append(Piece(event({**last, "choices": [], "usage": _usage(script.usage)})))
    return [*pieces, Piece(b"data: [DONE]\n\n")]


def _top(script: Script, kind: str) -> JsonObject:
    return {
        "id": f"chatcmpl-{script.answer_id}",
        "object": kind,
        "created": script.created,
        "model": script.model,
    }


def _chunk(script: Script, delta: Json, finish: str | None, say_usage: bool) -> bytes:
    chunk = _top(script, "chat.completion.chunk")
    chunk["choices"] = [{"index": 0, "delta": delta, "finish_reason": finish}]
    if say_usage:
        chunk["usage"] = None
    return event(chunk)


def _call(script: Script, index: int, text: str) -> JsonObject:
    name = script.turn.tool_calls[index].name
    function: JsonObject = {"name": name, "arguments": text}
    return {"id": call_id("call", script, index), "type": "function", "function": function}


def _finish(script: Script) -> str:
    return "tool_calls" if script.turn.tool_calls else "stop"


def _usage(usage: Claimed) -> JsonObject:
    said: JsonObject = {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {
            "cached_tokens": usage.cached_input_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
        },
    }
    if usage.reasoning_tokens is not None:
        said["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning_tokens}
    return said
