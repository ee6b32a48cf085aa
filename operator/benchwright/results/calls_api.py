"""Model calls of a trial: JSON lines that the operator brings from the proxy, once an attempt."""

import tempfile
from pathlib import Path

from aiohttp import web

from benchwright.results.auth import claims
from benchwright.results.internal_api import STORE
from benchwright.results.metrics import METRICS
from benchwright.results.objects import evidence_key
from benchwright.results.spool import receive
from benchwright.results.store import Store

STAGE, NAME = "proxy", "calls.jsonl"
"""Where they are among the evidence: no stage of a task has this name."""
MAX_CALLS = 1024**3

routes = web.RouteTableDef()


@routes.put(r"/v1/attempts/{uid}/{attempt:\d{1,9}}/calls")
async def put_calls(request: web.Request) -> web.Response:
    """Keep the calls of an attempt. The first that came whole stay: when they come again, after a
    crash of the operator, the proxy may have let go of their bodies."""
    claims(request, ("operator", "admin"))
    store = request.app[STORE]
    place = request.match_info["uid"], int(request.match_info["attempt"]), STAGE
    with tempfile.NamedTemporaryFile(prefix="bw-calls-") as file:
        came = await receive(request, Path(file.name), MAX_CALLS)
        if await store.file_sha256(*place, NAME) is None:
            await store.objects.put(evidence_key(*place, NAME), came.path)
            await store.put_file(*place, NAME, came.sha256, came.size)
            request.app[METRICS].evidence.inc(came.size)
    return web.json_response({"size": came.size})


@routes.get("/trials/{uid}/calls.jsonl")
async def get_calls(request: web.Request) -> web.StreamResponse:
    """Calls of all attempts, the first attempt first."""
    store, uid = request.app[STORE], request.match_info["uid"]
    files = [f for f in await store.files(uid) if (f.stage, f.name) == (STAGE, NAME)]
    if not files and await store.record(uid) is None:
        raise web.HTTPNotFound(text="no such trial, or it has no outcome yet")
    response = web.StreamResponse(headers={"Content-Type": "application/jsonl; charset=utf-8"})
    await response.prepare(request)
    for file in sorted(files, key=lambda f: f.attempt):
        await _copy(response, store, uid, file.attempt)
    await response.write_eof()
    return response


async def _copy(response: web.StreamResponse, store: Store, uid: str, attempt: int) -> None:
    stored = await store.objects.read(evidence_key(uid, attempt, STAGE, NAME))
    async for chunk in stored.chunks:
        await response.write(chunk)
