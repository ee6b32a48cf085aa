"""A run's report, made by a program of its own: {"url", …} on standard input → HTML on its output.

The report of a large run takes seconds of CPU and much memory, which uploads of trials must not lack
because somebody reads. So it is another process, with limits, that gives way.
"""

import asyncio
import json
import os
import resource
import sys
from typing import TypedDict

from sqlalchemy.ext.asyncio import create_async_engine

from benchwright.reports.html import Site, render, summary
from benchwright.reports.report import Report, of_records
from benchwright.results.runs import Asked, measurements, plans_of

CPU_SECONDS = 300
MEMORY = 1536 * 1024 * 1024
_NICENESS = 10


class Made(TypedDict):
    """Parts of a report, as HTML."""

    page: str
    summary: str


def main() -> None:
    """From standard input to standard output."""
    os.nice(_NICENESS)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    order = json.load(sys.stdin)
    asked = Asked(**order["asked"])
    report = asyncio.run(_read(order["url"], asked))
    json.dump(made(report, asked, order["revision"], order["root"]), sys.stdout)


def made(report: Report, asked: Asked, revision: int, root: str) -> Made:
    """A page follows its run only where it is of one run."""
    site = Site(root, asked.run_uid, revision) if asked.run_uid else None
    return Made(page=render(report, site=site), summary=summary(report))


async def _read(url: str, asked: Asked) -> Report:
    engine = create_async_engine(url)
    try:
        records, plans = await measurements(engine, asked), await plans_of(engine, asked)
    finally:
        await engine.dispose()
    return of_records(asked.run, records, plans)


if __name__ == "__main__":
    main()
