"""report.html: one page that needs nothing else, neither network nor JavaScript."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from benchwright.reports import measured, words
from benchwright.reports.claims import claims
from benchwright.reports.figures import figures
from benchwright.reports.heatmap import heatmap
from benchwright.reports.provenance import carried
from benchwright.reports.report import SHOWN_CONFIGS, Report
from benchwright.reports.spending import spending
from benchwright.reports.summary import Record, findings
from benchwright.stats.values import Interval, Undefined

MAX_ROWS = 2000
"""Trials that are listed; of more, those that did not succeed come first."""


@dataclass(frozen=True, slots=True)
class Site:
    """The results service around a page. It knows no path in front of it: addresses are relative."""

    root: str
    """From the page's address to the service's root: "../" for each folder between."""
    run_uid: str
    revision: int
    """Of the run's records: the page looks for a higher one while it is open."""


def render(report: Report, evidence_folder: str | None = None, site: Site | None = None) -> str:
    """The page. Evidence is linked at the results service, or as files in `evidence_folder`."""
    listed = _listed(report)
    places = {(config, task): f"#t{n}" for n, (config, task, _) in reversed([*enumerate(listed)])}
    return environment().get_template("report.html.j2").render(
        report=report,
        **_head(report),
        totals=report.grid.totals,
        map=heatmap(report, places),
        pair_of={(p.a, p.b): p for p in report.pairs},
        figures=figures(report),
        shown_configs=SHOWN_CONFIGS,
        rows=[_row(*one, evidence_folder, site) for one in listed],
        unlisted=len(report.records) - len(listed),
        site=site,
        bars=True,
    )  # fmt: skip


def summary(report: Report) -> str:
    """What may be said, and how the agents did: a part of another page, without any style in it."""
    template = environment().get_template("summary.html.j2")
    return template.render(report=report, bars=False, **_head(report))


def _head(report: Report) -> dict[str, object]:
    """What may be said, and of what it is."""
    return {
        "claims": claims(report),
        "provenance": carried(report.data),
        "spent": spending(report.records) if report.records else None,
    }


@cache
def environment() -> Environment:
    """Of all templates; everything is escaped."""
    loader = PackageLoader("benchwright.reports")
    made = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "number": words.number, "percent": words.percent, "points": words.points,
        "line": words.one_line, "sum_of": sum, "part": lambda value: quote(str(value), safe=""),
        "money_sum": partial(words.total, written=words.money),
        "number_sum": partial(words.total, written=words.number),
    }  # fmt: skip
    made.tests["undefined_number"] = lambda value: isinstance(value, Undefined)
    css = loader.get_source(made, "report.css")[0]
    made.globals |= {"signs": words.SIGNS, "bar": _bar, "css": Markup(css)}  # noqa: S704  our file
    return made


def _bar(interval: Interval, value: float) -> Markup:
    """An interval of a difference on a scale of -100 to 100 points."""
    left, right, at = (_place(x) for x in (interval.low, interval.high, value))
    return Markup(  # noqa: S704  numbers
        f'<div class="bar diff" aria-hidden="true"><u></u><span style="left:{left:.1f}%;'
        f'right:{100 - right:.1f}%"></span><i style="left:{at:.1f}%"></i></div>'
    )


def _place(difference: float) -> float:
    return min(100.0, max(0.0, 50 + 50 * difference))


def _listed(report: Report) -> list[tuple[str, str, Record]]:
    """By agent, task and index; of too many, the successes are left out first."""
    placed = report.placed
    if len(placed) > MAX_ROWS:
        placed = sorted(placed, key=lambda p: p[2]["outcome"] == "success")[:MAX_ROWS]
    return sorted(placed, key=lambda p: (p[0], p[1], str(p[2].get("run_uid")), p[2]["index"]))


def _row(
    config: str, task: str, record: Record, folder: str | None, site: Site | None
) -> dict[str, Any]:
    return {
        "record": record,
        "config": config,
        "task": task,
        "message": words.one_line(record.get("message"), limit=600),
        "tests": measured.added_or_passed(record),
        "lines": measured.lines(record),
        "changes_apply": record.get("kind") in measured.CHANGES_FILES,
        "changes": _part(record, "changes"),
        "usage": _part(record, "usage"),
        "spent": spending([record]).tokens if record.get("attempts") else None,
        "findings": findings(record),
        "seconds": _part(record, "seconds"),
        "evidence": _evidence(record, folder, site.root if site else "/"),
        "page": f"{site.root}ui/trial/{quote(str(record['trial_uid']), safe='')}" if site else None,
    }


def _part(record: Record, name: str) -> Mapping[str, Any] | None:
    return record.get(name) or None


def _evidence(record: Record, folder: str | None, root: str) -> str | None:
    path = str(record.get("evidence") or "")
    # Only paths: a record must not be able to smuggle in a javascript: or foreign address.
    if not path.startswith("/") or path.startswith("//"):
        return None
    return quote(f"{folder}/{record['trial']}.tar.gz" if folder is not None else root + path[1:])
