"""A database of an older version: columns come, rows are filled from their documents, once."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from benchwright.results import upgrade
from benchwright.results.columns import columns_of
from benchwright.results.database import open_engine
from benchwright.results.listing import Listing
from benchwright.web.lists import Query, Scope
from tests.unit.web.samples import RUN, row

OLD = """CREATE TABLE records (
    trial_uid VARCHAR(64) NOT NULL PRIMARY KEY, run_uid VARCHAR(64) NOT NULL,
    namespace VARCHAR(63) NOT NULL, run VARCHAR(63) NOT NULL, purpose VARCHAR(16) NOT NULL,
    task_digest VARCHAR(71) NOT NULL, outcome VARCHAR(16) NOT NULL, attempt INTEGER NOT NULL,
    document TEXT NOT NULL, stored_at DATETIME NOT NULL)"""
PLAIN = ("trial_uid", "run_uid", "namespace", "run", "purpose", "task_digest", "outcome", "attempt")


def old_database(folder: Path, records: list[dict[str, Any]]) -> str:
    path = folder / "results.db"
    with sqlite3.connect(path) as database:
        database.execute(OLD)
        for each in records:
            values = [*(each[name] for name in PLAIN), each.get("text") or json.dumps(each)]
            database.execute(
                "INSERT INTO records VALUES (?,?,?,?,?,?,?,?,?,'2026-01-01 00:00:00.000000')",
                values,
            )
    database.close()
    return f"sqlite+aiosqlite:///{path}"


async def test_old_records_are_listed_like_new_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upgrade, "BATCH", 3)
    rows = [row(f"uid-{n}", n, "mini", "pluggy") for n in range(8)]
    engine = await open_engine(old_database(tmp_path, rows))
    page = await Listing(engine).page(Scope("run", RUN), Query())
    await engine.dispose()
    assert [r.trial_uid for r in page.rows] == [f"uid-{n}" for n in reversed(range(8))]
    assert {(r.agent, r.task, r.tokens, r.seconds) for r in page.rows} == {
        ("mini", "pluggy", 1050, 9.5)
    }


async def test_a_second_start_fills_nothing_and_a_killed_one_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upgrade, "BATCH", 3)
    url = old_database(tmp_path, [row(f"uid-{n}", n, "mini", "pluggy") for n in range(8)])
    filled: list[int] = []
    whole = upgrade._fill

    async def killed(*given: Any) -> int:
        if len(filled) == 1:
            raise KeyboardInterrupt
        filled.append(await whole(*given))
        return filled[-1]

    monkeypatch.setattr(upgrade, "_fill", killed)
    with pytest.raises(KeyboardInterrupt):
        await open_engine(url)

    async def counted(*given: Any) -> int:
        filled.append(await whole(*given))
        return filled[-1]

    monkeypatch.setattr(upgrade, "_fill", counted)
    for _ in range(2):
        engine = await open_engine(url)
        page = await Listing(engine).page(Scope("run", RUN), Query())
        await engine.dispose()
        assert page.total == 8
    assert filled == [3, 3, 2, 0, 0]


@pytest.mark.parametrize(
    "text", ["no JSON", "[]", "{}", '{"agent": 5, "usage": "x", "seconds": []}']
)
async def test_a_document_that_cannot_be_read_keeps_no_service_from_starting(
    tmp_path: Path, text: str
) -> None:
    rows = [
        {**row("uid-bad", 0, "mini", "pluggy"), "text": text},
        row("uid-1", 1, "mini", "pluggy"),
    ]
    engine = await open_engine(old_database(tmp_path, rows))
    page = await Listing(engine).page(Scope("run", RUN), Query(sort="agent"))
    await engine.dispose()
    assert [(r.trial_uid, r.agent, r.trial) for r in page.rows] == [
        ("uid-1", "mini", "nightly-mini-pluggy-1"),
        ("uid-bad", None, "uid-bad"),
    ]


@pytest.mark.parametrize(
    ("record", "column", "value"),
    [
        ({"usage": {"input_tokens": 5, "output_tokens": 2}}, "tokens", 7),
        ({"usage": {"input_tokens": 5, "output_tokens": None}}, "tokens", None),
        ({"usage": {"input_tokens": 0, "output_tokens": 0}}, "tokens", 0),
        ({"usage": {"input_tokens": 1.5, "output_tokens": 1}}, "tokens", None),
        ({"usage": None}, "tokens", None),
        ({"usage": {"cost_usd": 0}}, "cost_usd", 0.0),
        ({"usage": {"cost_usd": float("nan")}}, "cost_usd", None),
        ({"usage": {"cost_usd": float("inf")}}, "cost_usd", None),
        ({"usage": {"cost_usd": 10**400}}, "cost_usd", None),
        ({"usage": {"cost_usd": True}}, "cost_usd", None),
        ({"started_at": "2026-01-01T10:00:00Z"}, "started_at", 1767261600.0),
        ({"started_at": "yesterday"}, "started_at", None),
        ({"started_at": ""}, "started_at", None),
        ({"coverage": {"gained_lines": 0}}, "gained_lines", 0),
        ({"coverage": None}, "gained_lines", None),
        ({"agent": ["x"]}, "agent", None),
        ({"trial": "a\0b"}, "trial", "a�b"),
    ],
    ids=str,
)
def test_unknown_is_none_and_zero_is_zero(record: dict[str, Any], column: str, value: Any) -> None:
    assert columns_of(record)[column] == value
