"""An answer as it goes over the wire, and helpers that both dialects' renderers share."""

from itertools import pairwise

from msgspec import Struct

from benchwright_proxy.jsonvalue import Json, JsonObject, dump

from .claims import Claimed
from .dialogue import ToolCall, Turn


class Script(Struct, frozen=True):
    """What to render. `usage` None: the answer does not say it. `created` in unix seconds."""

    turn: Turn
    usage: Claimed | None
    answer_id: str
    model: str
    created: int


class Piece(Struct, frozen=True):
    """Bytes of a stream; a `paced` one comes after the turn's chunk delay."""

    data: bytes
    paced: bool = False


def cut(text: str, count: int) -> list[str]:
    """`text` in at most `count` pieces of about the same length, none empty."""
    if not text:
        return []
    count = min(count, len(text))
    bounds = [len(text) * index // count for index in range(count + 1)]
    return [text[start:end] for start, end in pairwise(bounds)]


def call_id(prefix: str, script: Script, index: int) -> str:
    """An id for a tool call: unique in its conversation, the same for the same answer."""
    return f"{prefix}_{script.answer_id}_{index}"


def arguments(call: ToolCall) -> JsonObject:
    """The arguments of a call as JSON."""
    return dict(call.arguments)


def event(data: Json, name: str = "") -> bytes:
    """A server-sent event."""
    head = b"event: " + name.encode() + b"\n" if name else b""
    return head + b"data: " + dump(data) + b"\n\n"
