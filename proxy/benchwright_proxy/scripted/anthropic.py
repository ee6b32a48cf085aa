"""Scripted answers as Anthropic messages."""

from benchwright_proxy.jsonvalue import Json, JsonObject, dump

from .claims import Claimed
from .pieces import Piece, Script, arguments, call_id, cut, event


def body(script: Script) -> bytes:
    """The answer without streaming."""
    content: list[Json] = []
    if script.turn.text is not None:
        content.append({"type": "text", "text": script.turn.text})
    for index, call in enumerate(script.turn.tool_calls):
        content.append({**_tool_use(script, index), "input": arguments(call)})
    message = _message(script)
    message.update({"content": content, "stop_reason": _stop(script)})
    if script.usage is not None:
        message["usage"] = {**_input(script.usage), **_output(script.usage)}
    return dump(message)


def stream(script: Script) -> list[Piece]:
    """The answer as a stream: input usage at its start, output usage at its end."""
    start = _message(script)
    if script.usage is not None:
        # Like the real one: the output is a placeholder here.
        start["usage"] = {**_input(script.usage), "output_tokens": 1}
    pieces = [Piece(_event({"type": "message_start", "message": start}))]
    index = 0
    if script.turn.text is not None:
        deltas = cut(script.turn.text, script.turn.chunks)
        block: Json = {"type": "text", "text": ""}
        pieces += _block(index, block, [{"type": "text_delta", "text": part} for part in deltas])
        index += 1
    for number, call in enumerate(script.turn.tool_calls):
        parts = cut(dump(arguments(call)).decode(), script.turn.chunks)
        block = {**_tool_use(script, number), "input": {}}
        pieces += _block(
            index, block, [{"type": "input_json_delta", "partial_json": part} for part in parts]
        )
        index += 1
    return [*pieces, *_end(script)]


def _block(index: int, block: Json, deltas: list[Json]) -> list[Piece]:
    start: JsonObject = {"type": "content_block_start", "index": index, "content_block": block}
    stop: JsonObject = {"type": "content_block_stop", "index": index}
    middle = [
        Piece(_event({"type": "content_block_delta", "index": index, "delta": delta}), paced=True)
        for delta in deltas
    ]
    return [Piece(_event(start)), *middle, Piece(_event(stop))]


def _end(script: Script) -> list[Piece]:
    delta: JsonObject = {
        "type": "message_delta",
        "delta": {"stop_reason": _stop(script), "stop_sequence": None},
    }
    if script.usage is not None:
        delta["usage"] = _output(script.usage)
    return [Piece(_event(delta)), Piece(_event({"type": "message_stop"}))]


def _event(data: JsonObject) -> bytes:
    return event(data, str(data["type"]))


def _message(script: Script) -> JsonObject:
    return {
        "id": f"msg_{script.answer_id}",
        "type": "message",
        "role": "assistant",
        "model": script.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _tool_use(script: Script, index: int) -> JsonObject:
    name = script.turn.tool_calls[index].name
    return {"type": "tool_use", "id": call_id("toolu", script, index), "name": name}


def _stop(script: Script) -> str:
    return "tool_use" if script.turn.tool_calls else "end_turn"


def _input(usage: Claimed) -> JsonObject:
    """Anthropic's input leaves cached and written tokens out."""
    cached = usage.cached_input_tokens + usage.cache_write_tokens
    return {
        "input_tokens": usage.input_tokens - cached,
        "cache_read_input_tokens": usage.cached_input_tokens,
        "cache_creation_input_tokens": usage.cache_write_tokens,
    }


def _output(usage: Claimed) -> JsonObject:
    said: JsonObject = {"output_tokens": usage.output_tokens}
    if usage.reasoning_tokens is not None:
        said["output_tokens_details"] = {"thinking_tokens": usage.reasoning_tokens}
    return said
