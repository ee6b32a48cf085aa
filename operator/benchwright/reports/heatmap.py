"""The task × configuration heatmap: a table that says in text what its colours show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from benchwright.analysis.grid import GridCell
from benchwright.analysis.observations import ConfigKey, TaskKey
from benchwright.reports import words
from benchwright.reports.report import Report
from benchwright.stats.proportions import wilson
from benchwright.stats.values import Count, Undefined

ROOMY = 120
"""Cells up to which each says everything; beyond, each says its counts and a legend has the rest."""
_STEPS = 10
"""Shades between no success and all."""
MISSING, INVALID, UNPLANNED = "—", "▨", "·"
_EMPTY = {"missing": MISSING, "unplanned": UNPLANNED}
"""Signs of cells in which nothing was observed."""

Links = Mapping[tuple[ConfigKey, TaskKey], str]


@dataclass(frozen=True)
class Row:
    """A task, and its cells in the order of configurations."""

    task: str
    kind: str | None
    cells: Sequence[Markup]


@dataclass(frozen=True)
class Heatmap:
    """What the template lays out."""

    configs: Sequence[ConfigKey]
    rows: Sequence[Row]
    roomy: bool
    legend: Sequence[tuple[str, str]]
    """Count → rate with Wilson interval, of every count that occurs, where cells have no room."""


def heatmap(report: Report, links: Links) -> Heatmap:
    """`links`: where the trials of a cell are listed."""
    grid, configs = report.grid, [s.config.key for s in report.standings]
    roomy = len(grid.cells) <= ROOMY
    draw = _full if roomy else _short
    rows = [
        Row(
            task.key,
            task.kind,
            [
                draw(grid.cells[key, task.key], report, (key, task.key), links.get((key, task.key)))
                for key in configs
            ],
        )
        for task in grid.data.tasks
    ]
    counts = {cell.count for cell in grid.cells.values() if cell.count.n}
    return Heatmap(configs, rows, roomy, [] if roomy else _legend(counts))


def _legend(counts: set[Count]) -> list[tuple[str, str]]:
    ordered = sorted(counts, key=lambda c: (c.n, c.c))
    return [(f"{c.c}/{c.n}", rate_words(c)) for c in ordered]


def rate_words(count: Count) -> str:
    """`80 % (95 %: 38 % to 96 %)`."""
    interval = wilson(count)
    if isinstance(interval, Undefined):
        return interval.reason
    low, high = words.percent(interval.low), words.percent(interval.high)
    return f"{words.percent(count.c / count.n)} (95 %: {low} to {high})"


def _short(cell: GridCell, report: Report, key: tuple[str, str], link: str | None) -> Markup:
    """A few bytes a cell: there may be a hundred thousand."""
    if cell.state != "measured":
        return _nothing(cell, cell.state)
    of = cell.cell
    signs = "".join(
        sign for sign, n in (("◷", of.timeouts), (INVALID, of.invalid), (MISSING, of.missing)) if n
    )
    text = f"{cell.count.c}/{cell.count.n}{signs}"
    body = f'<a href="{escape(link)}">{text}</a>' if link else text
    return Markup(f"<td class=r{shade(cell.count)}>{body}")  # noqa: S704  numbers and a class


def _nothing(cell: GridCell, state: str) -> Markup:
    sign = _EMPTY.get(state)
    if sign is None:
        sign = f"{INVALID}{cell.cell.invalid}{MISSING if cell.cell.missing else ''}"
    return Markup(f"<td class={state}>{sign}")  # noqa: S704


def shade(count: Count) -> int:
    """0 for none and 10 for all; whatever lies between is neither."""
    if count.c in {0, count.n}:
        return _STEPS if count.c else 0
    return min(_STEPS - 1, max(1, round(_STEPS * count.c / count.n)))


def _full(cell: GridCell, report: Report, key: tuple[str, str], link: str | None) -> Markup:
    lines = "".join(f"<small>{escape(line)}</small>" for line in _details(cell, report, key))
    agent = f' data-agent="{escape(key[0])}"'  # on paper the head of a wide table is left out
    if sign := _EMPTY.get(cell.state):
        return Markup(f'<td class="cell {cell.state}"{agent}><b>{sign}</b>{lines}</td>')  # noqa: S704
    if cell.state == "invalid":
        return Markup(f'<td class="cell invalid"{agent}><b>{INVALID} n/a</b>{lines}</td>')  # noqa: S704
    text = f"{cell.count.c}/{cell.count.n}"
    body = f'<a href="{escape(link)}">{text}</a>' if link else text
    return Markup(  # noqa: S704  escaped above
        f'<td class="cell r{shade(cell.count)}"{agent}><b>{body}</b>{_bar(cell.count)}{lines}</td>'
    )


def _bar(count: Count) -> str:
    interval = wilson(count)
    if isinstance(interval, Undefined):
        return ""
    left, right = 100 * interval.low, 100 - 100 * interval.high
    return (
        f'<div class="bar" aria-hidden="true"><span style="left:{left:.1f}%;right:{right:.1f}%"></span>'
        f'<i style="left:{100 * count.c / count.n:.1f}%"></i></div>'
    )


def _details(cell: GridCell, report: Report, key: tuple[str, str]) -> list[str]:
    counts = cell.cell
    if cell.state == "missing":
        of = f" of {counts.missing} planned" if report.data.plan_known else ""
        return [f"missing: no trial{of} has an outcome"]
    if cell.state == "unplanned":
        return ["not planned"]
    found = [rate_words(cell.count)] if cell.state == "measured" else ["no valid trial"]
    found += _measures(report, key)
    if counts.timeouts:
        found.append(f"◷ {counts.timeouts} by timeout")
    if counts.invalid:
        found.append(f"▨ {counts.invalid} invalid, not counted")
    if counts.missing:
        found.append(f"— {counts.missing} missing")
    found += [f"{reason} × {n}" for reason, n in list(cell.reasons.items())[:3]]
    return found


def _measures(report: Report, key: tuple[str, str]) -> list[str]:
    summary = report.cells.get(key)
    if summary is None:
        return []
    found = []
    if summary.kind == "testWriting":
        lines = summary.gained_lines
        unknown = f" ({lines.unknown} unknown)" if lines.unknown else ""
        found.append(f"lines gained, median {words.number(lines.median)}{unknown}")
    return found + [f"! {n} × {reason}" for reason, n in summary.findings.items()]
