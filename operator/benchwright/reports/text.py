"""Tables for the terminal. All text goes in as rich `Text`: nothing in a record is markup."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from benchwright.analysis.grid import GridCell
from benchwright.reports import words
from benchwright.reports.claims import claims
from benchwright.reports.measured import CHANGES_FILES, GAINS_LINES
from benchwright.reports.report import Report
from benchwright.reports.spending import spending
from benchwright.reports.summary import CellSummary, Record, Sample, harness_seconds, sample
from benchwright.stats.proportions import wilson
from benchwright.stats.values import Undefined

_COLUMNS = (
    "Success", "95 % interval", "Outcomes", "Lines gained", "Files", "Lines changed", "Tokens",
    "Harness s",
)  # fmt: skip
_CAPTION = "medians of valid trials; ? is unknown, – does not apply"
_ROOM = 100
"""Columns below which a table of that many columns is all folds."""


def results(report: Report) -> RenderableType:
    """What is shown at the end of a run: the table, the harness's seconds, tokens, what may be said."""
    parts: list[RenderableType] = [_Fitting(report), Text(harness_line(report.records))]
    if report.records:
        parts.append(Text(f"tokens spent in all: {spending(report.records)}"))
    for claim in claims(report):
        if claim.kind != "may":
            sign, style = ("✗", "red") if claim.kind == "stop" else ("!", "yellow")
            parts.append(Text.assemble((f"{sign} ", style), words.one_line(claim.text, 1000)))
    return Group(*parts)


@dataclass(frozen=True)
class _Fitting:
    """The table where there is room for it, else a paragraph for each of its rows."""

    report: Report

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width >= _ROOM:
            yield table(self.report)
            return
        yield _title(self.report)
        for agent, task, values in _rows(self.report):
            told = zip(_COLUMNS, values, strict=True)
            parts = [
                Text.assemble((f"{n} ", "dim"), v) for n, v in told if v.plain != words.NOTHING
            ]
            yield Text.assemble(_agent(agent), " · ", words.one_line(task))
            yield Padding(Text(" · ").join(parts), (0, 0, 0, 2))
        yield Text(_CAPTION, style="dim")


def _title(report: Report) -> Text:
    return Text(f"Results of run {words.one_line(report.data.title)}")


def _agent(name: str) -> Text:
    return Text(words.one_line(name), style="bold")


def table(report: Report) -> Table:
    """A row for each agent at each task; numbers after the rate are medians of valid trials."""
    out = Table(
        title=_title(report), title_justify="left", caption=_CAPTION, caption_justify="left"
    )
    out.add_column("Agent", overflow="fold")
    out.add_column("Task", overflow="fold")
    for name in _COLUMNS:
        out.add_column(name, justify="left" if name == "Outcomes" else "right")
    last = ""
    for agent, task, values in _rows(report):
        if last and agent != last:
            out.add_section()
        out.add_row(_agent(agent) if agent != last else "", Text(words.one_line(task)), *values)
        last = agent
    return out


def _rows(report: Report) -> Iterator[tuple[str, str, list[Text]]]:
    """Agent, task, and the columns."""
    for (agent, task), cell in report.grid.cells.items():
        yield agent, task, _values(cell, report.cells.get((agent, task)))


def harness_line(records: Sequence[Record]) -> str:
    """Median and maximum of what Benchwright itself took of a trial."""
    spent = sample(records, harness_seconds)
    if spent.median is None:
        return "harness seconds a trial: unknown, for no valid trial has them"
    known = f"{len(spent.values)} valid trial{'' if len(spent.values) == 1 else 's'}"
    unknown = f", {spent.unknown} unknown" if spent.unknown else ""
    return (
        f"harness seconds a trial: median {words.number(spent.median, 1)}, "
        f"max {words.number(spent.maximum, 1)} ({known}{unknown})"
    )


def _values(cell: GridCell, of: CellSummary | None) -> list[Text]:
    if of is None:
        return [Text("n/a"), Text(_interval(cell)), _outcomes(cell, of), *[Text(words.NOTHING)] * 5]
    gains, changes = of.kind in GAINS_LINES, of.kind in CHANGES_FILES
    return [
        Text(f"{cell.count.c}/{cell.count.n}" if cell.count.n else "n/a"),
        Text(_interval(cell)),
        _outcomes(cell, of),
        Text(_median(of.gained_lines) if gains else words.NOTHING),
        Text(_median(of.changed_files) if changes else words.NOTHING),
        Text(_median(of.changed_lines) if changes else words.NOTHING),
        Text(_median(of.tokens)),
        Text(_median(of.harness_seconds, 1)),
    ]


def _interval(cell: GridCell) -> str:
    interval = wilson(cell.count)
    if isinstance(interval, Undefined):
        return interval.reason
    return f"{words.percent(interval.low)} – {words.percent(interval.high)}"


def _outcomes(cell: GridCell, of: CellSummary | None) -> Text:
    tally = cell.cell
    counts = {
        "success": cell.count.c, "failure": cell.count.n - cell.count.c - tally.timeouts,
        "timeout": tally.timeouts, "invalid": tally.invalid,
    }  # fmt: skip
    parts = [(f"{words.SIGNS[o]} {n} {o}", words.STYLES[o]) for o, n in counts.items() if n]
    if tally.missing:
        parts.append((f"… {tally.missing} unfinished", "dim"))
    findings = of.findings if of else {}
    parts += [(f"! {n} {reason}", "yellow") for reason, n in findings.items()]
    return Text(", ").join(Text(text, style=style) for text, style in parts)


def _median(values: Sample, digits: int = 0) -> str:
    if values.median is None:
        return words.UNKNOWN if values.of else words.NOTHING
    text = words.number(values.median, digits)
    return f"{text} ({values.unknown} ?)" if values.unknown else text
