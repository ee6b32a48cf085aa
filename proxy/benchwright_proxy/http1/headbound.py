"""Heads and trailers, which a parser keeps in memory until they are whole: taken, and bounded."""

#: What a header costs beside its text, as HTTP/2 counts it (RFC 9113, 6.5.2): many small ones are as
#: much work as a few large ones.
PER_HEADER = 32


class HeadTooLargeError(Exception):
    """A head past its bound."""


class HeadBound:
    """What a connection does with heads; the parser calls `on_header`.

    A parser tells of whole headers only, and takes the pieces of an unfinished one without a word: so
    what it was fed counts too, packet by packet, until it tells of something.
    """

    def __init__(self, limit: int) -> None:
        """At most `limit` bytes."""
        self._limit = limit
        self._size = self._untold = 0
        self._told = False
        #: Between the beginning of a message and the end of its head.
        self._in_head = False
        # Of the head, as they came.
        self._came: list[tuple[bytes, bytes]] = []

    def _begin_head(self) -> None:
        """A new message."""
        self._size = 0
        self._told = self._in_head = True
        self._came = []

    def _end_head(self) -> list[tuple[str, str]]:
        """Its headers, with lower-case names."""
        self._in_head = False
        return [
            (name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in self._came
        ]

    def _add(self, size: int) -> None:
        """A part of a head. Raises HeadTooLargeError."""
        self._told = True
        self._size += size
        if self._size > self._limit:
            raise HeadTooLargeError

    def on_header(self, name: bytes, value: bytes) -> None:
        """A whole header or trailer; trailers are not kept. Raises HeadTooLargeError."""
        self._add(len(name) + len(value) + PER_HEADER)
        if self._in_head:
            self._came.append((name, value))

    def _fed(self, size: int) -> None:
        """The parser has been fed so many bytes. Raises HeadTooLargeError."""
        self._untold = 0 if self._told else self._untold + size
        self._told = False
        if self._untold > self._limit:
            raise HeadTooLargeError
