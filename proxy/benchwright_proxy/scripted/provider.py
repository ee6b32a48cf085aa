"""The scripted model as a provider: picks an answer, renders it, paces it, breaks it."""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import structs

from benchwright_proxy.clock import Clock
from benchwright_proxy.config import ScriptedProvider as Settings
from benchwright_proxy.dialect import Dialect, error_body
from benchwright_proxy.jsonvalue import JsonObject, as_object, dump, parse
from benchwright_proxy.providers.base import (
    Asked,
    BrokenReplyError,
    NoResponseError,
    Reply,
    WholeReply,
    final_error,
    nothing,
)
from benchwright_proxy.routes import Endpoint
from benchwright_proxy.watched import WatchedFile
from benchwright_proxy.yamlfile import FileError

from . import anthropic, conversation, embeddings, gemini, openai, responses
from .claims import Claimed, claimed, tokens
from .dialogue import Dialogue, Fault, StatusFault, Turn, choose, load
from .log import ScriptedLog
from .pieces import Piece, Script

log = logging.getLogger(__name__)

_ERROR_TYPES = {
    (Dialect.OPENAI, 429): "rate_limit_exceeded",
    (Dialect.ANTHROPIC, 429): "rate_limit_error",
    (Dialect.ANTHROPIC, 529): "overloaded_error",
}


_BODIES: Mapping[Endpoint, Callable[[Script], bytes]] = {
    Endpoint.CHAT: openai.body,
    Endpoint.RESPONSES: responses.body,
    Endpoint.MESSAGES: anthropic.body,
    Endpoint.GENERATE: gemini.body,
}
_STREAMS: Mapping[Endpoint, Callable[[Script], list[Piece]]] = {
    Endpoint.RESPONSES: responses.stream,
    Endpoint.MESSAGES: anthropic.stream,
    Endpoint.STREAM_GENERATE: gemini.stream,
}
_NO_MEMORY = "the scripted model keeps nothing: send the whole input and no previous_response_id"


@dataclass(slots=True)
class ScriptedReply:
    """An answer in `pieces`; a `broken` one stops as if the connection had dropped."""

    status: int
    headers: dict[str, str]
    pieces: list[Piece]
    pace_seconds: float = 0.0
    broken: bool = False
    request_id: str | None = field(default=None)

    async def read(self) -> bytes:
        while self.pieces:
            piece = self.pieces.pop(0)
            if piece.paced and self.pace_seconds:
                await asyncio.sleep(self.pace_seconds)
            if piece.data:
                return piece.data
        if self.broken:
            raise BrokenReplyError("the scripted model dropped the connection")
        return b""

    def close(self) -> None:
        """Nothing to hang up."""


class ScriptedModel:
    """Plays the dialogues in a folder."""

    def __init__(self, settings: Settings, log: ScriptedLog, clock: Clock) -> None:
        self.name = settings.name
        self._folder = settings.dialogues
        self._log = log
        self._clock = clock
        self._files: dict[str, WatchedFile[Dialogue]] = {}

    def preload(self, names: Iterable[str]) -> None:
        """Read dialogues before anyone waits for them. A bad one is only logged: it may be mended
        while the proxy runs, and until then its calls say what is wrong."""
        for name in names:
            try:
                self.dialogue(name)
            except FileError as error:
                log.warning("%s", error)

    def speaks(self, dialect: Dialect) -> bool:
        return True

    def dialogue(self, name: str) -> Dialogue:
        """The dialogue in a file, as it is now. Raises FileError."""
        file = self._files.get(name)
        if file is None:
            file = self._files[name] = WatchedFile(Path(self._folder) / name, load)
        return file.get()

    async def open(self, asked: Asked, on_sent: Callable[[], None] = nothing) -> Reply:
        try:
            body = as_object(parse(asked.body))
        except ValueError:
            return final_error(asked.dialect, 400, "invalid_request_error", "the body is not JSON")
        if body.get("previous_response_id"):
            return final_error(asked.dialect, 400, "invalid_request_error", _NO_MEMORY)
        heard = conversation.read(body)
        if asked.endpoint is Endpoint.COUNT_TOKENS:
            return WholeReply(200, dump({"input_tokens": tokens(heard.size)}))
        if asked.endpoint is Endpoint.COUNT_CONTENT:
            return WholeReply(200, dump({"totalTokens": tokens(heard.size)}))
        if asked.endpoint is Endpoint.EMBEDDINGS:
            self._write_log(asked, "", 0, None, embeddings.claimed(body))
            return WholeReply(200, embeddings.body(body, asked.model.name))
        try:
            dialogue = self.dialogue(asked.model.dialogue or "")
        except FileError as error:
            return final_error(asked.dialect, 500, "scripted_model_error", str(error))
        turn = choose(dialogue, heard)
        if turn is None:
            message = f"dialogue {dialogue.name!r} has no answer to turn {heard.turn}"
            return final_error(asked.dialect, 500, "scripted_model_error", message)
        usage = claimed(turn, heard.size)
        self._write_log(asked, dialogue.name, heard.turn, turn.fault, usage)
        await asyncio.sleep(turn.delay_seconds)
        return self._reply(asked, body, heard.turn, turn, usage)

    def _reply(
        self, asked: Asked, body: JsonObject, number: int, turn: Turn, usage: Claimed
    ) -> Reply:
        if isinstance(turn.fault, StatusFault):
            return _fault(asked.dialect, turn.fault)
        if turn.fault == "disconnect":
            raise NoResponseError("the scripted model dropped the connection")
        script = Script(
            turn=turn,
            usage=None if turn.fault == "no_usage" else usage,
            answer_id=_answer_id(asked, number),
            model=asked.model.name,
            created=int(self._clock.now()),
        )
        reply = _render(asked, body, script)
        reply.pace_seconds = turn.chunk_delay_seconds
        if turn.fault == "truncate_stream":
            reply.pieces, reply.broken = _half(reply.pieces), True
        return reply

    def _write_log(
        self, asked: Asked, dialogue: str, number: int, fault: Fault | None, usage: Claimed
    ) -> None:
        self._log.write(
            {
                "at": self._clock.now(),
                "trial_uid": asked.claims.trial_uid,
                "attempt": asked.claims.attempt,
                "stage": asked.claims.stage,
                "model": asked.model.name,
                "dialect": asked.dialect.value,
                "dialogue": dialogue,
                "turn": number,
                "stream": asked.stream,
                "fault": fault.model_dump() if isinstance(fault, StatusFault) else fault,
                "usage": structs.asdict(usage) if fault is None else None,
            }
        )

    async def close(self) -> None:
        self._log.close()


def _render(asked: Asked, body: JsonObject, script: Script) -> ScriptedReply:
    if not asked.stream:
        data = _BODIES[asked.endpoint](script)
        return ScriptedReply(200, WholeReply(200, data).headers, [Piece(data)])
    if asked.endpoint is Endpoint.STREAM_GENERATE and asked.query.get("alt") != "sse":
        return ScriptedReply(200, {"content-type": "application/json"}, gemini.array(script))
    if asked.endpoint is Endpoint.CHAT:
        options = as_object(body.get("stream_options"))
        pieces = openai.stream(script, include_usage=options.get("include_usage") is True)
    else:
        pieces = _STREAMS[asked.endpoint](script)
    return ScriptedReply(200, {"content-type": "text/event-stream; charset=utf-8"}, pieces)


def _fault(dialect: Dialect, fault: StatusFault) -> WholeReply:
    default = "api_error" if dialect is Dialect.ANTHROPIC else "server_error"
    kind = _ERROR_TYPES.get((dialect, fault.status), default)
    body = error_body(dialect, fault.status, kind, "the dialogue wants this error")
    wait = {} if fault.retry_after is None else {"retry_after": f"{fault.retry_after:g}"}
    return WholeReply(fault.status, body, **wait)


def _half(pieces: list[Piece]) -> list[Piece]:
    """The first half of the pieces, the last of them cut in its middle."""
    kept = pieces[: (len(pieces) + 1) // 2]
    last = kept[-1]
    return [*kept[:-1], Piece(last.data[: len(last.data) // 2], last.paced)]


def _answer_id(asked: Asked, number: int) -> str:
    """The same for the same turn of the same attempt: two runs can be compared."""
    claims = asked.claims
    seed = f"{claims.trial_uid}/{claims.attempt}/{claims.stage}/{asked.model.name}/{number}"
    return hashlib.sha256(seed.encode()).hexdigest()[:16]
