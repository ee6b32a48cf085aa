"""Reading a compressed file no further than it is worth: tarfile and zipfile read headers whole."""

import bz2
import gzip
import io
import lzma
from typing import IO, Protocol

_PIECE = 64 * 1024


class File(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...
    def seek(self, offset: int, whence: int = 0, /) -> int: ...
    def tell(self) -> int: ...
    def close(self) -> None: ...


class Bounded:
    """A file of which no more than `left` bytes can be read, until that is set anew."""

    def __init__(self, file: File, left: int):
        self._file, self.left = file, left
        self.last = b""
        self.seek, self.tell, self.close = file.seek, file.tell, file.close

    def read(self, size: int = -1, /) -> bytes:
        if size < 0:
            return b"".join(iter(lambda: self.read(min(_PIECE, self.left + 1)), b""))
        if size > self.left:
            raise ValueError("its headers are too large")
        self.last = self._file.read(size)
        self.left -= len(self.last)
        return self.last

    def write(self, data: bytes, /) -> int:
        raise io.UnsupportedOperation("write")

    def seekable(self) -> bool:
        return True


def decompressed(raw: IO[bytes]) -> File:
    """By the first bytes, as file(1) does."""
    raw.seek(0)
    magic = raw.read(6)
    raw.seek(0)
    if magic.startswith(b"\x1f\x8b"):
        return gzip.open(raw)
    if magic.startswith(b"BZh"):
        return bz2.open(raw)
    if magic == b"\xfd7zXZ\0":
        return lzma.open(raw)
    return raw
