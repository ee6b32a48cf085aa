"""Server-sent events as bytes: cut a stream into blocks, read the event in a block.

Follows the WHATWG grammar (LF, CR or CRLF, multi-line data, comments, BOM, optional space behind
the colon), wherever the network cuts the stream: between CR and LF, inside a character, anywhere.
The blocks, put together, are exactly the bytes that came.
"""

import re

from msgspec import Struct

#: Longest event that is read; longer ones are only passed on.
MAX_EVENT_BYTES = 32 * 2**20

# Atomic groups: a CRLF must never be taken for a CR and an LF, which would make a blank line of it.
_END = re.compile(rb"(?>\r\n|\n|\r)(?>\r\n|\n|\r)")
_LINE = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"
#: A terminator is at most 4 bytes, so the last 3 bytes looked at may be the start of one.
_OVERLAP = 3


class Block(Struct, frozen=True):
    """Bytes up to and with a blank line. `whole` is False for a piece of an event that is too long
    to read, and for the LF of a CRLF whose CR had already ended the block before."""

    raw: bytes
    whole: bool = True


class Event(Struct, frozen=True):
    """The type ("" if not given) and the data of an event; None if the block has no data."""

    name: str
    data: bytes | None


class Splitter:
    """Cuts what it is fed into blocks."""

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._buffer = bytearray()
        self._searched = 0
        self._limit = max_event_bytes
        self._skipping = False
        self._after_cr = False

    def feed(self, chunk: bytes) -> list[Block]:
        """The blocks that `chunk` completes."""
        blocks: list[Block] = []
        if not chunk:
            return blocks
        if self._after_cr and chunk.startswith(b"\n"):
            blocks.append(Block(b"\n", whole=False))
            chunk = chunk[1:]
        self._buffer += chunk
        while match := _END.search(self._buffer, self._searched):
            blocks.append(self._take(match.end(), whole=not self._skipping))
            self._skipping = False
        self._searched = max(0, len(self._buffer) - _OVERLAP)
        if self._searched > self._limit or (self._skipping and self._searched):
            # Too long to keep: pass it on in pieces, and read again from the next event.
            self._skipping = True
            blocks.append(self._take(self._searched, whole=False))
        self._after_cr = bool(blocks) and not self._buffer and blocks[-1].raw.endswith(b"\r")
        return blocks

    def close(self) -> list[Block]:
        """What is left: an event whose blank line never came is still read."""
        return [self._take(len(self._buffer), whole=not self._skipping)] if self._buffer else []

    def _take(self, end: int, *, whole: bool) -> Block:
        raw = bytes(self._buffer[:end])
        del self._buffer[:end]
        self._searched = 0
        return Block(raw, whole)


def read_event(raw: bytes, *, first: bool = False) -> Event:
    """The event in a whole block; `first` says that the stream starts with it."""
    if first:
        raw = raw.removeprefix(_BOM)
    name, data = b"", []
    for line in _LINE.split(raw):
        field, _, value = line.partition(b":")
        if field == b"data":
            data.append(value.removeprefix(b" "))
        elif field == b"event":
            name = value.removeprefix(b" ")
    return Event(name.decode("utf-8", "replace"), b"\n".join(data) if data else None)
