"""Searching and sorting records. Every list is answered from an index alone (see database)."""

import asyncio
from collections.abc import Hashable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Row, Select, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from benchwright.results.database import records, reviews
from benchwright.results.order import stretches
from benchwright.web.lists import (
    PAGE,
    Change,
    Filter,
    Page,
    Query,
    RunRow,
    Scope,
    Tally,
    TrialRow,
)

T = TypeVar("T")
_t = records.c
_SCOPES = {"run": _t.run_uid, "task": _t.task, "agent": _t.agent}
_MEASUREMENT = "measurement"
_KEPT = 64
"""Answers that are kept until a record comes."""
_ROW = (
    "trial_uid", "run_uid", "namespace", "run", "trial", "agent", "agent_digest", "task",
    "task_digest", "outcome", "reason", "started_at", "seconds", "tokens", "cost_usd", "gained_lines",
)  # fmt: skip


class Listing:
    """Lists of runs and trials. Counts are kept in memory until a record comes."""

    def __init__(self, engine: AsyncEngine):
        self._engine = engine
        self._kept: dict[Hashable, tuple[int, Any]] = {}

    async def runs(self) -> Sequence[RunRow]:
        """The run with the newest start first; those without any start at the end."""
        revision = (await self.change(None)).revision
        found: Sequence[RunRow] | None = self._known("runs", revision)
        if found is None:
            found = self._keep("runs", revision, await self._runs())
        return found

    async def run(self, run_uid: str) -> RunRow | None:
        rows = await self._all(_run_query().where(_t.run_uid == run_uid))
        return next(iter(await self._named(_by_run(rows))), None)

    async def tallies(self, scope: Scope) -> Sequence[Tally]:
        """Of all cells and outcomes of the scope."""
        revision = (await self.change(scope.value if scope.kind == "run" else None)).revision
        found: Sequence[Tally] | None = self._known(scope, revision)
        if found is None:
            found = self._keep(
                scope, revision, [_tally(r) for r in await self._all(tallying(scope))]
            )
        return found

    async def page(self, scope: Scope, query: Query) -> Page:
        """One page, and how many trials there are on all."""
        total, (uids, more) = await asyncio.gather(
            self._total(scope, query.filter), self._uids(scope, query)
        )
        backwards = query.cursor is not None and query.cursor.backwards
        if backwards:
            uids = uids[::-1]
        rows = await self._rows(uids)
        came_from = query.cursor is not None
        return Page(rows, total, *((more, came_from) if backwards else (came_from, more)))

    async def change(self, run_uid: str | None) -> Change:
        """The last record of a run, or of all; (0, None) where there is none."""
        query = select(_t.revision, _t.stored_at).where(_t.revision.is_not(None))
        if run_uid is not None:
            query = query.where(_t.run_uid == run_uid)
        rows = await self._all(query.order_by(_t.revision.desc()).limit(1))
        # SQLite gives times without their zone, which is UTC.
        return next((Change(int(r.revision), _seconds(r.stored_at)) for r in rows), Change(0, None))

    async def _runs(self) -> Sequence[RunRow]:
        found = await self._named(_by_run(await self._all(_run_query())))
        return sorted(found, key=lambda r: (r.first is not None, r.first or 0.0), reverse=True)

    async def _named(self, runs: dict[str, RunRow]) -> list[RunRow]:
        """With their names, each from one of its records."""
        uids = list(runs)
        named: list[Row[Any]] = []
        for start in range(0, len(uids), PAGE):
            some = uids[start : start + PAGE]
            query = select(_t.run_uid, func.min(_t.trial_uid).label("uid"))
            query = query.where(_t.run_uid.in_(some), _t.purpose == _MEASUREMENT)
            one = [r.uid for r in await self._all(query.group_by(_t.run_uid))]
            names = select(_t.run_uid, _t.namespace, _t.run).where(_t.trial_uid.in_(one))
            named += await self._all(names)
        return [
            RunRow(r.run_uid, r.namespace, r.run, found.first, found.last, found.outcomes)
            for r in named
            if (found := runs[r.run_uid])
        ]

    async def _total(self, scope: Scope, narrowed: Filter) -> int:
        revision = (await self.change(scope.value if scope.kind == "run" else None)).revision
        key = (scope, narrowed)
        found: int | None = None if narrowed.review else self._known(key, revision)
        if found is None:
            rows = await self._all(counting(scope, narrowed))
            found = self._keep(key, revision, int(rows[0][0]))
        return found

    async def _uids(self, scope: Scope, query: Query) -> tuple[list[str], bool]:
        """Of one page, in the order of reading; whether there are more behind it."""
        found: list[str] = []
        for statement in selecting(scope, query):
            rows = await self._all(statement.limit(PAGE + 1 - len(found)))
            found += [row.trial_uid for row in rows]
            if len(found) > PAGE:
                break
        return found[:PAGE], len(found) > PAGE

    async def _rows(self, uids: Sequence[str]) -> list[TrialRow]:
        query = select(*(_t[name] for name in _ROW)).where(_t.trial_uid.in_(uids))
        latest = select(reviews.c.trial_uid, reviews.c.verdict).where(reviews.c.trial_uid.in_(uids))
        verdicts = {r.trial_uid: r.verdict for r in await self._all(latest.order_by(reviews.c.seq))}
        rows = {
            r.trial_uid: TrialRow(**_plain(r), review=verdicts.get(r.trial_uid))
            for r in await self._all(query)
        }
        return [rows[uid] for uid in uids if uid in rows]

    def _known(self, key: Hashable, revision: int) -> Any:
        was, found = self._kept.get(key, (None, None))
        return found if was == revision else None

    def _keep(self, key: Hashable, revision: int, found: T) -> T:
        self._kept.pop(key, None)
        while len(self._kept) >= _KEPT:
            self._kept.pop(next(iter(self._kept)))
        self._kept[key] = (revision, found)
        return found

    async def _all(self, query: Any) -> Sequence[Row[Any]]:
        async with self._engine.connect() as connection:
            return (await connection.execute(query)).fetchall()


def selecting(scope: Scope, query: Query) -> list[Select[Any]]:
    """Statements whose rows, one after the other, are the page's UIDs."""
    parts = stretches(records, query.sort, descending=query.descending, cursor=query.cursor)
    wanted = _wanted(scope, query.filter)
    return [select(_t.trial_uid).where(*wanted, p.where).order_by(*p.order) for p in parts]


def counting(scope: Scope, narrowed: Filter) -> Select[Any]:
    """How many trials there are."""
    return select(func.count()).select_from(records).where(*_wanted(scope, narrowed))


def tallying(scope: Scope) -> Select[Any]:
    """Trials by cell and outcome."""
    cell = (_t.agent, _t.task, _t.agent_digest, _t.task_digest, _t.outcome)
    query = select(*cell, func.count().label("trials")).group_by(*cell)
    return query.where(*_wanted(scope, Filter()))


def _wanted(scope: Scope, narrowed: Filter) -> list[ColumnElement[bool]]:
    wanted = [_SCOPES[scope.kind] == scope.value, _t.purpose == _MEASUREMENT]
    exact = ("agent", "task", "outcome", "reason", "agent_digest", "task_digest")
    wanted += [_t[name] == value for name in exact if (value := getattr(narrowed, name))]
    if narrowed.text:
        wanted.append(func.lower(_t.trial).contains(narrowed.text.lower(), autoescape=True))
    if narrowed.review:
        wanted.append(_reviewed(narrowed.review))
    return wanted


def _reviewed(verdict: str) -> ColumnElement[bool]:
    """By the last review; `none`: there is none."""
    r = reviews.c
    if verdict == "none":
        return _t.trial_uid.not_in(select(r.trial_uid))
    last = select(func.max(r.seq)).group_by(r.trial_uid)
    return _t.trial_uid.in_(select(r.trial_uid).where(r.seq.in_(last), r.verdict == verdict))


def _run_query() -> Select[Any]:
    query = select(
        _t.run_uid,
        _t.outcome,
        func.count().label("trials"),
        func.min(_t.started_at).label("first"),
        func.max(_t.finished_at).label("last"),
    )
    return query.where(_t.purpose == _MEASUREMENT).group_by(_t.run_uid, _t.outcome)


def _by_run(rows: Sequence[Row[Any]]) -> dict[str, RunRow]:
    groups: dict[str, list[Row[Any]]] = {}
    for row in rows:
        groups.setdefault(row.run_uid, []).append(row)
    return {uid: _run_row(uid, group) for uid, group in groups.items()}


def _run_row(uid: str, rows: Sequence[Row[Any]]) -> RunRow:
    first = min((r.first for r in rows if r.first is not None), default=None)
    last = max((r.last for r in rows if r.last is not None), default=None)
    return RunRow(uid, "", "", first, last, {r.outcome: int(r.trials) for r in rows})


def _tally(row: Row[Any]) -> Tally:
    return Tally(
        row.agent, row.agent_digest, row.task or "", row.task_digest, row.outcome, int(row.trials)
    )


def _plain(row: Row[Any]) -> dict[str, Any]:
    found = dict(row._mapping)
    return {**found, "trial": found["trial"] or found["trial_uid"], "task": found["task"] or ""}


def _seconds(moment: datetime) -> float:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return float(aware.timestamp())
