"""Reviews: what people say of trials. Rows are added, never changed; records never change by them."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from benchwright.results.database import reviews
from benchwright.web.ports import Review

_COLUMNS = ("trial_uid", "verdict", "who", "role", "comment", "at")


class ReviewStore:
    """The table of reviews."""

    def __init__(self, engine: AsyncEngine):
        self._engine = engine

    async def of(self, trial_uid: str) -> Sequence[Review]:
        """The oldest first."""
        columns = [reviews.c[name] for name in _COLUMNS]
        query = select(*columns).where(reviews.c.trial_uid == trial_uid).order_by(reviews.c.seq)
        async with self._engine.connect() as connection:
            return [Review(*row) for row in (await connection.execute(query)).fetchall()]

    async def add(self, review: Review) -> None:
        row = {name: getattr(review, name) for name in _COLUMNS}
        async with self._engine.begin() as connection:
            await connection.execute(reviews.insert().values(**row))
