"""The bound on heads and trailers, which a parser keeps in memory until they are whole."""

#: What a header costs beside its text, as HTTP/2 counts it (RFC 9113, 6.5.2): many small ones are as
#: much work as a few large ones.
PER_HEADER = 32


class HeadTooLargeError(Exception):
    """A head past its bound."""


class HeadBound:
    """Counts what a parser keeps. It tells of whole headers only, and takes the pieces of an unfinished
    one without a word: so what it was fed counts too, packet by packet, until it tells of something."""

    def __init__(self, limit: int) -> None:
        """At most `limit` bytes."""
        self._limit = limit
        self._size = self._untold = 0
        self._told = False

    def begin(self) -> None:
        """A new message."""
        self._size = 0
        self._told = True

    def add(self, size: int) -> None:
        """A part of a head or trailer. Raises HeadTooLargeError."""
        self._told = True
        self._size += size
        if self._size > self._limit:
            raise HeadTooLargeError

    def header(self, name: bytes, value: bytes) -> None:
        """A whole header or trailer. Raises HeadTooLargeError."""
        self.add(len(name) + len(value) + PER_HEADER)

    def told(self) -> None:
        """Something that is no part of a head."""
        self._told = True

    def fed(self, size: int) -> None:
        """The parser has been fed so many bytes. Raises HeadTooLargeError."""
        self._untold = 0 if self._told else self._untold + size
        self._told = False
        if self._untold > self._limit:
            raise HeadTooLargeError
