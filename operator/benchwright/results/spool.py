"""Streams into files, hashed and bounded on the way: nothing large is ever whole in memory."""

import hashlib
from collections.abc import AsyncIterable
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

CHUNK = 1024 * 1024


class TooLarge(Exception):
    """More than `limit` bytes came."""

    def __init__(self, limit: int, size: int):
        super().__init__(f"larger than {limit} bytes")
        self.limit, self.size = limit, size


@dataclass(frozen=True)
class Spooled:
    """What came."""

    path: Path
    sha256: str
    size: int


async def spool(chunks: AsyncIterable[bytes], path: Path, limit: int) -> Spooled:
    """Write to `path`. Raises TooLarge as soon as that is known."""
    digest, size = hashlib.sha256(), 0
    with path.open("wb") as out:
        async for chunk in chunks:
            size += len(chunk)
            if size > limit:
                raise TooLarge(limit, size)
            digest.update(chunk)
            out.write(chunk)
    return Spooled(path, digest.hexdigest(), size)


async def receive(request: web.Request, path: Path, limit: int) -> Spooled:
    """The body of a request; 413 where it is too large."""
    try:
        return await spool(request.content.iter_chunked(CHUNK), path, limit)
    except TooLarge as error:
        raise web.HTTPRequestEntityTooLarge(max_size=limit, actual_size=error.size) from error
