"""How long pages of the web view take on the server with 100,000 trials, against a plain count.

The peer is `SELECT count(*) FROM records` on the same connection: the least that a database is
asked. Each page is asked for by HTTP on loopback: `cold` is the first time after a record came
(counts are kept until then), `warm` the best of the rest.

    PYTHONPATH=. .venv/bin/python -m tests.bench.web_pages --trials 100000 --runs 1
"""

import argparse
import asyncio
import random
import tempfile
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from benchwright.results import database as db
from tests.unit.results.bulk import insert
from tests.unit.results.support import Service, running
from tests.unit.web.samples import OTHER_DIGEST, START, row, stamp

AGENTS, TASKS, BATCH, TIMES = 10, 57, 1000, 5
BOUND = 0.050
"""Seconds of server time that a list may take."""
Json = dict[str, Any]


def records(count: int, runs: int, draw: random.Random) -> list[Json]:
    """Rows of the table of records, with documents of the real size."""
    outcomes = ["success"] * 5 + ["failure"] * 3 + ["timeout", "invalid"]
    template = row("x", 0, "mini", "pluggy")
    found = []
    for number in range(count):
        agent, task = f"agent-{draw.randrange(AGENTS)}", f"task-{draw.randrange(TASKS)}"
        start = START + timedelta(seconds=number)
        run, digest = number % runs, draw.choice([OTHER_DIGEST, template["task_digest"]])
        document = {
            **template, "trial_uid": str(uuid.UUID(int=draw.getrandbits(128))), "agent": agent,
            "task": task, "run": f"run-{run}", "run_uid": f"00000000-0000-4000-8000-{run:012}",
            "trial": f"run-{run}-{agent}-{task}-{number}", "outcome": draw.choice(outcomes),
            "task_digest": digest if task == "task-3" else template["task_digest"],
            "started_at": stamp(start), "finished_at": stamp(start + timedelta(seconds=90)),
            "seconds": {**template["seconds"], "total": 500 * draw.random()},
            "usage": {**template["usage"], "input_tokens": draw.randrange(10**6), "cost_usd": draw.random()},
        }  # fmt: skip
        found.append(document)
    return found


async def fill(service: Service, documents: list[Json]) -> None:
    """In batches."""
    for start in range(0, len(documents), BATCH):
        stored = datetime(2026, 1, 2, tzinfo=UTC)
        await insert(service.store, documents[start : start + BATCH], stored)


async def plain_count(service: Service) -> float:
    """Seconds of the peer."""
    best = 1e9
    for _ in range(TIMES):
        start = time.perf_counter()
        async with service.store.engine.connect() as connection:
            await connection.execute(select(func.count()).select_from(db.records))
        best = min(best, time.perf_counter() - start)
    return best


async def measure(service: Service, path: str, touched: Json) -> tuple[float, float, int]:
    """Seconds cold and warm, and bytes of the page."""
    await service.store.put_record(touched, datetime(2026, 1, 3, tzinfo=UTC))
    times = []
    for _ in range(TIMES):
        start = time.perf_counter()
        async with service.http.get(f"{service.internal}{path}") as answer:
            body = await answer.read()
            assert answer.status == 200, (path, answer.status)
        times.append(time.perf_counter() - start)
    return times[0], min(times[1:]), len(body)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob("results.db*"))


def pages(run: str) -> dict[str, str]:
    """Name → path. `deep` is far down in a list: its place is in the address."""
    from benchwright.web.lists import Cursor, Query
    from benchwright.web.query import address

    middle = address(Query(sort="tokens", cursor=Cursor(500_000, "5")))
    return {
        "runs": "/ui/",
        "run": f"/ui/run/{run}",
        "run, by tokens": f"/ui/run/{run}?sort=tokens",
        "run, by tokens, deep": f"/ui/run/{run}{middle}",
        "run, by outcome": f"/ui/run/{run}?sort=outcome",
        "run, by name": f"/ui/run/{run}?sort=trial",
        "run, agent and outcome": f"/ui/run/{run}?agent=agent-3&outcome=failure&sort=seconds",
        "run, text found": f"/ui/run/{run}?q=task-3-77&sort=cost_usd",
        "run, text not found": f"/ui/run/{run}?q=nowhere",
        "run, not reviewed": f"/ui/run/{run}?review=none",
        "run, approved": f"/ui/run/{run}?review=approve",
        "task": "/ui/task/task-7",
        "agent": "/ui/agent/agent-3",
        "changes.json": f"/ui/run/{run}/changes.json",
    }


async def main(trials: int, runs: int) -> None:
    with tempfile.TemporaryDirectory(prefix="bw-bench-") as folder:
        async with running(Path(folder)) as service:
            documents = records(trials, runs, random.Random(1))
            await fill(service, documents)
            size = _size(Path(folder)) / 1e6
            peer = await plain_count(service)
            print(
                f"{trials:,} trials in {runs} runs, {size:.0f} MB; SELECT count(*): {1000 * peer:.1f} ms"
            )
            print(f"{'page':26} {'cold ms':>8} {'ratio':>6} {'warm ms':>8} {'ratio':>6} {'KiB':>6}")
            for name, path in pages(documents[0]["run_uid"]).items():
                cold, warm, length = await measure(service, path, documents[len(documents) // 2])
                flag = (
                    ""
                    if cold <= BOUND
                    else f"  over {1000 * BOUND:.0f} ms cold"
                    if warm <= BOUND
                    else "  OVER"
                )
                print(
                    f"{name:26} {1000 * cold:8.1f} {cold / peer:6.1f} {1000 * warm:8.1f} "
                    f"{warm / peer:6.1f} {length / 1024:6.0f}{flag}"
                )  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=1)
    given = parser.parse_args()
    asyncio.run(main(given.trials, given.runs))
