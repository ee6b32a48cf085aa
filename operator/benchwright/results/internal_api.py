"""The port that the operator and users reach (users through the API server's service proxy).

Reading needs no token here: who may reach the service through the API server may read it. Writing
needs a token of role operator or admin.
"""

import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aiohttp import web

from benchwright.api.facts import StageFacts
from benchwright.changes.model import Changes
from benchwright.results.auth import CLOCK, claims
from benchwright.results.evidence import archive
from benchwright.results.grading import FactsIncomplete, grade_attempt
from benchwright.results.jsonbody import Json, TasksBody, TaskSetBody, VerdictBody, read
from benchwright.results.metrics import METRICS
from benchwright.results.news import News
from benchwright.results.sourcearchives import MAX_ARCHIVE, keep
from benchwright.results.spool import receive
from benchwright.results.store import Store
from benchwright.results.tasksets import parse_source, resolve
from benchwright.tasks.errors import TaskError

STORE = web.AppKey("store", Store)
NEWS = web.AppKey("news", News)
_WRITERS = ("operator", "admin")
_LONGEST_POLL = 30.0

routes = web.RouteTableDef()


@routes.get("/healthz")
@routes.get("/readyz")
async def health(request: web.Request) -> web.Response:
    """Ready where the database answers."""
    await request.app[STORE].facts_after(0, limit=1)
    return web.json_response({"ok": True})


@routes.put("/v1/archives/{sha256}")
async def put_source_archive(request: web.Request) -> web.Response:
    """Keep a source archive (`benchwright push`)."""
    claims(request, _WRITERS)
    with tempfile.NamedTemporaryFile(prefix="bw-archive-") as file:
        archive = await receive(request, Path(file.name), MAX_ARCHIVE)
        try:
            await keep(request.app[STORE], archive, request.match_info["sha256"], "archive")
        except TaskError as error:
            raise web.HTTPBadRequest(text=str(error)) from error
    return web.json_response({})


@routes.post("/v1/tasksets")
async def post_taskset(request: web.Request) -> web.Response:
    """Resolve a source: {"source": …, "packed": base64|null} → digest and tasks, or a problem."""
    claims(request, _WRITERS)
    body = await read(request, TaskSetBody)
    try:
        corpus = await resolve(request.app[STORE], parse_source(body.source), body.packed)
    except TaskError as error:
        problem = {"reason": error.reason, "message": str(error)}
        request.app[METRICS].tasksets.labels(error.reason).inc()
        return web.json_response({"problem": problem}, status=422)
    request.app[METRICS].tasksets.labels("resolved").inc()
    return web.json_response({"digest": corpus.digest, "tasks": [t.dump() for t in corpus.tasks]})


@routes.get("/v1/corpora/{digest}")
async def get_corpus(request: web.Request) -> web.Response:
    """Tasks of a corpus."""
    tasks = await request.app[STORE].corpus(request.match_info["digest"])
    if tasks is None:
        raise web.HTTPNotFound(text="unknown corpus")
    return web.json_response({"tasks": [t.dump() for t in tasks]})


@routes.post("/v1/baselines")
async def count_baselines(request: web.Request) -> web.Response:
    """{"tasks": [digest…]} → number of good measurements by digest."""
    store = request.app[STORE]
    body = await read(request, TasksBody)
    counts = {d: len(await store.good_baselines(d)) for d in body.tasks}
    return web.json_response(counts)


@routes.get("/v1/news")
async def get_news(request: web.Request) -> web.Response:
    """Stages that got facts after `after`; waits up to `wait` seconds for the first."""
    store, news = request.app[STORE], request.app[NEWS]
    after = int(request.query.get("after", "0"))
    wait = min(_LONGEST_POLL, float(request.query.get("wait", "0")))
    version = news.version
    found = await store.facts_after(after)
    if not found and wait:
        await news.wait(version, wait)
        found = await store.facts_after(after)
    items = [{"seq": n.seq, "namespace": n.namespace, "trial": n.trial} for n in found]
    return web.json_response({"items": items, "boot": news.boot})


@routes.get(r"/v1/attempts/{uid}/{attempt:\d{1,9}}/facts")
async def get_facts(request: web.Request) -> web.Response:
    """Facts by stage, without the long lists (line sets, test cases and paths stay here)."""
    documents = await request.app[STORE].facts(
        request.match_info["uid"], int(request.match_info["attempt"])
    )
    return web.json_response({stage: _brief(text) for stage, text in documents.items()})


def _brief(text: str) -> Any:
    facts = StageFacts.model_validate_json(text)
    left_out = {"coverage": None, "tests": None, "changes": _numbers(facts.changes)}
    return facts.model_copy(update=left_out).dump()


def _numbers(changes: str | None) -> str | None:
    """Of a modification: whether there is anything to evaluate is told from them."""
    if changes is None:
        return None
    found = Changes.from_json(changes.encode())
    return replace(found, changed=(), changed_complete=not found.changed).to_json().decode()


@routes.post(r"/v1/attempts/{uid}/{attempt:\d{1,9}}/verdict")
async def post_verdict(request: web.Request) -> web.Response:
    """Grade an attempt: {"task": snapshot, "purpose": …} → verdict."""
    claims(request, _WRITERS)
    body = await read(request, VerdictBody)
    uid, attempt = request.match_info["uid"], int(request.match_info["attempt"])
    gradings = request.app[METRICS].gradings
    purpose = "baseline" if body.purpose == "baseline" else "measurement"
    try:
        document = await grade_attempt(
            request.app[STORE], uid, attempt, body.task.spec, body.task.digest, purpose
        )
    except FactsIncomplete as error:
        gradings.labels(purpose, "incomplete").inc()
        raise web.HTTPConflict(text=str(error)) from error
    gradings.labels(purpose, document["outcome"]).inc()
    return web.json_response(document)


@routes.put("/v1/records/{uid}")
async def put_record(request: web.Request) -> web.Response:
    """The trial's row of results.json."""
    claims(request, _WRITERS)
    record = await read(request, Json)
    now = datetime.fromtimestamp(request.app[CLOCK](), UTC)
    await request.app[STORE].put_record({**record, "trial_uid": request.match_info["uid"]}, now)
    return web.json_response({})


@routes.put("/v1/plans/{uid}")
async def put_plan(request: web.Request) -> web.Response:
    """What a run set out to observe."""
    claims(request, _WRITERS)
    plan = await read(request, Json)
    await request.app[STORE].put_plan({**plan, "run_uid": request.match_info["uid"]})
    return web.json_response({})


@routes.get("/trials/{uid}/evidence.tar.gz")
async def get_evidence(request: web.Request) -> web.StreamResponse:
    """All evidence of a trial."""
    return await archive(request, request.app[STORE], request.match_info["uid"])
