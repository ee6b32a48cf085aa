"""A cell's result as HTML. Tables have hundreds of them: a template's macro took ten times as long."""

from functools import lru_cache

from markupsafe import Markup

from benchwright.reports import words
from benchwright.web.cells import Cell

_VOID = Markup('<span class="big">▨ n/a</span><small>no valid trial: {} invalid</small>')
_RATE = Markup(
    '<span class="big">{}/{}</span>'
    '<svg class="rate" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
    '<rect class="ground" width="100" height="6"/>'
    '<rect class="span" x="{:.1f}" width="{:.1f}" height="6"/>'
    '<rect class="mark" x="{:.1f}" width="1.5" height="6"/></svg>'
    "<small>{} (95 %: {} to {})</small>"
)
_REST = Markup('<small class="{}"><span aria-hidden="true">{}</span> {} {}{}</small>')
_NOT_SUCCESSFUL = ("failure", "timeout", "invalid")


def result(cell: Cell) -> Markup:
    """Successes of valid trials, the interval as a bar and in words, and what else there was."""
    return _result(*(cell.of(outcome) for outcome in ("success", *_NOT_SUCCESSFUL)))


@lru_cache(4096)
def _result(success: int, failure: int, timeout: int, invalid: int) -> Markup:
    counts = dict(zip(_NOT_SUCCESSFUL, (failure, timeout, invalid), strict=True))
    cell = Cell({"success": success, **counts})
    interval = cell.interval
    if interval is None:
        return _VOID.format(words.number(invalid))
    low, high = interval.low, interval.high
    rate = _RATE.format(
        words.number(success), words.number(cell.valid),
        100 * low, 100 * (high - low), 98.5 * cell.rate,
        words.percent(cell.rate), words.percent(low), words.percent(high),
    )  # fmt: skip
    return rate + Markup("").join(
        _REST.format(
            o, words.SIGNS[o], words.number(n), o, ", not counted" if o == "invalid" else ""
        )
        for o, n in counts.items()
        if n
    )
