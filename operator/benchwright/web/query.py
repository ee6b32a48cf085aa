"""Addresses of lists ↔ what is asked for. Everything is in the address, so that it can be shared."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import fields, replace
from urllib.parse import urlencode

from benchwright.web.lists import (
    DEFAULT_SORT,
    DESCENDING_FIRST,
    REVIEWS,
    SORTS,
    Cursor,
    Filter,
    Query,
    TrialRow,
)

OUTCOMES = ("success", "failure", "timeout", "invalid")
LONGEST = 253
_NUMBERS = DESCENDING_FIRST
_NAMES = {"text": "q"}
"""Fields of a filter whose name in the address is another."""


class QueryError(ValueError):
    """An address that cannot be read; says what to do."""


def parse(asked: Mapping[str, str]) -> Query:
    """What an address asks for; values that mean nothing are left out. Raises QueryError."""
    found = {f.name: asked.get(_NAMES.get(f.name, f.name), "").strip() for f in fields(Filter)}
    if too_long := [name for name, value in found.items() if len(value) > LONGEST]:
        raise QueryError(f"{too_long[0]}: look for at most {LONGEST} characters")
    found = {name: value.replace("\0", "") for name, value in found.items()}
    if found["outcome"] not in OUTCOMES:
        found["outcome"] = ""
    if found["review"] not in REVIEWS:
        found["review"] = ""
    sort = asked.get("sort", "")
    sort = sort if sort in SORTS else DEFAULT_SORT
    down = {"asc": False, "desc": True}.get(asked.get("dir", ""), sort in DESCENDING_FIRST)
    return Query(Filter(**found), sort, down, _cursor(asked, sort))


def address(query: Query, **more: str) -> str:
    """The query part of an address, with its question mark; what is usual is left out."""
    pairs = {_NAMES.get(f.name, f.name): str(getattr(query.filter, f.name)) for f in fields(Filter)}
    if query.sort != DEFAULT_SORT:
        pairs["sort"] = query.sort
    if query.descending != (query.sort in DESCENDING_FIRST):
        pairs["dir"] = "desc" if query.descending else "asc"
    if query.cursor is not None:
        pairs["before" if query.cursor.backwards else "after"] = _written(query.cursor)
    return "?" + urlencode({k: v for k, v in {**pairs, **more}.items() if v})


def sorted_by(query: Query, column: str) -> Query:
    """By another column, or the other way round; from the start."""
    same = query.sort == column
    down = not query.descending if same else column in DESCENDING_FIRST
    return replace(query, sort=column, descending=down, cursor=None)


def place(query: Query, row: TrialRow, *, backwards: bool) -> Query:
    """What comes after a row, or before it."""
    value: str | float | None = getattr(row, query.sort)
    return replace(query, cursor=Cursor(value, row.trial_uid, backwards))


def _written(cursor: Cursor) -> str:
    text = json.dumps([cursor.value, cursor.trial_uid], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def _cursor(asked: Mapping[str, str], sort: str) -> Cursor | None:
    text = asked.get("before") or asked.get("after")
    if not text:
        return None
    try:
        padded = text + "=" * (-len(text) % 4)
        value, uid = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise QueryError(_LOST) from error
    kinds: tuple[type, ...] = (int, float) if sort in _NUMBERS else (str,)
    fits = value is None or (isinstance(value, kinds) and not isinstance(value, bool))
    if not fits or not isinstance(uid, str) or _unusable(value) or _unusable(uid):
        raise QueryError(_LOST)
    return Cursor(value, uid, backwards="before" in asked)


def _unusable(value: object) -> bool:
    """What no database takes."""
    if isinstance(value, str):
        return "\0" in value or not value.isprintable()
    return isinstance(value, int | float) and not abs(value) <= 2**53


_LOST = "the place in the list cannot be read from this address: open the list from its start"
