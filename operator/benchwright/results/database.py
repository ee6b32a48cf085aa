"""Tables of the results store (SQLAlchemy; SQLite by default, PostgreSQL to grow)."""

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

metadata = MetaData()
_ID = BigInteger().with_variant(Integer, "sqlite")

tasks = Table(
    "tasks",
    metadata,
    Column("digest", String(71), primary_key=True),
    Column("name", String(63), nullable=False),
    Column("snapshot", Text, nullable=False),
)
corpora = Table(
    "corpora",
    metadata,
    Column("digest", String(71), primary_key=True),
    Column("task_digests", Text, nullable=False),
)
facts = Table(
    "facts",
    metadata,
    Column("seq", _ID, primary_key=True, autoincrement=True),
    Column("trial_uid", String(64), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("stage", String(63), nullable=False),
    Column("namespace", String(63), nullable=False),
    Column("trial", String(63), nullable=False),
    Column("document", Text, nullable=False),
    Column("stored_at", DateTime(timezone=True), nullable=False),
    Index("facts_by_stage", "trial_uid", "attempt", "stage", unique=True),
)
files = Table(
    "files",
    metadata,
    Column("trial_uid", String(64), primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("stage", String(63), primary_key=True),
    Column("name", String(128), primary_key=True),
    Column("sha256", String(64), nullable=False),
    Column("size", _ID, nullable=False),
)
verdicts = Table(
    "verdicts",
    metadata,
    Column("trial_uid", String(64), primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("document", Text, nullable=False),
)
records = Table(
    "records",
    metadata,
    Column("trial_uid", String(64), primary_key=True),
    Column("run_uid", String(64), nullable=False, index=True),
    Column("namespace", String(63), nullable=False),
    Column("run", String(63), nullable=False, index=True),
    Column("purpose", String(16), nullable=False),
    Column("task_digest", String(71), nullable=False, index=True),
    Column("outcome", String(16), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("document", Text, nullable=False),
    Column("stored_at", DateTime(timezone=True), nullable=False),
)


async def open_engine(url: str) -> AsyncEngine:
    """Connect and make missing tables."""
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        if url.startswith("sqlite"):
            await connection.exec_driver_sql("PRAGMA journal_mode=WAL")
            await connection.exec_driver_sql("PRAGMA synchronous=FULL")
        await connection.run_sync(metadata.create_all)
    return engine
