"""Results of runs, to read: results.json, results.csv, report.html, plan.json."""

import json
from collections.abc import AsyncIterator, Callable, Sequence

from aiohttp import web

from benchwright.reports.table import csv_rows, to_csv
from benchwright.results.internal_api import STORE
from benchwright.results.reporting import ReportError, Reports
from benchwright.results.runs import Asked, documents, plans_of, state

REPORTS = web.AppKey("reports", Reports)
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-cache",
}
routes = web.RouteTableDef()


@routes.get("/runs/{namespace}/{run}/plan.json")
async def get_plan(request: web.Request) -> web.Response:
    """The plans of all runs of that name, or of the one that `uid` says."""
    return web.json_response(await plans_of(request.app[STORE].engine, _asked(request)))


@routes.get("/runs/{namespace}/{run}/results.json")
async def get_results(request: web.Request) -> web.StreamResponse:
    """All trials, one on each line."""
    return await _stream(request, "application/json", _json)


@routes.get("/runs/{namespace}/{run}/results.csv")
async def get_table(request: web.Request) -> web.StreamResponse:
    """The same, one row a trial."""
    return await _stream(request, "text/csv", _csv)


async def _stream(
    request: web.Request,
    kind: str,
    write: Callable[[AsyncIterator[Sequence[str]]], AsyncIterator[str]],
) -> web.StreamResponse:
    asked = await _known(request)
    response = web.StreamResponse()
    response.content_type, response.charset = kind, "utf-8"
    await response.prepare(request)
    async for text in write(documents(request.app[STORE].engine, asked)):
        await response.write(text.encode())
    await response.write_eof()
    return response


async def _json(found: AsyncIterator[Sequence[str]]) -> AsyncIterator[str]:
    before = "[\n"
    async for some in found:
        yield before + ",\n".join(some)
        before = ",\n"
    yield "\n]\n"


async def _csv(found: AsyncIterator[Sequence[str]]) -> AsyncIterator[str]:
    yield to_csv([])
    async for some in found:
        yield csv_rows([json.loads(document) for document in some])


@routes.get("/runs/{namespace}/{run}/report.html")
async def get_report(request: web.Request) -> web.Response:
    """The report as the run is now."""
    asked = await _known(request)
    try:
        made = await request.app[REPORTS].get(asked)
    except ReportError as error:
        raise web.HTTPServiceUnavailable(text=str(error)) from error
    return web.Response(text=made["page"], content_type="text/html", headers=_HEADERS)


@routes.get("/runs/{namespace}/{run}/{file}")
async def no_such_file(request: web.Request) -> web.Response:
    raise web.HTTPNotFound(
        text="results.json, results.csv, report.html and plan.json are what there is"
    )


def _asked(request: web.Request) -> Asked:
    info = request.match_info
    return Asked(info["namespace"], info["run"], request.query.get("uid") or None)


async def _known(request: web.Request) -> Asked:
    """404 in words where no trial of it has an outcome."""
    asked = _asked(request)
    if not (await state(request.app[STORE].engine, asked)).measured:
        raise web.HTTPNotFound(text=f"no results of run {asked.run} in namespace {asked.namespace}")
    return asked
