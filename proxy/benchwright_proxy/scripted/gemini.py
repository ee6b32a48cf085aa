"""Scripted answers as Gemini's generateContent."""

from itertools import pairwise

from benchwright_proxy.jsonvalue import Json, JsonObject, dump

from .claims import Claimed
from .pieces import Piece, Script, arguments, cut, event


def body(script: Script) -> bytes:
    """The answer without streaming."""
    return dump(_response(script, _parts(script), "STOP", script.usage))


def stream(script: Script) -> list[Piece]:
    """The answer as server-sent events; the last has the usage."""
    return [Piece(event(found), paced) for found, paced in _chunks(script)]


def array(script: Script) -> list[Piece]:
    """The answer as one JSON array that grows, as it comes without `alt=sse`."""
    chunks = [(dump(found), paced) for found, paced in _chunks(script)]
    pieces = [Piece(b"[" + chunks[0][0], chunks[0][1])]
    pieces += [Piece(b",\r\n" + data, paced) for _, (data, paced) in pairwise(chunks)]
    return [*pieces, Piece(b"]")]


def _chunks(script: Script) -> list[tuple[JsonObject, bool]]:
    """Responses, each with whether it is paced."""
    texts: list[Json] = [{"text": t} for t in cut(script.turn.text or "", script.turn.chunks)]
    parts = texts + _calls(script)
    chunks = [(_response(script, [part], None, None), True) for part in parts]
    return [*chunks, (_response(script, [{"text": ""}], "STOP", script.usage), False)]


def _parts(script: Script) -> list[Json]:
    texts: list[Json] = [] if script.turn.text is None else [{"text": script.turn.text}]
    return texts + _calls(script)


def _calls(script: Script) -> list[Json]:
    return [
        {"functionCall": {"name": call.name, "args": arguments(call)}}
        for call in script.turn.tool_calls
    ]


def _response(
    script: Script, parts: list[Json], finish: str | None, usage: Claimed | None
) -> JsonObject:
    candidate: JsonObject = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    answer: JsonObject = {
        "candidates": [candidate], "modelVersion": script.model, "responseId": script.answer_id,
    }  # fmt: skip
    if usage is not None:
        answer["usageMetadata"] = _usage(usage)
    return answer


def _usage(usage: Claimed) -> JsonObject:
    """Thoughts are not among the candidates; a 0 is left out, as protocol buffers do."""
    thoughts = usage.reasoning_tokens or 0
    counts = {
        "promptTokenCount": usage.input_tokens,
        "cachedContentTokenCount": usage.cached_input_tokens,
        "candidatesTokenCount": usage.output_tokens - thoughts,
        "thoughtsTokenCount": thoughts,
        "totalTokenCount": usage.input_tokens + usage.output_tokens,
    }
    return {name: count for name, count in counts.items() if count}
