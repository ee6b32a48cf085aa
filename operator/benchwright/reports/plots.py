"""Scatter plots as SVG that takes its colours from the page, for light, dark and print alike.

matplotlib is imported here alone, and late: it takes a while.
"""

import io
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from benchwright.analysis.trade import Point, Trade

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH, _HEIGHT = 6.4, 4.0
_LOG_SPAN = 20
"""From this ratio of the dearest to the cheapest on, the scale is logarithmic."""
_NUMBERED = 40
"""Points that are numbered; beyond, those on the frontier alone."""
_INK, _SOFT, _LINE, _ACCENT = "#010203", "#010204", "#010205", "#010206"
_VARIABLES: Mapping[str, str] = {
    _INK: "var(--fg)", _SOFT: "var(--soft)", _LINE: "var(--line)", _ACCENT: "var(--accent)",
}  # fmt: skip
_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_FONT = re.compile(r" font-family: [^;\"]*;")
# It would hold for the whole page.
_STYLE = re.compile(r"\s*<defs>\s*<style.*?</style>\s*</defs>", re.DOTALL)


def scatter(trade: Trade, label: str, *, key: str) -> str:
    """Success against an amount; points carry their place in the table below. "" without points.

    `key` tells ids of several plots of a page apart.
    """
    if not trade.points:
        return ""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    out = io.StringIO()
    with mpl.rc_context({
        "svg.fonttype": "none",  # text stays text: small, searched, read aloud
        "svg.hashsalt": "benchwright", "text.parse_math": False, "font.size": 9.0,
        "text.color": _INK, "axes.labelcolor": _INK, "axes.edgecolor": _SOFT, "xtick.color": _SOFT,
        "ytick.color": _SOFT, "xtick.labelcolor": _INK, "ytick.labelcolor": _INK,
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": _LINE,
        "axes.facecolor": "none", "grid.linewidth": 0.6, "axes.axisbelow": True,
    }):  # fmt: skip
        figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained", frameon=False)
        _draw(figure.subplots(), trade, label)
        figure.savefig(out, format="svg", metadata={"Date": None})
    return _embedded(out.getvalue(), key)


def _draw(axes: "Axes", trade: Trade, label: str) -> None:
    axes.set(xlabel=label, ylabel="Success rate, %")
    best = [p for p in trade.points if p.on_frontier]
    others = [p for p in trade.points if not p.on_frontier]
    axes.scatter(*_places(others), s=28, facecolors="none", edgecolors=_SOFT)
    axes.plot(*_places(best), color=_ACCENT, linewidth=1.2, drawstyle="steps-post")
    axes.scatter(*_places(best), s=34, marker="s", color=_ACCENT)
    amounts, _ = _places(trade.points)
    if min(amounts) > 0 and max(amounts) / min(amounts) > _LOG_SPAN:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")  # not as 10 to the power
        axes.xaxis.set_minor_formatter(lambda value, _: "")
    axes.margins(0.08, 0.12)
    for number, point in enumerate(trade.points, 1):
        if point.on_frontier or len(trade.points) <= _NUMBERED:
            axes.annotate(
                str(number), (float(point.amount), 100 * point.rate), xytext=(5, 4),
                textcoords="offset points", fontsize=8,
            )  # fmt: skip


def _places(points: Sequence[Point]) -> tuple[list[float], list[float]]:
    return [float(p.amount) for p in points], [100 * p.rate for p in points]


def _embedded(svg: str, key: str) -> str:
    """As a part of a page: no prologue, no metadata (it names other hosts), the page's colours."""
    for unwanted in (_PROLOGUE, _METADATA, _STYLE):
        svg = unwanted.sub("", svg, count=1)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, variable)
    svg = _FONT.sub("", svg)
    # Ids are the same in every figure of matplotlib.
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{key}-", svg)
    return svg.replace("<svg ", f'<svg role="img" aria-labelledby="{key}-caption" ', 1)
