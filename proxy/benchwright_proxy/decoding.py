"""Content codings. The proxy asks providers for none; where one comes anyway, the client gets the
bytes unchanged and usage is read through one incremental decoder (envoyproxy/ai-gateway#1927)."""

import zlib


class Decoder:
    """Decodes a body piece by piece. `lost`: it can no longer be read, e.g. an unknown coding."""

    plain = True
    lost = False

    def feed(self, chunk: bytes) -> bytes:
        return chunk


class UnknownDecoder(Decoder):
    """br, zstd and whatever comes next: nothing can be read."""

    plain = False
    lost = True

    def feed(self, chunk: bytes) -> bytes:
        return b""


class ZlibDecoder(Decoder):
    """gzip and deflate, giving up past `limit` decoded bytes (a bomb, or nothing to meter)."""

    plain = False

    def __init__(self, limit: int) -> None:
        self._zlib = zlib.decompressobj(wbits=47)  # 32 + 15: either header is recognised
        self._left = limit

    def feed(self, chunk: bytes) -> bytes:
        if self.lost:
            return b""
        try:
            data = self._zlib.decompress(chunk, self._left)
        except zlib.error:
            self.lost = True
            return b""
        self._left -= len(data)
        # max_length 0 would mean no limit at all.
        self.lost = self._left <= 0
        return data


def decoder(encoding: str, limit: int) -> Decoder:
    """The decoder for a Content-Encoding header."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return Decoder()
    if name in ("gzip", "x-gzip", "deflate"):
        return ZlibDecoder(limit)
    return UnknownDecoder()
