"""Many records at once, as `Store.put_record` writes each: one commit, since each is a disk's write."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select

from benchwright.results import database as db
from benchwright.results.columns import columns_of
from benchwright.results.store import Store

_PLAIN = (
    "trial_uid",
    "run_uid",
    "namespace",
    "run",
    "purpose",
    "task_digest",
    "outcome",
    "attempt",
)


async def insert(store: Store, documents: Sequence[dict[str, Any]], now: datetime) -> None:
    """Records of trials that are not there yet."""
    async with store.engine.begin() as connection:
        last = (await connection.execute(select(func.max(db.records.c.revision)))).scalar() or 0
        values = [
            {
                **{key: d[key] for key in _PLAIN}, "document": json.dumps(d), "stored_at": now,
                "revision": last + number, **columns_of(d),
            }
            for number, d in enumerate(documents, start=1)
        ]  # fmt: skip
        await connection.execute(db.records.insert(), values)
