"""A list in an order, from a place in it onwards: conditions for SQL (no I/O).

Unknown values come last in either direction. So a list has two stretches, the known values and the
unknown ones, each in an order that both SQLite and PostgreSQL have, whatever they do with NULL;
going backwards is the same list turned round. A place is a value and a UID, not a number of rows:
it stays right while new trials come, and costs the same on every page.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Table, and_, or_

from benchwright.web.lists import Cursor


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the list: what belongs to it, and its order."""

    where: ColumnElement[bool]
    order: tuple[ColumnElement[object], ...]


def stretches(
    table: Table, sort: str, *, descending: bool, cursor: Cursor | None
) -> Sequence[Stretch]:
    """What to read, one after the other, until a page is full."""
    backwards = cursor is not None and cursor.backwards
    down = descending != backwards
    column, uid = table.c[sort], table.c.trial_uid
    order = (column.desc(), uid.desc()) if down else (column.asc(), uid.asc())
    known = Stretch(column.is_not(None), order)
    unknown = Stretch(column.is_(None), (uid.desc() if down else uid.asc(),))
    every = [unknown, known] if backwards else [known, unknown]
    if cursor is None:
        return every
    at_unknown = cursor.value is None
    here = every.index(unknown if at_unknown else known)
    beyond = _beyond(uid, cursor.trial_uid, down)
    if not at_unknown:
        beyond = or_(_beyond(column, cursor.value, down), and_(column == cursor.value, beyond))
    first = Stretch(and_(every[here].where, beyond), every[here].order)
    return [first, *every[here + 1 :]]


def _beyond(column: ColumnElement[object], value: object, down: bool) -> ColumnElement[bool]:
    return column < value if down else column > value
