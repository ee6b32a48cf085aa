"""A list in an order, from a place in it onwards: conditions for SQL (no I/O).

Unknown values come last in either direction, whatever a database does with NULL. A place is a value
and a UID, not a number of rows: it stays right while new trials come, and costs the same on every
page. Going backwards is the same list turned round.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Table, and_, or_

from benchwright.web.lists import Cursor


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the list: what belongs to it, and its order."""

    where: ColumnElement[bool] | None
    order: tuple[ColumnElement[Any], ...]


def whole(table: Table, sort: str, *, descending: bool, cursor: Cursor | None) -> Stretch:
    """The list as one part, which no index has in this order: for lists that are narrowed."""
    column, uid, down, backwards = _directions(table, sort, descending, cursor)
    unknown = column.is_(None)
    first = unknown.desc() if backwards else unknown.asc()
    order = (first, _ordered(column, down), _ordered(uid, down))
    return Stretch(None if cursor is None else _after(column, uid, cursor, down), order)


def stretches(
    table: Table, sort: str, *, descending: bool, cursor: Cursor | None
) -> Sequence[Stretch]:
    """The known values and the unknown ones apart, each in an order that an index may have. To be
    read one after the other, until a page is full."""
    column, uid, down, backwards = _directions(table, sort, descending, cursor)
    known = Stretch(column.is_not(None), (_ordered(column, down), _ordered(uid, down)))
    unknown = Stretch(column.is_(None), (_ordered(uid, down),))
    every = [unknown, known] if backwards else [known, unknown]
    if cursor is None:
        return every
    here = every.index(unknown if cursor.value is None else known)
    beyond = _beyond(uid, cursor.trial_uid, down)
    if cursor.value is not None:
        same = and_(column == cursor.value, beyond)
        beyond = or_(_beyond(column, cursor.value, down), same)
    where = every[here].where
    assert where is not None
    return [Stretch(and_(where, beyond), every[here].order), *every[here + 1 :]]


def _directions(
    table: Table, sort: str, descending: bool, cursor: Cursor | None
) -> tuple[ColumnElement[object], ColumnElement[object], bool, bool]:
    """Column, UID, whether values go down while reading, whether reading goes backwards."""
    backwards = cursor is not None and cursor.backwards
    return table.c[sort], table.c.trial_uid, descending != backwards, backwards


def _after(
    column: ColumnElement[object], uid: ColumnElement[object], cursor: Cursor, down: bool
) -> ColumnElement[bool]:
    beyond, unknown = _beyond(uid, cursor.trial_uid, down), column.is_(None)
    if cursor.value is None:
        rest = and_(unknown, beyond)
        return or_(rest, column.is_not(None)) if cursor.backwards else rest
    known = or_(_beyond(column, cursor.value, down), and_(column == cursor.value, beyond))
    return known if cursor.backwards else or_(known, unknown)


def _ordered(column: ColumnElement[object], down: bool) -> ColumnElement[object]:
    return column.desc() if down else column.asc()


def _beyond(column: ColumnElement[object], value: object, down: bool) -> ColumnElement[bool]:
    return column < value if down else column > value
