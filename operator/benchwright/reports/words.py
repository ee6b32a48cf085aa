"""Numbers and hostile text in words, for pages and terminals alike."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # it brings scipy, which takes a while
    from benchwright.analysis.standings import Amount

UNKNOWN = "?"
NOTHING = "–"
# C0, C1, bidirectional overrides and line separators: an agent's output must not steer a terminal.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+")
SIGNS = {"success": "✓", "failure": "✗", "timeout": "◷", "invalid": "▨"}
"""A sign for each outcome, since colour alone is not seen by everybody."""
STYLES = {"success": "green", "failure": "red", "timeout": "yellow", "invalid": "magenta"}


def number(value: float | None, digits: int = 0) -> str:
    """With thousands separators; whole numbers without a fraction; unknown is a question mark."""
    if value is None:
        return UNKNOWN
    if digits == 0 and value != int(value):
        digits = 1
    return f"{value:,.{digits}f}"


def percent(rate: float, digits: int = 0) -> str:
    return f"{100 * rate:.{digits}f} %"


def points(difference: float) -> str:
    """Of a difference of rates: with its sign, in percentage points."""
    return f"{100 * difference:+.1f}"


def money(value: float | Decimal | None) -> str:
    """US dollars; small amounts with as many digits as tell them apart."""
    if value is None:
        return UNKNOWN
    return f"${value:,.2f}" if value == 0 or value >= 1 else f"${float(value):.3g}"


def seconds(value: float | None) -> str:
    return number(value, 1)


def date(stamp: str | None) -> str:
    """To the second; the records have the rest."""
    return f"{stamp[:19].replace('T', ' ')} UTC" if stamp else UNKNOWN


def total(amount: "Amount", written: Callable[[float], str]) -> str:
    """Of a sum: `≥` where anything is unknown, `?` where everything is."""
    if amount.unknown == amount.trials:
        return UNKNOWN if amount.trials else NOTHING
    return f"{'≥ ' if amount.unknown else ''}{written(float(amount.known))}"


def one_line(text: object, limit: int = 300) -> str:
    """Control characters (escape sequences, line ends) become a space; long text is cut."""
    plain = _CONTROL.sub(" ", "" if text is None else str(text)).strip()
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"
