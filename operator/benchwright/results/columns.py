"""What lists sort and search by, taken out of a record (pure).

A record that an older or a broken operator wrote is listed all the same: what it lacks, or has in
another form, is unknown.
"""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from benchwright.core.clock import parse_time

Json = Mapping[str, Any]
_LARGEST = 2**53


def columns_of(record: Json) -> dict[str, Any]:
    """Column → value. Times are unix seconds, tokens input and output of the attempt that counts."""
    usage = _part(record, "usage")
    tokens = [_whole(usage.get(key)) for key in ("input_tokens", "output_tokens")]
    return {
        "trial": _text(record.get("trial")),
        "agent": _text(record.get("agent")),
        "agent_digest": _text(record.get("agent_digest")),
        "task": _text(record.get("task")),
        "reason": _text(record.get("reason")),
        "started_at": _time(record.get("started_at")),
        "finished_at": _time(record.get("finished_at")),
        "seconds": _number(_part(record, "seconds").get("total")),
        "tokens": None if None in tokens else sum(t for t in tokens if t is not None),
        "cost_usd": _number(usage.get("cost_usd")),
        "gained_lines": _whole(_part(record, "coverage").get("gained_lines")),
    }


def _part(record: Json, name: str) -> Json:
    found = record.get(name)
    return found if isinstance(found, dict) else {}


def _text(value: object) -> str | None:
    return value.replace("\0", "�") if isinstance(value, str) else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= _LARGEST and isfinite(value) else None


def _whole(value: object) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number == int(number) else None


def _time(value: object) -> float | None:
    try:
        moment = parse_time(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment.timestamp() if moment else None
