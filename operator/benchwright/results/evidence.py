"""All evidence of a trial as one .tar.gz, streamed."""

import gzip
import io
import tarfile
from typing import Any

from aiohttp import web
from sqlalchemy import Row

from benchwright.results.objects import evidence_key
from benchwright.results.store import Store

FACTS = "facts.json"
_BLOCK = tarfile.BLOCKSIZE


async def archive(request: web.Request, store: Store, trial_uid: str) -> web.StreamResponse:
    """Each stage's facts as <attempt>/<stage>/facts.json, files as <attempt>/<stage>/<name>."""
    facts, files = await store.all_facts(trial_uid), await store.files(trial_uid)
    if not facts and not files and await store.record(trial_uid) is None:
        raise web.HTTPNotFound(text="no evidence of such a trial")
    response = web.StreamResponse(headers={"Content-Type": "application/gzip"})
    await response.prepare(request)
    packer = _Packer()
    for row in facts:
        name = f"{row.attempt}/{row.stage}/{FACTS}"
        await response.write(packer.member(name, row.document.encode()))
    lost = [f for f in files if not await _copy(response, packer, store, f)]
    if lost:
        text = "".join(f"{_name(f)} {f.size} bytes sha256 {f.sha256}\n" for f in lost)
        await response.write(packer.member("lost.txt", text.encode()))
    await response.write(packer.finish())
    await response.write_eof()
    return response


async def _copy(response: web.StreamResponse, packer: "_Packer", store: Store, f: Row[Any]) -> bool:
    """Whether the file was there. Its size is what is stored, whatever the row says."""
    key = evidence_key(f.trial_uid, f.attempt, f.stage, f.name)
    try:
        stored = await store.objects.read(key)
    except FileNotFoundError:
        return False
    await response.write(packer.header(_name(f), stored.size))
    async for chunk in stored.chunks:
        await response.write(packer.body(chunk))
    await response.write(packer.end(stored.size))
    return True


def _name(f: Row[Any]) -> str:
    return f"{f.attempt}/{f.stage}/{f.name}"


class _Packer:
    """tar inside gzip, piece by piece, so that a large trial is never in memory."""

    def __init__(self) -> None:
        self._buffer = io.BytesIO()
        self._gzip = gzip.GzipFile(fileobj=self._buffer, mode="wb", mtime=0, compresslevel=3)

    def member(self, name: str, data: bytes) -> bytes:
        """A small file, whole."""
        return self.header(name, len(data)) + self.body(data) + self.end(len(data))

    def header(self, name: str, size: int) -> bytes:
        info = tarfile.TarInfo(name)
        info.size, info.mode = size, 0o644
        return self.body(info.tobuf(tarfile.PAX_FORMAT))

    def body(self, data: bytes) -> bytes:
        self._gzip.write(data)
        return self._take()

    def end(self, size: int) -> bytes:
        return self.body(b"\0" * (-size % _BLOCK))

    def finish(self) -> bytes:
        self._gzip.write(b"\0" * (2 * _BLOCK))
        self._gzip.close()
        return self._take()

    def _take(self) -> bytes:
        data = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        return data
