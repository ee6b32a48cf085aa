"""The plots of the page, each with the table of its points."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from benchwright.analysis.trade import Trade
from benchwright.reports import words
from benchwright.reports.plots import scatter
from benchwright.reports.report import Report


@dataclass(frozen=True)
class Figure:
    """Success against one amount."""

    key: str
    title: str
    column: str
    svg: Markup
    trade: Trade
    written: Callable[[float], str]


_SHOWN: Sequence[tuple[str, str, str, Callable[[float], str]]] = (
    ("cost", "Success against cost", "US dollars, mean of a trial", words.money),
    ("seconds", "Success against wall time", "Seconds, mean of a trial", words.seconds),
    ("agent_seconds", "Success against the agent's own time", "Seconds, mean of a trial", words.seconds),
    ("tokens_out", "Success against output tokens", "Output tokens, mean of a trial", words.number),
)  # fmt: skip


def figures(report: Report) -> list[Figure]:
    """Those for which anything is known; the agents that one lacks are named with it."""
    found = []
    for key, title, label, written in _SHOWN:
        trade = report.trades[key]
        if trade.points:
            svg = Markup(scatter(trade, label, key=key))  # noqa: S704  by matplotlib, which escapes
            found.append(Figure(key, title, label, svg, trade, written))
    return found
