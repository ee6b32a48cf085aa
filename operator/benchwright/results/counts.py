"""Trials by run, agent, task and outcome, counted in memory and kept up to date.

Counting 100,000 rows anew for each page takes a database longer than all else that the page needs.
So each record is counted once, when it is first seen, by its revision; one that was written again
is taken out of where it was counted before. What is counted is what the table says, whoever wrote it.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Row, select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from benchwright.results.database import records
from benchwright.web.lists import Filter, RunRow, Scope, Tally

BATCH = 2000
_KEPT = 64
MEASUREMENT = "measurement"
_t = records.c
T = TypeVar("T")


class Key(NamedTuple):
    """What is counted apart."""

    run_uid: str
    agent: str | None
    agent_digest: str | None
    task: str
    task_digest: str
    outcome: str


class _Counted(NamedTuple):
    """Where a trial was counted."""

    key: Key
    started: float | None
    finished: float | None


@dataclass(frozen=True, slots=True)
class _Run:
    namespace: str
    name: str


class Counts:
    """Brought up to date before it is asked."""

    def __init__(self, engine: AsyncEngine):
        self._engine = engine
        self._lock = asyncio.Lock()
        self._revision, self._uid = 0, ""
        self._trials: dict[str, _Counted] = {}
        self._derived: dict[Scope | str, Any] = {}
        """Answers, until a record comes."""
        self._keys: dict[Key, Key] = {}
        self._tallies: dict[Key, int] = defaultdict(int)
        self._runs: dict[str, _Run] = {}
        self._spans: dict[str, tuple[float | None, float | None]] = {}

    async def update(self) -> None:
        """Count what came since."""
        async with self._lock:
            while rows := await self._read():
                self._derived.clear()
                for row in rows:
                    self._count(row)
                self._revision, self._uid = rows[-1].revision, rows[-1].trial_uid
                await self._name({row.run_uid for row in rows} - self._runs.keys())

    def tallies(self, scope: Scope) -> Sequence[Tally]:
        """Of all cells and outcomes of the scope."""
        return self._once(scope, lambda: self._sum(scope))

    def total(self, scope: Scope, narrowed: Filter) -> int:
        """Trials of the scope that are as asked for, by what is counted apart."""
        names = ("agent", "task", "outcome", "agent_digest", "task_digest")
        wanted = {name: value for name in names if (value := getattr(narrowed, name))}
        return sum(
            t.trials
            for t in self.tallies(scope)
            if all(getattr(t, name) == value for name, value in wanted.items())
        )

    def runs(self) -> dict[str, RunRow]:
        """By UID, in no order."""
        return self._once("runs", self._sum_runs)

    def _once(self, key: Scope | str, make: Callable[[], T]) -> T:
        if key not in self._derived:
            while len(self._derived) >= _KEPT:
                self._derived.pop(next(iter(self._derived)))
            self._derived[key] = make()
        found: T = self._derived[key]
        return found

    def _sum(self, scope: Scope) -> list[Tally]:
        found: dict[tuple[str | None, str | None, str, str, str], int] = defaultdict(int)
        for key, trials in self._of(scope):
            found[key[1:]] += trials
        return [Tally(*key, trials) for key, trials in found.items()]

    def _sum_runs(self) -> dict[str, RunRow]:
        outcomes: dict[str, Counter[str]] = {}
        for key, trials in self._tallies.items():
            outcomes.setdefault(key.run_uid, Counter())[key.outcome] += trials
        return {
            uid: RunRow(
                uid, named.namespace, named.name, *self._spans.get(uid, (None, None)), dict(by)
            )
            for uid, by in outcomes.items()
            if (named := self._runs.get(uid))
        }

    def _of(self, scope: Scope) -> Iterator[tuple[Key, int]]:
        field = "run_uid" if scope.kind == "run" else scope.kind
        position = Key._fields.index(field)
        return ((k, n) for k, n in self._tallies.items() if k[position] == scope.value)

    async def _read(self) -> Sequence[Row[Any]]:
        """The next batch, from an index alone."""
        names = (
            "revision", "trial_uid", "run_uid", "purpose", "agent", "agent_digest", "task",
            "task_digest", "outcome", "started_at", "finished_at",
        )  # fmt: skip
        place = tuple_(_t.revision, _t.trial_uid)
        query = select(*(_t[name] for name in names)).where(place > (self._revision, self._uid))
        async with self._engine.connect() as connection:
            ordered = query.order_by(_t.revision, _t.trial_uid).limit(BATCH)
            return (await connection.execute(ordered)).fetchall()

    def _count(self, row: Row[Any]) -> None:
        uid, run_uid, purpose, agent, agent_digest, task, task_digest, outcome, *span = tuple(row)[
            1:
        ]
        before = self._trials.pop(uid, None)
        if before is not None:
            self._tallies[before.key] -= 1
            if not self._tallies[before.key]:
                del self._tallies[before.key]
            self._respan(before)
        if purpose != MEASUREMENT:
            return
        key = Key(run_uid, agent, agent_digest, task or "", task_digest, outcome)
        key = self._keys.setdefault(key, key)  # one object for all equal ones
        self._tallies[key] += 1
        self._trials[uid] = _Counted(key, *span)
        first, last = self._spans.get(run_uid, (None, None))
        self._spans[run_uid] = _pick(min, first, span[0]), _pick(max, last, span[1])

    def _respan(self, gone: _Counted) -> None:
        """A trial was taken out: it may have been the first or the last."""
        run_uid = gone.key.run_uid
        first, last = self._spans.get(run_uid, (None, None))
        if gone.started != first and gone.finished != last:
            return
        mine = [c for c in self._trials.values() if c.key.run_uid == run_uid]
        self._spans[run_uid] = (
            min((c.started for c in mine if c.started is not None), default=None),
            max((c.finished for c in mine if c.finished is not None), default=None),
        )

    async def _name(self, run_uids: set[str]) -> None:
        """Namespace and name of runs that are new, each from one of its records."""
        async with self._engine.connect() as connection:
            for uid in run_uids:
                query = select(_t.namespace, _t.run).where(_t.run_uid == uid).limit(1)
                row = (await connection.execute(query)).one()
                self._runs[uid] = _Run(row.namespace, row.run)


def _pick(
    choose: Callable[[float, float], float], one: float | None, other: float | None
) -> float | None:
    if one is None or other is None:
        return one if other is None else other
    return choose(one, other)
