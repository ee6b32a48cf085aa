"""Pages to read: runs, a run, a task, an agent, a trial."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from aiohttp import web
from markupsafe import Markup

from benchwright.reports.words import one_line
from benchwright.web import query as queries
from benchwright.web.backend import BACKEND, COLOURER, OVERVIEWS, evidence, lists
from benchwright.web.cells import by_digest, grid
from benchwright.web.lists import DESCENDING_FIRST, PAGE, SORTS, Query, Scope, Tally, TrialRow
from benchwright.web.ports import Record
from benchwright.web.render import fragment, page, root
from benchwright.web.reviewing import review_values
from benchwright.web.trialview import trial_page

routes = web.RouteTableDef()
COLUMNS = {
    "trial": "Trial", "agent": "Agent", "task": "Task", "outcome": "Outcome", "reason": "Reason",
    "started_at": "Started (UTC)", "seconds": "Seconds", "tokens": "Tokens", "cost_usd": "Cost",
    "gained_lines": "Lines gained",
}  # fmt: skip
assert set(COLUMNS) == set(SORTS)
_SUGGESTIONS, _KEPT_OVERVIEWS = 200, 32


@routes.get("/")
async def runs(request: web.Request) -> web.Response:
    """Runs, the newest first."""
    text = request.query.get("q", "").strip()[: queries.LONGEST]
    every = await lists(request).runs()
    found = [r for r in every if text.lower() in f"{r.namespace}/{r.run}".lower()]
    number, pages = _page_number(request, len(found))
    return page(
        request,
        "runs.html.j2",
        runs=found[(number - 1) * PAGE : number * PAGE],
        found=len(found),
        all=len(every),
        text=text,
        number=number,
        pages=pages,
        change=await lists(request).change(None),
    )


@routes.get("/changes.json")
@routes.get("/run/{uid}/changes.json")
async def changes(request: web.Request) -> web.Response:
    """The last record that came: what pages ask for while they are open."""
    found = await lists(request).change(request.match_info.get("uid"))
    return web.json_response(asdict(found))


@routes.get("/run/{uid}")
async def run(request: web.Request) -> web.Response:
    """Agents by tasks, and the list of trials."""
    uid = request.match_info["uid"]
    change = await lists(request).change(uid)
    found = await lists(request).run(uid)
    if found is None:
        raise web.HTTPNotFound(
            text=f"No trial of a run with UID {one_line(uid, 80)} has an outcome."
        )
    scope = Scope("run", uid)
    tallies = await lists(request).tallies(scope)
    values = await _list_values(request, scope) | _names(tallies)
    summary = await request.app[BACKEND].reports.summary(found)
    return page(
        request,
        "run.html.j2",
        run=found,
        summary=Markup(summary.html),  # noqa: S704 - the report's own template escaped it
        problem=summary.problem,
        pending=summary.pending,
        overview=_overview(request, (uid, change.revision), tallies),
        change=change,
        **values,
    )


def _overview(request: web.Request, version: tuple[str, int], tallies: Sequence[Tally]) -> Markup:
    """Agents by tasks; made once for a state of the run, since sorting a list changes nothing in it."""
    asked = request.query.get("grid", "1")
    number = int(asked) if asked.isdecimal() and len(asked) < 6 else 1
    kept, key = request.app[OVERVIEWS], (*version, number)
    if key not in kept:
        while len(kept) >= _KEPT_OVERVIEWS:
            kept.pop(next(iter(kept)))
        table = grid(tallies, number)
        kept[key] = fragment("overview.html.j2", grid=table, root=root(request))
    return kept[key]


@routes.get("/task/{name}")
async def task(request: web.Request) -> web.Response:
    """All trials of a task over runs, by its digest."""
    return await _thing(request, Scope("task", request.match_info["name"]))


@routes.get("/agent/{name}")
async def agent(request: web.Request) -> web.Response:
    """All trials of an agent over runs, by its digest."""
    return await _thing(request, Scope("agent", request.match_info["name"]))


async def _thing(request: web.Request, scope: Scope) -> web.Response:
    tallies = await lists(request).tallies(scope)
    if not tallies:
        raise web.HTTPNotFound(
            text=f"No trial of {scope.kind} {one_line(scope.value, 80)} has an outcome."
        )
    values = await _list_values(request, scope) | _names(tallies)
    groups = by_digest(tallies, of=scope.kind)
    other = "agent" if scope.kind == "task" else "task"
    return page(request, "thing.html.j2", groups=groups, other=other, **values)


@routes.get("/trial/{uid}")
async def trial(request: web.Request) -> web.Response:
    """One trial with all that is stored of it."""
    record = await known_record(request)
    shown = await trial_page(evidence(request), request.app[COLOURER], record)
    values = await review_values(request, str(record["trial_uid"]))
    return page(request, "trial.html.j2", t=shown, r=shown.record, **values)


async def known_record(request: web.Request) -> Record:
    """The record of the trial in the address; 404 in words."""
    uid = request.match_info["uid"]
    record = await evidence(request).record(uid)
    if record is None:
        raise web.HTTPNotFound(text=f"There is no outcome of a trial with UID {one_line(uid, 80)}.")
    return record


async def _list_values(request: web.Request, scope: Scope) -> dict[str, Any]:
    """What the list of trials needs."""
    try:
        query = queries.parse(request.query)
    except queries.QueryError as error:
        raise web.HTTPBadRequest(text=f"{error}.") from error
    found = await request.app[BACKEND].lists.page(scope, query)
    return {
        "scope": scope,
        "query": query,
        "page": found,
        "columns": [_column(query, name) for name in COLUMNS],
        "outcomes": queries.OUTCOMES,
        "first": queries.address(_from_start(query)),
        "before": _place(query, found.rows, backwards=True) if found.more_before else None,
        "after": _place(query, found.rows, backwards=False) if found.more_after else None,
    }


def _names(tallies: Sequence[Tally]) -> dict[str, list[str]]:
    """What may be narrowed to, as suggestions."""
    return {
        "agents": sorted({t.agent for t in tallies if t.agent})[:_SUGGESTIONS],
        "tasks": sorted({t.task for t in tallies})[:_SUGGESTIONS],
    }


def _column(query: Query, name: str) -> dict[str, str]:
    """A heading that sorts: `sorted` is aria-sort's word."""
    order = "descending" if query.descending else "ascending"
    return {
        "name": name,
        "label": COLUMNS[name],
        "href": queries.address(queries.sorted_by(query, name)),
        "sorted": order if query.sort == name else "",
        "numeric": "n" if name in DESCENDING_FIRST and name != "started_at" else "",
    }


def _from_start(query: Query) -> Query:
    return Query(query.filter, query.sort, query.descending)


def _place(query: Query, rows: Sequence[TrialRow], *, backwards: bool) -> str:
    if not rows:
        return queries.address(_from_start(query))
    edge = rows[0] if backwards else rows[-1]
    return queries.address(queries.place(query, edge, backwards=backwards))


def _page_number(request: web.Request, found: int) -> tuple[int, int]:
    """Number of the page that is asked for, and how many there are."""
    pages = max(1, -(-found // PAGE))
    asked = request.query.get("page", "1")
    number = int(asked) if asked.isdecimal() and len(asked) < 9 else 1
    return min(max(1, number), pages), pages
