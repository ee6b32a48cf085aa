"""What the results service remembers: rows in the database, bytes in the object store."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, exists, select
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from benchwright.api.task import TaskSnapshot
from benchwright.results import database as db
from benchwright.results.columns import columns_of
from benchwright.results.objects import ObjectStore
from benchwright.results.upgrade import next_revision

Json = dict[str, Any]


class AlreadyStored(Exception):
    """Something that is written once exists with another content."""


@dataclass(frozen=True, slots=True)
class FactsNote:
    """News that a stage has facts."""

    seq: int
    namespace: str
    trial: str


class Store:
    """All reads and writes; no rules."""

    def __init__(self, engine: AsyncEngine, objects: ObjectStore):
        self.engine = self._engine = engine
        self.objects = objects

    # Tasks and corpora

    async def put_task(self, task: TaskSnapshot) -> None:
        row = {"digest": task.digest, "name": task.name, "snapshot": json.dumps(task.dump())}
        await self._insert_once(db.tasks, row)

    async def put_corpus(self, digest: str, task_digests: Sequence[str]) -> None:
        row = {"digest": digest, "task_digests": json.dumps(list(task_digests))}
        await self._insert_once(db.corpora, row)

    async def corpus(self, digest: str) -> list[TaskSnapshot] | None:
        """Tasks of a corpus in order; None if it isn't known."""
        row = await self._one(select(db.corpora).where(db.corpora.c.digest == digest))
        if row is None:
            return None
        wanted = json.loads(row.task_digests)
        query = select(db.tasks).where(db.tasks.c.digest.in_(wanted))
        found = {r.digest: r.snapshot for r in await self._all(query)}
        return [TaskSnapshot.model_validate_json(found[d]) for d in wanted]

    # Facts, files, verdicts

    async def put_facts(
        self,
        trial_uid: str,
        attempt: int,
        stage: str,
        document: str,
        *,
        namespace: str,
        trial: str,
        now: datetime,
    ) -> int:
        """Write once; the same again is fine, another content raises AlreadyStored."""
        row = {
            "trial_uid": trial_uid, "attempt": attempt, "stage": stage, "namespace": namespace,
            "trial": trial, "document": document, "stored_at": now,
        }  # fmt: skip
        try:
            async with self._engine.begin() as connection:
                result = await connection.execute(db.facts.insert().values(**row))
                key = result.inserted_primary_key
                return int(key[0]) if key else 0
        except IntegrityError:
            stored = await self.facts(trial_uid, attempt)
            if stored.get(stage) != document:
                raise AlreadyStored(f"stage {stage} of attempt {attempt} has other facts") from None
            return 0

    async def facts(self, trial_uid: str, attempt: int) -> dict[str, str]:
        """Stage → JSON document."""
        t = db.facts
        query = select(t.c.stage, t.c.document).where(
            t.c.trial_uid == trial_uid, t.c.attempt == attempt
        )
        return {r.stage: r.document for r in await self._all(query)}

    async def has_facts(self, trial_uid: str, attempt: int, stage: str) -> bool:
        t = db.facts.c
        here = (t.trial_uid == trial_uid, t.attempt == attempt, t.stage == stage)
        return await self._one(select(t.seq).where(*here)) is not None

    async def all_facts(self, trial_uid: str) -> Sequence[Row[Any]]:
        """Rows of attempt, stage and document, of every attempt."""
        t = db.facts
        query = select(t.c.attempt, t.c.stage, t.c.document).where(t.c.trial_uid == trial_uid)
        return await self._all(query.order_by(t.c.attempt, t.c.stage))

    async def facts_after(self, seq: int, limit: int = 500) -> list[FactsNote]:
        t = db.facts
        query = (
            select(t.c.seq, t.c.namespace, t.c.trial)
            .where(t.c.seq > seq)
            .order_by(t.c.seq)
            .limit(limit)
        )
        return [FactsNote(r.seq, r.namespace, r.trial) for r in await self._all(query)]

    async def put_file(
        self, trial_uid: str, attempt: int, stage: str, name: str, sha256: str, size: int
    ) -> None:
        row = {
            "trial_uid": trial_uid, "attempt": attempt, "stage": stage, "name": name,
            "sha256": sha256, "size": size,
        }  # fmt: skip
        statement = sqlite_insert(db.files).values(**row)
        keys = ["trial_uid", "attempt", "stage", "name"]
        statement = statement.on_conflict_do_update(
            index_elements=keys, set_={"sha256": sha256, "size": size}
        )
        async with self._engine.begin() as connection:
            await connection.execute(statement)

    async def files(self, trial_uid: str) -> Sequence[Row[Any]]:
        t = db.files
        order = (t.c.attempt, t.c.stage, t.c.name)
        return await self._all(select(t).where(t.c.trial_uid == trial_uid).order_by(*order))

    async def file_sha256(self, trial_uid: str, attempt: int, stage: str, name: str) -> str | None:
        t = db.files.c
        here = (t.trial_uid == trial_uid, t.attempt == attempt, t.stage == stage, t.name == name)
        row = await self._one(select(t.sha256).where(*here))
        return row.sha256 if row else None

    async def put_verdict(self, trial_uid: str, attempt: int, document: str) -> None:
        await self._replace(
            db.verdicts, {"trial_uid": trial_uid, "attempt": attempt, "document": document}
        )

    # Records

    async def put_record(self, record: Json, now: datetime) -> None:
        """One a trial; the same trial again replaces it (the outcome itself is write-once in etcd)."""
        row = {
            "trial_uid": record["trial_uid"], "run_uid": record["run_uid"], "namespace": record["namespace"],
            "run": record["run"], "purpose": record["purpose"], "task_digest": record["task_digest"],
            "outcome": record["outcome"], "attempt": record["attempt"], "document": json.dumps(record),
            "stored_at": now, "revision": next_revision(db.records), **columns_of(record),
        }  # fmt: skip
        await self._replace(db.records, row)

    async def put_plan(self, plan: Json) -> None:
        """One a run: what it set out to observe."""
        keys = ("run_uid", "namespace", "run")
        await self._replace(
            db.plans, {**{key: plan[key] for key in keys}, "document": json.dumps(plan)}
        )

    async def record(self, trial_uid: str) -> Json | None:
        row = await self._one(
            select(db.records.c.document).where(db.records.c.trial_uid == trial_uid)
        )
        return json.loads(row.document) if row else None

    async def good_baselines(self, task_digest: str) -> list[tuple[str, int]]:
        """Trial uid and attempt of each good measurement of the untouched base whose facts, which
        agents are judged against, are there."""
        t, f = db.records, db.facts
        facts = exists().where(
            f.c.trial_uid == t.c.trial_uid, f.c.attempt == t.c.attempt, f.c.stage == "evaluate"
        )
        query = select(t.c.trial_uid, t.c.attempt).where(
            t.c.task_digest == task_digest,
            t.c.purpose == "baseline",
            t.c.outcome == "success",
            facts,
        )
        return [(r.trial_uid, r.attempt) for r in await self._all(query.order_by(t.c.stored_at))]

    # Plumbing

    async def _insert_once(self, table: Any, row: Json) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(sqlite_insert(table).values(**row).on_conflict_do_nothing())

    async def _replace(self, table: Any, row: Json) -> None:
        keys = [c.name for c in table.primary_key.columns]
        statement = sqlite_insert(table).values(**row)
        rest = {k: v for k, v in row.items() if k not in keys}
        statement = statement.on_conflict_do_update(index_elements=keys, set_=rest)
        async with self._engine.begin() as connection:
            await connection.execute(statement)

    async def _all(self, query: Any) -> Sequence[Row[Any]]:
        async with self._engine.connect() as connection:
            return (await connection.execute(query)).fetchall()

    async def _one(self, query: Any) -> Row[Any] | None:
        rows = await self._all(query)
        return rows[0] if rows else None
