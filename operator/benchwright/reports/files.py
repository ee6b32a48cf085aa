"""A report as files: the page, the trials, and what was computed of them."""

import json
from collections.abc import Iterator

from benchwright.analysis.export import plain
from benchwright.reports.claims import claims
from benchwright.reports.html import render
from benchwright.reports.report import Report
from benchwright.reports.rows import agents_csv, pairs_csv, tasks_csv, tidy, tidy_csv
from benchwright.reports.table import to_csv

WHAT = {
    "report.html": "the report: open it in a browser, it needs no network",
    "results.json": "the trials",
    "results.csv": "the same, one row a trial",
    "agents.csv": "rates, intervals and sums of each agent",
    "pairs.csv": "paired differences of each two agents",
    "tasks.csv": "item statistics of each task",
    "analysis.json": "all that was computed, with what is undefined and why",
}
"""Name → what it is for."""


def files(report: Report, evidence_folder: str | None = None) -> Iterator[tuple[str, str]]:
    """Name and content of each."""
    yield "report.html", render(report, evidence_folder)
    yield "results.json", _json(report.records or plain(tidy(report.data)))
    yield "results.csv", to_csv(report.records) if report.records else tidy_csv(report.data)
    yield "agents.csv", agents_csv(report)
    yield "pairs.csv", pairs_csv(report)
    yield "tasks.csv", tasks_csv(report)
    yield "analysis.json", analysis(report)


def analysis(report: Report) -> str:
    """Everything computed, as one JSON object; pairs are in pairs.csv."""
    return _json(
        plain(
            {
                "title": report.data.title,
                "of": report.data.provenance,
                "planned": {
                    "trials_for_each_task": report.data.planned,
                    "is_the_plan": report.data.plan_known,
                },
                "totals": report.grid.totals,
                "claims": claims(report),
                "agents": report.standings,
                "trades": report.trades,
                "nodes": report.strata,
                "tasks": report.calibration,
                "private_tasks": report.private,
            }
        )
    )


def _json(value: object) -> str:
    return json.dumps(value, indent=1, allow_nan=False, ensure_ascii=False) + "\n"
