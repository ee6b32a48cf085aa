"""Tables for the terminal. All text goes in as rich `Text`: nothing in a record is markup."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from benchwright.reports import words
from benchwright.reports.claims import claims
from benchwright.reports.measured import CHANGES_FILES, GAINS_LINES
from benchwright.reports.spending import spending
from benchwright.reports.summary import (
    CellSummary,
    Record,
    Sample,
    harness_seconds,
    measurements,
    sample,
    summarise,
)

_COLUMNS = (
    "Success", "95 % interval", "Outcomes", "Lines gained", "Files", "Lines changed", "Tokens",
    "Harness s",
)  # fmt: skip
_CAPTION = "medians of valid trials; ? is unknown, – does not apply"
_ROOM = 100
"""Columns below which a table of that many columns is all folds."""


def results(run: str, records: Sequence[Record]) -> RenderableType:
    """What is shown at the end of a run: the table, the harness's seconds, tokens, what may be said."""
    mine = measurements(records)
    parts: list[RenderableType] = [_Fitting(run, mine), Text(harness_line(mine))]
    if mine:
        parts.append(Text(f"tokens spent in all: {spending(mine)}"))
    for claim in claims(mine):
        if claim.kind != "may":
            sign, style = ("✗", "red") if claim.kind == "stop" else ("!", "yellow")
            parts.append(Text.assemble((f"{sign} ", style), words.one_line(claim.text, 1000)))
    return Group(*parts)


@dataclass(frozen=True)
class _Fitting:
    """The table where there is room for it, else a paragraph for each of its rows."""

    run: str
    records: Sequence[Record]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width >= _ROOM:
            yield table(self.run, self.records)
            return
        yield _title(self.run)
        for cell in summarise(self.records):
            agent, task, *values = _row(cell, show_agent=True)
            told = zip(_COLUMNS, values, strict=True)
            parts = [
                Text.assemble((f"{n} ", "dim"), v) for n, v in told if v.plain != words.NOTHING
            ]
            yield Text.assemble(agent, " · ", task)
            yield Padding(Text(" · ").join(parts), (0, 0, 0, 2))
        yield Text(_CAPTION, style="dim")


def _title(run: str) -> Text:
    return Text(f"Results of run {words.one_line(run)}")


def table(run: str, records: Sequence[Record]) -> Table:
    """A row for each agent at each task; numbers after the rate are medians of valid trials."""
    out = Table(title=_title(run), title_justify="left", caption=_CAPTION, caption_justify="left")
    out.add_column("Agent", overflow="fold")
    out.add_column("Task", overflow="fold")
    for name in _COLUMNS:
        out.add_column(name, justify="left" if name == "Outcomes" else "right")
    last = ""
    for cell in summarise(records):
        if last and cell.agent != last:
            out.add_section()
        out.add_row(*_row(cell, show_agent=cell.agent != last))
        last = cell.agent
    return out


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


def _row(cell: CellSummary, *, show_agent: bool) -> list[Text]:
    gains, changes = cell.kind in GAINS_LINES, cell.kind in CHANGES_FILES
    return [
        Text(words.one_line(cell.agent) if show_agent else "", style="bold"),
        Text(words.one_line(cell.task)),
        Text(f"{cell.success}/{cell.valid}" if cell.valid else "n/a"),
        Text(_interval(cell)),
        _outcomes(cell),
        Text(_median(cell.gained_lines) if gains else words.NOTHING),
        Text(_median(cell.changed_files) if changes else words.NOTHING),
        Text(_median(cell.changed_lines) if changes else words.NOTHING),
        Text(_median(cell.tokens)),
        Text(_median(cell.harness_seconds, 1)),
    ]


def _interval(cell: CellSummary) -> str:
    if cell.interval is None:
        return cell.interval_missing or ""
    return f"{words.percent(cell.interval.low)} – {words.percent(cell.interval.high)}"


def _outcomes(cell: CellSummary) -> Text:
    counts = {
        "success": cell.success, "failure": cell.failure, "timeout": cell.timeout,
        "invalid": cell.invalid,
    }  # fmt: skip
    parts = [(f"{words.SIGNS[o]} {n} {o}", words.STYLES[o]) for o, n in counts.items() if n]
    if cell.unfinished > 0:
        parts.append((f"… {cell.unfinished} unfinished", "dim"))
    parts += [(f"! {n} {reason}", "yellow") for reason, n in cell.findings.items()]
    return Text(", ").join(Text(text, style=style) for text, style in parts)


def _median(values: Sample, digits: int = 0) -> str:
    if values.median is None:
        return words.UNKNOWN if values.of else words.NOTHING
    text = words.number(values.median, digits)
    return f"{text} ({values.unknown} ?)" if values.unknown else text
