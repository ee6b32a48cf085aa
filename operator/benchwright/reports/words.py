"""Numbers and hostile text in words, for pages and terminals alike."""

import re

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


def percent(rate: float) -> str:
    return f"{100 * rate:.0f} %"


def one_line(text: object, limit: int = 300) -> str:
    """Control characters (escape sequences, line ends) become a space; long text is cut."""
    plain = _CONTROL.sub(" ", "" if text is None else str(text)).strip()
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"
