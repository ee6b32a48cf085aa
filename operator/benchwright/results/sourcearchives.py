"""Source archives, kept under their hash: pushed by a user or fetched once from where a task says."""

from pathlib import Path

import aiohttp

from benchwright.api.task import ArchiveSource
from benchwright.results.objects import archive_key
from benchwright.results.spool import CHUNK, Spooled, TooLarge, spool
from benchwright.results.store import Store
from benchwright.tasks.errors import TaskError

MAX_ARCHIVE = 512 * 1024 * 1024
_SECONDS = 300


async def keep(store: Store, archive: Spooled, sha256: str, where: str) -> None:
    """Keep an archive under its hash; another file is refused."""
    if archive.sha256 != sha256:
        raise TaskError(
            "ArchiveDigestMismatch",
            where,
            f"the archive has sha256 {archive.sha256} where {sha256} was declared: it is another file. "
            "Check the address, and correct sha256 only if you know why it changed",
        )
    await store.objects.put(archive_key(sha256), archive.path)


async def obtain(store: Store, source: ArchiveSource, task: str, folder: Path) -> Path:
    """The archive as a file in `folder`, fetched if it is not kept yet. Raises TaskError."""
    path, key = folder / "archive", archive_key(source.sha256)
    if not await store.objects.exists(key):
        await keep(store, await _fetch(source, task, path), source.sha256, f"{task}: {source.url}")
        return path
    stored = await store.objects.read(key)
    with path.open("wb") as out:
        async for chunk in stored.chunks:
            out.write(chunk)
    return path


async def _fetch(source: ArchiveSource, task: str, path: Path) -> Spooled:
    if source.url is None:
        raise TaskError(
            "ArchiveMissing",
            task,
            f"no archive with sha256 {source.sha256} is in the results store: push it with "
            "`benchwright push FILE`, or set source.archive.url",
        )
    try:
        return await _download(source.url, path)
    except (aiohttp.ClientError, TimeoutError, ValueError, TooLarge) as error:
        message = f"{source.url}: {_words(error)}"
        raise TaskError("ArchiveFetchFailed", task, message) from error


async def _download(url: str, path: Path) -> Spooled:
    """The very bytes that the server has: one that calls a .tar.gz `Content-Encoding: gzip` would
    have it unpacked on the way, and another hash come out (as pip found out)."""
    timeout = aiohttp.ClientTimeout(total=_SECONDS)
    headers = {"Accept-Encoding": "identity"}
    async with (
        aiohttp.ClientSession(timeout=timeout, auto_decompress=False) as session,
        session.get(url, headers=headers) as answer,
    ):
        answer.raise_for_status()
        return await spool(answer.content.iter_chunked(CHUNK), path, MAX_ARCHIVE)


def _words(error: Exception) -> str:
    if isinstance(error, aiohttp.TooManyRedirects):
        return "it redirects without end"
    if isinstance(error, aiohttp.ClientResponseError) and error.status:
        return f"the server answered {error.status} {error.message}"
    if isinstance(error, TimeoutError):
        return f"no complete answer in {_SECONDS} s"
    if isinstance(error, aiohttp.InvalidURL):
        return "only http and https addresses can be fetched"
    return str(error) or type(error).__name__
