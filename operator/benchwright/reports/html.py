"""report.html: one page that needs nothing else, neither network nor JavaScript."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, StrictUndefined, Template

from benchwright.reports import measured, words
from benchwright.reports.claims import claims
from benchwright.reports.spending import spending
from benchwright.reports.summary import Record, findings, measurements, summarise

_NETWORKS = {"none": "none: workspaces reached the model proxy and nothing else"}


def render(run: str, records: Sequence[Record], evidence_folder: str | None = None) -> str:
    """The page. Evidence is linked at the results service, or as files in `evidence_folder`."""
    mine = sorted(
        measurements(records), key=lambda r: (str(r["agent"]), str(r["task"]), r["index"])
    )
    cells = summarise(mine)
    return _template().render(
        run=run,
        header=_header(mine),
        agents=_agents(mine),
        claims=claims(mine),
        tasks=sorted({c.task for c in cells}),
        cells={(c.agent, c.task): c for c in cells},
        rows=[_row(r, evidence_folder) for r in mine],
    )


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"number": words.number, "percent": words.percent}
    environment.globals["signs"] = words.SIGNS
    source = files("benchwright.reports").joinpath("report.html.j2").read_text("utf-8")
    return environment.from_string(source)


def _header(records: Sequence[Record]) -> Mapping[str, str]:
    networks = [_NETWORKS.get(n, n) for n in _distinct(records, "network")]
    return {
        "Corpus": ", ".join(_distinct(records, "corpus_digest")) or words.NOTHING,
        "Protocol": ", ".join(_distinct(records, "protocol")) or words.NOTHING,
        "Network": ", ".join(networks) or words.NOTHING,
        "Namespace": ", ".join(_distinct(records, "namespace")) or words.NOTHING,
        "Run UID": ", ".join(_distinct(records, "run_uid")) or words.NOTHING,
        "First start": _date(min(_distinct(records, "started_at"), default="")),
        "Last outcome": _date(max(_distinct(records, "finished_at"), default="")),
        "Trials with an outcome": str(len(records)),
        "Tokens spent in all": str(spending(records)) if records else words.NOTHING,
    }


def _date(stamp: str) -> str:
    """To the second; the records have the rest."""
    return f"{stamp[:19].replace('T', ' ')} UTC" if stamp else words.NOTHING


def _distinct(records: Sequence[Record], key: str) -> list[str]:
    return sorted({str(r[key]) for r in records if r.get(key) is not None})


def _agents(records: Sequence[Record]) -> list[dict[str, str]]:
    keys = ("agent", "scaffold", "model", "effort", "agent_digest")
    rows: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        row = tuple(str(record.get(k) or words.NOTHING) for k in keys)
        rows.setdefault(row, []).append(record)
    return [
        {**dict(zip(keys, row, strict=True)), "spent": spending(rows[row]).tokens}
        for row in sorted(rows)
    ]


def _row(record: Record, folder: str | None) -> dict[str, Any]:
    return {
        "record": record,
        "message": words.one_line(record.get("message"), limit=600),
        "tests": measured.added_or_passed(record),
        "lines": measured.lines(record),
        "changes_apply": record.get("kind") in measured.CHANGES_FILES,
        "changes": _part(record, "changes"),
        "usage": _part(record, "usage"),
        "spent": spending([record]).tokens if record.get("attempts") else None,
        "findings": findings(record),
        "seconds": _part(record, "seconds"),
        "evidence": _evidence(record, folder),
    }


def _part(record: Record, name: str) -> Mapping[str, Any] | None:
    return record.get(name) or None


def _evidence(record: Record, folder: str | None) -> str | None:
    path = str(record.get("evidence") or "")
    # Only paths: a record must not be able to smuggle in a javascript: or foreign address.
    if not path.startswith("/") or path.startswith("//"):
        return None
    return quote(f"{folder}/{record['trial']}.tar.gz" if folder is not None else path)
