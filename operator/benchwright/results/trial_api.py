"""The port that trial pods reach: task parts to fetch, evidence and facts to store.

Every path names the trial, attempt and stage, and the token must be of exactly these: the harness
of one pod can neither read nor write anything of another.
"""

import re
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from aiohttp import web
from pydantic import ValidationError

from benchwright.api.base import DNS_LABEL
from benchwright.api.facts import StageFacts
from benchwright.changes.codec import DocumentError
from benchwright.changes.model import Changes
from benchwright.results.auth import CLOCK, claims
from benchwright.results.evidence import FACTS
from benchwright.results.metrics import METRICS
from benchwright.results.objects import evidence_key, task_key
from benchwright.results.spool import receive
from benchwright.results.store import AlreadyStored, Store
from benchwright_proxy.token import Claims

STORE = web.AppKey("store", Store)
NEWS: web.AppKey[Callable[[], None]] = web.AppKey("news")

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_STAGE = re.compile(DNS_LABEL)
_NAME = re.compile(r"[a-z0-9][a-zA-Z0-9._-]{0,63}(/[a-zA-Z0-9][a-zA-Z0-9._-]{0,63})?")
MAX_FILE = 512 * 1024 * 1024
"""Above what a snapshot may hold (256 MiB), with room for the archive's own headers."""
MAX_FACTS = 64 * 1024 * 1024
_EVALUATE = "evaluate"

routes = web.RouteTableDef()


@routes.get("/v1/tasks/{digest}/{part}")
async def get_part(request: web.Request) -> web.StreamResponse:
    """repository and visible for every stage of the task's trials; hidden for evaluators alone."""
    who = claims(request, ["harness"])
    part = request.match_info["part"]
    if part not in {"repository", "visible", "hidden"}:
        raise web.HTTPNotFound(text=f"no part {part}")
    if part == "hidden" and who.stage != _EVALUATE:
        raise web.HTTPForbidden(text="hidden files are for the evaluator")
    digest = _checked(_DIGEST, "digest", request.match_info["digest"])
    if digest != who.task:
        raise web.HTTPForbidden(text="a harness gets the parts of its own trial's task")
    return await _send(request, task_key(digest, part))


@routes.get("/v1/attempts/{uid}/{attempt}/{stage}/files/{name:.+}")
async def get_file(request: web.Request) -> web.StreamResponse:
    """Files of earlier stages of the same attempt, for the evaluator."""
    who = claims(request, ["harness"])
    info = request.match_info
    if who.stage != _EVALUATE or (who.trial_uid, str(who.attempt)) != (
        info["uid"],
        info["attempt"],
    ):
        raise web.HTTPForbidden(text="only the evaluator reads what its own attempt's stages left")
    stage = _checked(_STAGE, "stage", info["stage"])
    name = _checked(_NAME, "file name", info["name"])
    return await _send(request, evidence_key(who.trial_uid, who.attempt, stage, name))


@routes.put("/v1/attempts/{uid}/{attempt}/{stage}/files/{name:.+}")
async def put_file(request: web.Request) -> web.Response:
    """Store one file of evidence; its hash is checked. With the stage's facts it is final."""
    who = _own_stage(request)
    name = _checked(_NAME, "file name", request.match_info["name"])
    if name == FACTS:
        raise web.HTTPBadRequest(text=f"{FACTS} is the name of the facts in the evidence")
    store, place = request.app[STORE], (who.trial_uid, who.attempt, who.stage)
    with tempfile.NamedTemporaryFile(prefix="bw-upload-") as file:
        came = await receive(request, Path(file.name), MAX_FILE)
        if came.sha256 != request.headers.get("X-Content-SHA256", ""):
            text = f"{name}: sha256 is {came.sha256}, not what the header X-Content-SHA256 says"
            raise web.HTTPBadRequest(text=text)
        if await store.has_facts(*place):
            if came.sha256 != await store.file_sha256(*place, name):
                text = f"{name}: stage {who.stage} has its facts: its files cannot change any more"
                raise web.HTTPConflict(text=text)
        else:
            await store.objects.put(evidence_key(*place, name), came.path)
            await store.put_file(*place, name, came.sha256, came.size)
            request.app[METRICS].evidence.inc(came.size)
    return web.json_response({"sha256": came.sha256, "size": came.size})


@routes.put("/v1/attempts/{uid}/{attempt}/{stage}/facts")
async def put_facts(request: web.Request) -> web.Response:
    """Store the stage's facts, once: the sign that the stage is complete."""
    who = _own_stage(request)
    raw = await _body(request, MAX_FACTS)
    try:
        facts = _readable(raw)
    except (ValidationError, DocumentError) as error:
        raise web.HTTPUnprocessableEntity(text=f"facts refused: {error}") from error
    now = datetime.fromtimestamp(request.app[CLOCK](), UTC)
    document = facts.model_dump_json(by_alias=True, exclude_none=True)
    try:
        new = await request.app[STORE].put_facts(
            who.trial_uid,
            who.attempt,
            who.stage,
            document,
            namespace=who.namespace,
            trial=who.trial,
            now=now,
        )
    except AlreadyStored as error:
        raise web.HTTPConflict(text=str(error)) from error
    if new:
        request.app[METRICS].stored(who.stage, facts)
    request.app[NEWS]()
    return web.json_response({})


def _readable(raw: bytes) -> StageFacts:
    """Facts that can be read again whenever they are needed, the document of changes in them too."""
    facts = StageFacts.model_validate_json(raw)
    if facts.changes is not None:
        Changes.from_json(facts.changes.encode())
    return facts


def _own_stage(request: web.Request) -> Claims:
    who, info = claims(request, ["harness"]), request.match_info
    if (who.trial_uid, str(who.attempt), who.stage) != (
        info["uid"],
        info["attempt"],
        info["stage"],
    ):
        raise web.HTTPForbidden(text="this token is for another trial, attempt or stage")
    return who


def _checked(pattern: re.Pattern[str], what: str, text: str) -> str:
    """Parts of a path: percent-encoded slashes and dots are decoded by now."""
    if not pattern.fullmatch(text):
        raise web.HTTPBadRequest(text=f"{what} {text[:200]!r} is not allowed")
    return text


async def _body(request: web.Request, limit: int) -> bytes:
    data = bytearray()
    async for chunk in request.content.iter_chunked(1024 * 1024):
        data += chunk
        if len(data) > limit:
            raise web.HTTPRequestEntityTooLarge(max_size=limit, actual_size=len(data))
    return bytes(data)


async def _send(request: web.Request, key: str) -> web.StreamResponse:
    try:
        stored = await request.app[STORE].objects.read(key)
    except FileNotFoundError as error:
        raise web.HTTPNotFound(text="not stored") from error
    response = web.StreamResponse(headers={"Content-Type": "application/octet-stream"})
    response.content_length = stored.size
    await response.prepare(request)
    async for chunk in stored.chunks:
        await response.write(chunk)
    await response.write_eof()
    return response
