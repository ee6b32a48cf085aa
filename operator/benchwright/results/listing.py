"""Searching and sorting records. Every list is answered from an index alone (see database)."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from benchwright.results.counts import MEASUREMENT, Counts
from benchwright.results.database import records, reviews
from benchwright.results.order import stretches, whole
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

_t = records.c
_SCOPES = {"run": _t.run_uid, "task": _t.task, "agent": _t.agent}
_EXACT = ("agent", "task", "outcome", "reason", "agent_digest", "task_digest")
_ROW = (
    "trial_uid", "run_uid", "namespace", "run", "trial", "agent", "agent_digest", "task",
    "task_digest", "outcome", "reason", "started_at", "seconds", "tokens", "cost_usd", "gained_lines",
)  # fmt: skip
_KNOWN = {"trial": func.coalesce(_t.trial, _t.trial_uid), "task": func.coalesce(_t.task, "")}
_COLUMNS = [_KNOWN.get(name, _t[name]) for name in _ROW]
"""In the order of TrialRow's fields."""


class Listing:
    """Lists of runs and trials."""

    def __init__(self, engine: AsyncEngine):
        self._engine = engine
        self._counts = Counts(engine)

    async def runs(self) -> Sequence[RunRow]:
        """The run with the newest start first; those without any start at the end."""
        await self._counts.update()
        found = self._counts.runs().values()
        return sorted(found, key=lambda r: (r.first or 0.0, r.run_uid), reverse=True)

    async def run(self, run_uid: str) -> RunRow | None:
        await self._counts.update()
        return self._counts.runs().get(run_uid)

    async def tallies(self, scope: Scope) -> Sequence[Tally]:
        """Of all cells and outcomes of the scope."""
        await self._counts.update()
        return self._counts.tallies(scope)

    async def page(self, scope: Scope, query: Query) -> Page:
        """One page, and how many trials there are on all."""
        total, (uids, more) = await asyncio.gather(
            self._total(scope, query.filter), self._uids(scope, query)
        )
        backwards = query.cursor is not None and query.cursor.backwards
        rows = await self._rows(uids[::-1] if backwards else uids)
        came_from = query.cursor is not None
        return Page(rows, total, *((more, came_from) if backwards else (came_from, more)))

    async def change(self, run_uid: str | None) -> Change:
        """The last record of a run, or of all; (0, None) where there is none."""
        query = select(_t.revision, _t.stored_at).where(_t.revision.is_not(None))
        if run_uid is not None:
            query = query.where(_t.run_uid == run_uid)
        rows = await self._all(query.order_by(_t.revision.desc()).limit(1))
        return next((Change(int(r.revision), _seconds(r.stored_at)) for r in rows), Change(0, None))

    async def _total(self, scope: Scope, narrowed: Filter) -> int:
        if narrowed.text or narrowed.reason or narrowed.review:
            return int((await self._all(counting(scope, narrowed)))[0][0])
        await self._counts.update()
        return self._counts.total(scope, narrowed)

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
        query = select(*_COLUMNS).where(_t.trial_uid.in_(uids))
        latest = select(reviews.c.trial_uid, reviews.c.verdict).where(reviews.c.trial_uid.in_(uids))
        found, said = await asyncio.gather(
            self._all(query), self._all(latest.order_by(reviews.c.seq))
        )
        verdicts = {r.trial_uid: r.verdict for r in said}
        rows = {r[0]: _row(r, verdicts.get(r[0])) for r in found}
        return [rows[uid] for uid in uids if uid in rows]

    async def _all(self, query: Any) -> Sequence[Row[Any]]:
        async with self._engine.connect() as connection:
            return (await connection.execute(query)).fetchall()


def selecting(scope: Scope, query: Query) -> list[Select[Any]]:
    """Statements whose rows, one after the other, are the page's UIDs."""
    down, cursor = query.descending, query.cursor
    parts = (
        [whole(records, query.sort, descending=down, cursor=cursor)]
        if query.filter
        else stretches(records, query.sort, descending=down, cursor=cursor)
    )
    wanted = _wanted(scope, query.filter)
    return [
        select(_t.trial_uid).where(*wanted, *_given(part.where)).order_by(*part.order)
        for part in parts
    ]


def _given(where: ColumnElement[bool] | None) -> list[ColumnElement[bool]]:
    return [] if where is None else [where]


def counting(scope: Scope, narrowed: Filter) -> Select[Any]:
    """How many trials there are."""
    return select(func.count()).select_from(records).where(*_wanted(scope, narrowed))


def _wanted(scope: Scope, narrowed: Filter) -> list[ColumnElement[bool]]:
    wanted = [_SCOPES[scope.kind] == scope.value, _t.purpose == MEASUREMENT]
    wanted += [_t[name] == value for name in _EXACT if (value := getattr(narrowed, name))]
    if narrowed.text:
        wanted.append(_containing(narrowed.text.lower()))
    if narrowed.review:
        wanted.append(_reviewed(narrowed.review))
    return wanted


def _containing(text: str) -> ColumnElement[bool]:
    """Names of trials are lower case. LIKE with ESCAPE takes SQLite three times as long."""
    plain = not set(text) & {"%", "_", "/"}
    return _t.trial.like(f"%{text}%") if plain else _t.trial.contains(text, autoescape=True)


def _reviewed(verdict: str) -> ColumnElement[bool]:
    """By the last review; `none`: there is none."""
    r = reviews.c
    if verdict == "none":
        return _t.trial_uid.not_in(select(r.trial_uid))
    last = select(func.max(r.seq)).group_by(r.trial_uid)
    return _t.trial_uid.in_(select(r.trial_uid).where(r.seq.in_(last), r.verdict == verdict))


def _row(row: Row[Any], review: str | None) -> TrialRow:
    values: tuple[Any, ...] = tuple(row)
    return replace(TrialRow(*values), review=review)


def _seconds(moment: datetime) -> float:
    """SQLite gives times without their zone, which is UTC."""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
