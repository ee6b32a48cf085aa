"""What is stored of a run: the records of its trials, and its plan."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Table, exists, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from benchwright.results.database import plans, records

Json = dict[str, Any]
_AT_A_TIME = 500


@dataclass(frozen=True, slots=True)
class Asked:
    """A run by its name, or one of several of that name by its UID."""

    namespace: str
    run: str
    run_uid: str | None = None


@dataclass(frozen=True, slots=True)
class State:
    """What is stored has changed when this has."""

    measured: bool
    """Whether any trial but of baselines has an outcome."""
    revision: int
    """The highest of its records; 0 where there is none."""
    plans: int


async def state(engine: AsyncEngine, asked: Asked) -> State:
    """What a run's report was made of."""
    measured = exists().where(*_of(records, asked), records.c.purpose == "measurement")
    # By the UID alone, where there is one: an index has the answer. No other run has it.
    mine = [records.c.run_uid == asked.run_uid] if asked.run_uid else _of(records, asked)
    revision = select(func.coalesce(func.max(records.c.revision), 0)).where(*mine)
    known = select(func.count()).select_from(plans).where(*_of(plans, asked))
    query = select(measured, revision.scalar_subquery(), known.scalar_subquery())
    async with engine.connect() as connection:
        return State(*(await connection.execute(query)).one())


async def documents(engine: AsyncEngine, asked: Asked) -> AsyncIterator[Sequence[str]]:
    """Records of the trials in which an agent worked, in the order of the plan, as JSON texts, some at a
    time: all of a large run are a gigabyte when they are read."""
    order = func.json_extract(records.c.document, "$.order")
    query = (
        select(records.c.document)
        .where(*_of(records, asked), records.c.purpose == "measurement")
        .order_by(records.c.run_uid, order)
    )
    async with engine.connect() as connection, connection.stream(query) as found:
        async for rows in found.partitions(_AT_A_TIME):
            yield [row.document for row in rows]


async def measurements(engine: AsyncEngine, asked: Asked) -> list[Json]:
    """The same, read."""
    return [json.loads(text) async for some in documents(engine, asked) for text in some]


async def plans_of(engine: AsyncEngine, asked: Asked) -> list[Json]:
    """What the runs of that name set out to observe."""
    query = select(plans.c.document).where(*_of(plans, asked))
    async with engine.connect() as connection:
        return [json.loads(row.document) for row in await connection.execute(query)]


def _of(table: Table, asked: Asked) -> list[ColumnElement[bool]]:
    wanted = [table.c.namespace == asked.namespace, table.c.run == asked.run]
    return wanted + ([table.c.run_uid == asked.run_uid] if asked.run_uid else [])
