"""All evidence of a trial as one .tar.gz, streamed."""

import gzip
import io
import tarfile
from collections.abc import AsyncIterator

from aiohttp import web

from benchwright.results.objects import evidence_key
from benchwright.results.store import Store

_BLOCK = tarfile.BLOCKSIZE


async def archive(request: web.Request, store: Store, trial_uid: str) -> web.StreamResponse:
    """Files as <attempt>/<stage>/<name>, and each stage's facts.json."""
    files = await store.files(trial_uid)
    attempts = {f.attempt for f in files}
    record = await store.record(trial_uid)
    if not files and record is None:
        raise web.HTTPNotFound(text="no evidence of such a trial")
    response = web.StreamResponse(headers={"Content-Type": "application/gzip"})
    await response.prepare(request)
    packer = _Packer()
    for attempt in sorted(attempts):
        for stage, text in (await store.facts(trial_uid, attempt)).items():
            await response.write(packer.header(f"{attempt}/{stage}/facts.json", len(text.encode())))
            await response.write(packer.body(text.encode()) + packer.end(len(text.encode())))
    for f in files:
        await response.write(packer.header(f"{f.attempt}/{f.stage}/{f.name}", f.size))
        async for chunk in _chunks(store, trial_uid, f.attempt, f.stage, f.name):
            await response.write(packer.body(chunk))
        await response.write(packer.end(f.size))
    await response.write(packer.finish())
    await response.write_eof()
    return response


def _chunks(store: Store, uid: str, attempt: int, stage: str, name: str) -> AsyncIterator[bytes]:
    return store.objects.stream(evidence_key(uid, attempt, stage, name))


class _Packer:
    """tar inside gzip, piece by piece, so that a large trial is never in memory."""

    def __init__(self) -> None:
        self._buffer = io.BytesIO()
        self._gzip = gzip.GzipFile(fileobj=self._buffer, mode="wb", mtime=0, compresslevel=3)

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
