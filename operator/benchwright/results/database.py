"""Tables of the results store (SQLAlchemy; SQLite by default, PostgreSQL to grow)."""

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from benchwright.results.upgrade import upgrade
from benchwright.web.lists import SORTS

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
_LISTED = (
    "outcome", "reason", "trial", "started_at", "seconds", "tokens", "cost_usd", "gained_lines",
    "trial_uid",
)  # fmt: skip
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
    Column("stored_at", DateTime(timezone=True), nullable=False),
    # From here to `revision`: of the document, see columns.columns_of.
    Column("trial", Text),
    Column("agent", Text),
    Column("agent_digest", Text),
    Column("task", Text),
    Column("reason", Text),
    Column("started_at", Float),
    Column("finished_at", Float),
    Column("seconds", Float),
    Column("tokens", _ID),
    Column("cost_usd", Float),
    Column("gained_lines", _ID),
    Column("revision", _ID),
    # The last: SQLite reads a row's overflow pages up to the column that is asked for.
    Column("document", Text, nullable=False),
    # Lists are answered from these alone: reading rows takes ten times as long. The wide ones are
    # for lists that are narrowed, the narrow ones for orders.
    Index("records_of_run", "run_uid", "purpose", "agent", "task", *_LISTED),
    Index("records_of_task", "task", "purpose", "agent", *_LISTED),
    Index("records_of_agent", "agent", "purpose", "task", *_LISTED),
    *(Index(f"records_run_{by}", "run_uid", "purpose", by, "trial_uid") for by in SORTS),
    Index("records_task_started", "task", "purpose", "started_at", "trial_uid"),
    Index("records_agent_started", "agent", "purpose", "started_at", "trial_uid"),
    # What came since, to be counted (counts).
    Index(
        "records_revision", "revision", "trial_uid", "run_uid", "purpose", "agent", "agent_digest",
        "task", "task_digest", "outcome", "started_at", "finished_at",
    ),
    Index("records_run_revision", "run_uid", "revision", "stored_at"),
)  # fmt: skip
plans = Table(
    "plans",
    metadata,
    Column("run_uid", String(64), primary_key=True),
    Column("namespace", String(63), nullable=False),
    Column("run", String(63), nullable=False),
    Column("document", Text, nullable=False),
    Index("plans_by_name", "namespace", "run"),
)
reviews = Table(
    "reviews",
    metadata,
    Column("seq", _ID, primary_key=True, autoincrement=True),
    Column("trial_uid", String(64), nullable=False),
    Column("verdict", String(16), nullable=False),
    Column("who", Text, nullable=False),
    Column("role", String(16), nullable=False),
    Column("comment", Text, nullable=False),
    Column("at", Float, nullable=False),
    Index("reviews_of_trial", "trial_uid", "seq", "verdict"),
)


async def open_engine(url: str) -> AsyncEngine:
    """Connect, make missing tables, and bring those of older versions up to date."""
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        if url.startswith("sqlite"):
            await connection.exec_driver_sql("PRAGMA journal_mode=WAL")
            await connection.exec_driver_sql("PRAGMA synchronous=FULL")
        await connection.run_sync(metadata.create_all)
    await upgrade(engine, records)
    return engine
