"""Files of the results store through obstore: a folder by default, a bucket to grow."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import obstore
from obstore.store import LocalStore, from_url


@dataclass(frozen=True)
class Stored:
    """An object that is being read."""

    size: int
    chunks: AsyncIterator[bytes]


async def _pieces(result: Any) -> AsyncIterator[bytes]:
    async for chunk in result.stream(min_chunk_size=256 * 1024):
        yield bytes(chunk)


class ObjectStore:
    """Bytes by key. Keys are ours, never an agent's."""

    def __init__(self, store: Any):
        self._store = store

    @classmethod
    def open(cls, url: str) -> "ObjectStore":
        """`/folder` or s3://, gs://, az:// with the usual environment variables."""
        if "://" in url:
            return cls(from_url(url))
        Path(url).mkdir(parents=True, exist_ok=True)
        return cls(LocalStore(url))

    async def put(self, key: str, data: bytes | Path) -> None:
        await obstore.put_async(self._store, key, data)

    async def read(self, key: str) -> Stored:
        """Size and content, in pieces. Raises FileNotFoundError."""
        result = await obstore.get_async(self._store, key)
        return Stored(int(result.meta["size"]), _pieces(result))

    async def part(self, key: str, start: int, length: int) -> bytes:
        """Some bytes, fewer at the end. Raises FileNotFoundError."""
        size = int((await obstore.head_async(self._store, key))["size"])
        start, end = min(start, size), min(start + length, size)
        if start == end:
            return b""
        return bytes(await obstore.get_range_async(self._store, key, start=start, end=end))

    async def exists(self, key: str) -> bool:
        try:
            await obstore.head_async(self._store, key)
        except FileNotFoundError:
            return False
        return True


def task_key(digest: str, part: str) -> str:
    return f"tasks/{digest.removeprefix('sha256:')}/{part}"


def archive_key(sha256: str) -> str:
    return f"archives/{sha256}"


def evidence_key(trial_uid: str, attempt: int, stage: str, name: str) -> str:
    return f"evidence/{trial_uid}/{attempt}/{stage}/{name}"
