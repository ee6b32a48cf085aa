"""Bringing the table of records up to date: columns that lists need, filled from the documents.

Each step can be killed and done again: a column is added where it is missing, and a row without a
revision is one that was not filled yet.
"""

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table, bindparam, func, inspect, select, update
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.schema import CreateColumn
from sqlalchemy.sql import ColumnElement

from benchwright.results.columns import columns_of

BATCH = 500
log = logging.getLogger(__name__)


async def upgrade(engine: AsyncEngine, records: Table) -> None:
    """Of a database that an older version made; of a new one nothing changes."""
    async with engine.begin() as connection:
        added = await connection.run_sync(_add_columns, records)
        # This one first: it finds the rows that are not filled yet.
        await connection.run_sync(_add_indexes, records, "records_revision")
    if added:
        log.info("records: adding columns %s and filling them", ", ".join(added))
    filled = 0
    while count := await _fill(engine, records):
        filled += count
    if filled:
        log.info("records: filled the columns of %s records", filled)
    async with engine.begin() as connection:
        await connection.run_sync(_add_indexes, records)


def next_revision(records: Table) -> ColumnElement[int]:
    """A number above all others, as an expression of the statement that writes it."""
    seen = records.alias("seen")
    return select(func.coalesce(func.max(seen.c.revision), 0) + 1).scalar_subquery()


def _add_columns(connection: Connection, records: Table) -> list[str]:
    there = {str(c["name"]) for c in inspect(connection).get_columns(records.name)}
    missing = [column for column in records.columns if column.name not in there]
    for column in missing:
        definition = CreateColumn(column).compile(dialect=connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {records.name} ADD COLUMN {definition}")
    return [column.name for column in missing]


def _add_indexes(connection: Connection, records: Table, only: str = "") -> None:
    for index in records.indexes:
        if only in {"", index.name}:
            index.create(connection, checkfirst=True)


async def _fill(engine: AsyncEngine, records: Table) -> int:
    """One batch; how many rows it had."""
    t = records.c
    unfilled = select(t.trial_uid, t.document).where(t.revision.is_(None))
    async with engine.begin() as connection:
        rows = (await connection.execute(unfilled.limit(BATCH))).fetchall()
        if not rows:
            return 0
        last = (await connection.execute(select(func.max(t.revision)))).scalar() or 0
        values = await asyncio.to_thread(_values, rows, last)
        names = [name for name in values[0] if name != "uid"]
        statement = update(records).where(t.trial_uid == bindparam("uid"))
        statement = statement.values({name: bindparam(f"{name}") for name in names})
        await connection.execute(statement, values)
    return len(rows)


def _values(rows: Sequence[Any], last: int) -> list[dict[str, Any]]:
    return [
        {"uid": row.trial_uid, "revision": last + number, **columns_of(_record(row.document))}
        for number, row in enumerate(rows, start=1)
    ]


def _record(document: str) -> dict[str, Any]:
    try:
        found = json.loads(document)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
