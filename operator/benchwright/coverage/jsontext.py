"""JSON from a hostile place: bounded in size, depth and number of values, no NaN, no key twice."""

import json
from typing import Any

from benchwright.coverage.errors import malformed, too_large
from benchwright.coverage.limits import Limits


def load(data: bytes, limits: Limits) -> dict[str, Any]:
    """Parse a JSON object; raises `CoverageError(malformed | too_large)`."""
    if len(data) > limits.bytes:
        raise too_large(f"{len(data)} bytes, more than {limits.bytes}")
    # An empty list costs 2 bytes of text and 64 of memory, so values are counted before they are
    # made. Commas and brackets inside strings count too: that errs on the safe side.
    if data.count(b",") + data.count(b"[") + data.count(b"{") > limits.rows:
        raise too_large(f"more than {limits.rows} JSON values")
    try:
        document = json.loads(
            data.decode("utf-8-sig"), parse_constant=_refuse, object_pairs_hook=_unique
        )
    except RecursionError:
        raise malformed("JSON nested too deep") from None
    except ValueError as error:  # also UnicodeDecodeError, and numbers of too many digits
        raise malformed(f"no JSON: {error}") from None
    if not isinstance(document, dict):
        raise malformed("the JSON document is no object")
    return document


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of a key that came twice the first value would be lost unseen."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice in one object")
    return found
