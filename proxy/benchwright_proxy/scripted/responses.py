"""Scripted answers as OpenAI responses."""

from benchwright_proxy.jsonvalue import Json, JsonObject, as_list, as_object, dump

from .claims import Claimed
from .pieces import Piece, Script, arguments, call_id, cut, event


def body(script: Script) -> bytes:
    """The answer without streaming."""
    return dump(_response(script, "completed", _items(script), script.usage))


def stream(script: Script) -> list[Piece]:
    """The answer as a stream; its last event has the usage, and there is no [DONE]."""
    items = _items(script)
    events = _Events()
    for kind in ("created", "in_progress"):
        begun = _response(script, "in_progress", [], None)
        events.add(f"response.{kind}", {"response": begun})
    for index, item in enumerate(items):
        events.item(index, item, script.turn.chunks)
    whole = _response(script, "completed", items, script.usage)
    events.add("response.completed", {"response": whole})
    return events.pieces


class _Events:
    """Events in order, each with its number."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []

    def add(self, kind: str, fields: JsonObject, *, paced: bool = False) -> None:
        data: JsonObject = {"type": kind, "sequence_number": len(self.pieces), **fields}
        self.pieces.append(Piece(event(data, kind), paced))

    def item(self, index: int, item: JsonObject, chunks: int) -> None:
        """One output item from its start to its end."""
        message = item["type"] == "message"
        begun: JsonObject = {**item, "status": "in_progress"}
        begun["content" if message else "arguments"] = [] if message else ""
        self.add("response.output_item.added", {"output_index": index, "item": begun})
        where: JsonObject = {"item_id": item["id"], "output_index": index}
        if message:
            self._text(where, item, chunks)
        else:
            self._arguments(where, item, chunks)
        self.add("response.output_item.done", {"output_index": index, "item": item})

    def _text(self, where: JsonObject, item: JsonObject, chunks: int) -> None:
        part = as_object(as_list(item["content"])[0])
        place: JsonObject = {**where, "content_index": 0}
        text = str(part["text"])
        self.add("response.content_part.added", {**place, "part": {**part, "text": ""}})
        for piece in cut(text, chunks):
            delta: JsonObject = {**place, "delta": piece, "logprobs": []}
            self.add("response.output_text.delta", delta, paced=True)
        self.add("response.output_text.done", {**place, "text": text, "logprobs": []})
        self.add("response.content_part.done", {**place, "part": part})

    def _arguments(self, where: JsonObject, item: JsonObject, chunks: int) -> None:
        text = str(item["arguments"])
        for piece in cut(text, chunks):
            delta: JsonObject = {**where, "delta": piece}
            self.add("response.function_call_arguments.delta", delta, paced=True)
        whole: JsonObject = {**where, "name": item["name"], "arguments": text}
        self.add("response.function_call_arguments.done", whole)


def _items(script: Script) -> list[JsonObject]:
    """The output: a message where there is text, and a call of each tool."""
    items: list[JsonObject] = []
    if script.turn.text is not None:
        part: JsonObject = {
            "type": "output_text", "text": script.turn.text, "annotations": [], "logprobs": [],
        }  # fmt: skip
        items.append({
            "type": "message", "id": f"msg_{script.answer_id}", "status": "completed",
            "role": "assistant", "content": [part],
        })  # fmt: skip
    for index, call in enumerate(script.turn.tool_calls):
        items.append({
            "type": "function_call", "id": call_id("fc", script, index), "status": "completed",
            "call_id": call_id("call", script, index), "name": call.name,
            "arguments": dump(arguments(call)).decode(),
        })  # fmt: skip
    return items


def _response(
    script: Script, status: str, items: list[JsonObject], usage: Claimed | None
) -> JsonObject:
    output: list[Json] = list(items)
    return {
        "id": f"resp_{script.answer_id}", "object": "response", "created_at": script.created,
        "status": status, "error": None, "incomplete_details": None, "instructions": None,
        "metadata": {}, "model": script.model, "output": output, "parallel_tool_calls": True,
        "temperature": 1.0, "tool_choice": "auto", "tools": [], "top_p": 1.0,
        "usage": None if usage is None else _usage(usage),
    }  # fmt: skip


def _usage(usage: Claimed) -> JsonObject:
    return {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {
            "cached_tokens": usage.cached_input_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
        },
        "output_tokens": usage.output_tokens,
        # Its schema requires the field, and Codex cannot read an answer without it.
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens or 0},
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }
