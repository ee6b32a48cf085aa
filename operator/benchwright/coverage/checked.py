"""Values of parsed JSON, by type and bounds; all raise TypeError or ValueError."""

import re
from collections.abc import Mapping
from typing import Any

from benchwright.coverage.figures import LARGEST


def matching(pattern: re.Pattern[str], value: object) -> re.Match[str]:
    match = pattern.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"{value!r:.40}")
    return match


def text(value: object, limit: int) -> str:
    if not isinstance(value, str) or len(value) > limit:
        raise ValueError(f"text: {value!r:.40}")
    return value


def mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("no object")
    return value


def array(value: object, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or length not in (None, len(value)):
        raise TypeError("no list, or one of another length")
    return value


def count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= LARGEST:
        raise ValueError(f"no count: {value!r:.40}")
    return value


def claim(value: object) -> int | None:
    """Claims are kept as they were made, so a negative one may come back."""
    if value is None:
        return None
    if type(value) is not int or abs(value) > LARGEST:
        raise ValueError(f"no total: {value!r:.40}")
    return value
