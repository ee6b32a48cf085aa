"""Addresses of lists: what is asked for can be shared, and hostile addresses are refused in words."""

import base64
import json
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.web.lists import DESCENDING_FIRST, SORTS, Cursor, Filter, Query
from benchwright.web.query import LONGEST, OUTCOMES, QueryError, address, parse, sorted_by

_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=40)
_FILTERS = st.builds(
    Filter, text=_TEXT, agent=_TEXT, task=_TEXT, reason=_TEXT,
    outcome=st.sampled_from(["", *OUTCOMES]), review=st.sampled_from(["", "approve", "none"]),
)  # fmt: skip


@st.composite
def _queries(draw: st.DrawFn) -> Query:
    sort = draw(st.sampled_from(SORTS))
    numbers = st.floats(-1e9, 1e9) | st.integers(-(2**53), 2**53)
    value = draw(st.none() | (numbers if sort in DESCENDING_FIRST else _TEXT))
    cursor = draw(st.none() | st.builds(Cursor, st.just(value), _TEXT, st.booleans()))
    return Query(draw(_FILTERS), sort, draw(st.booleans()), cursor)


def _read(text: str) -> Query:
    return parse(dict(parse_qsl(text.removeprefix("?"), keep_blank_values=True)))


@given(_queries())
def test_an_address_says_all_of_what_was_asked_for(query: Query) -> None:
    assert _read(address(query)) == query


def test_what_is_usual_stands_in_no_address() -> None:
    assert address(Query()) == "?"


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"outcome": "won"}, Filter(outcome="")),
        ({"review": "maybe"}, Filter(review="")),
        ({"q": "  a\0b "}, Filter(text="ab")),
        ({"q": "x" * LONGEST}, Filter(text="x" * LONGEST)),
        ({"limit": "1000000"}, Filter()),
    ],
)
def test_values_that_mean_nothing_are_left_out(asked: dict[str, str], field: Filter) -> None:
    assert parse(asked).filter == field


def test_an_unknown_column_is_the_usual_one() -> None:
    assert (parse({"sort": "trial; drop table"}).sort, parse({"dir": "up"}).descending) == (
        "started_at",
        True,
    )


def test_a_filter_that_is_too_long_is_named() -> None:
    with pytest.raises(QueryError, match="agent: look for at most 253 characters"):
        parse({"agent": "x" * (LONGEST + 1)})


def _cursor(*value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(list(value)).encode()).rstrip(b"=").decode()


@pytest.mark.parametrize(
    ("sort", "text"),
    [
        ("trial", "not base64!"),
        ("trial", "AAAA"),
        ("trial", _cursor("a")),
        ("trial", _cursor("a", "uid", 3)),
        ("trial", _cursor(3, "uid")),
        ("trial", _cursor("a", 3)),
        ("trial", _cursor("a\0", "uid")),
        ("trial", _cursor("\ud800", "uid")),
        ("trial", _cursor(["a"], "uid")),
        ("seconds", _cursor("a", "uid")),
        ("seconds", _cursor(True, "uid")),
        ("seconds", _cursor(float("nan"), "uid")),
        ("seconds", _cursor(float("inf"), "uid")),
        ("seconds", _cursor(2**80, "uid")),
        ("trial", base64.b64encode(b"[" * 100_000).decode()),
    ],
)
def test_a_place_that_cannot_be_read_is_refused(sort: str, text: str) -> None:
    with pytest.raises(QueryError, match="open the list from its start"):
        parse({"sort": sort, "after": text})


def test_the_same_column_again_turns_the_order_and_another_begins_with_its_own() -> None:
    first = Query(sort="trial", descending=False, cursor=Cursor("x", "uid"))
    again = sorted_by(first, "trial")
    assert (again.descending, again.cursor) == (True, None)
    assert sorted_by(first, "cost_usd").descending
    assert not sorted_by(again, "agent").descending
