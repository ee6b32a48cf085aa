"""Reads usage out of a response while it passes: what goes in is what comes out.

The one exception: when the proxy itself asked for usage in a chat stream, the chunk that carries
nothing else is withheld from the client, who did not ask for it.
"""

import re
from collections.abc import Callable, Mapping
from typing import ClassVar, Protocol

from .decoding import Decoder, decoder
from .jsonvalue import Json, parse
from .routes import Endpoint
from .sse import MAX_EVENT_BYTES, Block, Splitter, read_event
from .usage import anthropic, embeddings, gemini, openai, responses
from .usage.record import Answer


class Tap(Protocol):
    """Sees every byte of one response."""

    def feed(self, chunk: bytes) -> bytes:
        """Take bytes from the provider; the bytes that the client gets now."""

    def finish(self, *, clean: bool) -> tuple[bytes, Answer]:
        """The last bytes for the client and what the response said. `clean`: the body was whole."""


class StreamReader(Protocol):
    """Reads the events of one dialect (usage/). What `telling` finds nothing in, bytes of an event
    behind the first, says nothing that is counted, and is not parsed (Helicone PR#2279)."""

    telling: ClassVar[re.Pattern[bytes] | None]

    def event(self, name: str, data: Json) -> bool: ...

    def done(self) -> None: ...

    def answer(self, *, clean: bool) -> Answer: ...


_STREAMS: Mapping[Endpoint, Callable[[], StreamReader]] = {
    Endpoint.CHAT: openai.ChatStream,
    Endpoint.RESPONSES: responses.ResponseStream,
    Endpoint.EMBEDDINGS: openai.ChatStream,  # no server streams them; what one says is passed on
    Endpoint.MESSAGES: anthropic.MessageStream,
    Endpoint.GENERATE: gemini.ContentStream,
    Endpoint.STREAM_GENERATE: gemini.ContentStream,
}
_BODIES: Mapping[Endpoint, Callable[[Json], Answer]] = {
    Endpoint.CHAT: openai.answer_of_body,
    Endpoint.RESPONSES: responses.answer_of_body,
    Endpoint.EMBEDDINGS: embeddings.answer_of_body,
    Endpoint.MESSAGES: anthropic.answer_of_body,
    Endpoint.GENERATE: gemini.answer_of_body,
    Endpoint.STREAM_GENERATE: gemini.answer_of_body,
}


def make_tap(
    endpoint: Endpoint, content_type: str, encoding: str, *, withhold_usage: bool, limit: int
) -> Tap:
    """The tap for a response with these headers, which keeps at most `limit` bytes of it."""
    streamed = content_type.partition(";")[0].strip().lower() == "text/event-stream"
    reading = decoder(encoding, limit)
    if not streamed:
        return BodyTap(_BODIES[endpoint], reading, limit)
    reader = _STREAMS[endpoint]()
    # A compressed stream cannot lose a chunk and stay readable: then the client gets it all.
    return EventTap(reader, reading, withhold_usage=withhold_usage and reading.plain, limit=limit)


class BodyTap:
    """Keeps a copy of a JSON body. A body past the limit passes on; its usage is then unknown."""

    def __init__(
        self, answer_of_body: Callable[[Json], Answer], reading: Decoder, limit: int
    ) -> None:
        self._answer_of_body = answer_of_body
        self._reading = reading
        self._limit = limit
        self._body = bytearray()
        self._lost = False

    def feed(self, chunk: bytes) -> bytes:
        if not self._lost:
            self._body += self._reading.feed(chunk)
            self._lost = self._reading.lost or len(self._body) > self._limit
            if self._lost:
                self._body.clear()
        return chunk

    def finish(self, *, clean: bool) -> tuple[bytes, Answer]:
        if self._lost or not clean:
            return b"", Answer(complete=clean)
        try:
            body = parse(bytes(self._body))
        except ValueError:
            return b"", Answer(complete=True)
        return b"", self._answer_of_body(body)


class EventTap:
    """Reads the events of a stream as they pass."""

    def __init__(
        self, reader: StreamReader, reading: Decoder, *, withhold_usage: bool, limit: int
    ) -> None:
        self._reader = reader
        self._reading = reading
        self._withhold = withhold_usage
        self._splitter = Splitter(min(limit, MAX_EVENT_BYTES))
        self._first = True
        self._withheld_last = False

    def feed(self, chunk: bytes) -> bytes:
        passed = self._pass_on(self._splitter.feed(self._reading.feed(chunk)))
        # Without withholding nothing waits for the end of its event.
        return passed if self._withhold else chunk

    def finish(self, *, clean: bool) -> tuple[bytes, Answer]:
        passed = self._pass_on(self._splitter.close())
        return passed if self._withhold else b"", self._reader.answer(clean=clean)

    def _pass_on(self, blocks: list[Block]) -> bytes:
        """Read the blocks; their bytes without what is withheld."""
        passed = b""
        for block in blocks:
            if block.whole:
                self._withheld_last = self._read(block.raw) and self._withhold
                self._first = False
            elif block.raw != b"\n":
                self._withheld_last = False
            if not self._withheld_last:
                passed += block.raw
        return passed

    def _read(self, raw: bytes) -> bool:
        """Read the event in a block; whether it carries nothing but usage."""
        telling = self._reader.telling
        if telling is not None and not self._first and telling.search(raw) is None:
            return False
        event = read_event(raw, first=self._first)
        if event.data is None:
            return False
        if event.data.strip() == b"[DONE]":
            self._reader.done()
            return False
        try:
            data = parse(event.data)
        except ValueError:
            # Not our business: it passes on, and usage stays unknown if this was to carry it.
            return False
        return self._reader.event(event.name, data)
