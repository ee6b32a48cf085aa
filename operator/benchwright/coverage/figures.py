"""Numbers as reports write them."""

import re

_NUMBER = re.compile(r"-?\d+(\.\d*)?([eE][+-]?\d{1,9})?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_MAX_DIGITS = 18  # 64 bits: no tool counts further, and int() of long digits is quadratic
LARGEST = 10**_MAX_DIGITS
"""Bound of what is kept as a number."""


def hits(text: str) -> bool | None:
    """Whether a count says "executed"; None for one that no execution has (negative, NaN, 1e999).

    Raises ValueError for what is no number at all.
    """
    if text.isdigit() and text.isascii():
        return text.strip("0") != ""
    if _NUMBER.fullmatch(text):
        value = float(text)
        return None if value < 0 or value == float("inf") else value > 0
    if _NOT_FINITE.fullmatch(text):
        return None
    raise ValueError(f"no number: {text[:40]!r}")


def whole(text: str) -> int:
    """A whole number of at most 18 digits; ValueError otherwise (int() would take `1_0`, ` 1`)."""
    digits = text.removeprefix("-")
    if not (digits.isdigit() and digits.isascii() and len(digits) <= _MAX_DIGITS):
        raise ValueError(f"no whole number: {text[:40]!r}")
    return int(text)
