"""The algebra of conditions, and of time stamps."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.api.conditions import Condition, set_condition, truncate
from benchwright.core.clock import format_time, parse_time, seconds_between
from tests.builders import NOW, at


def condition(
    kind: str, status: Literal["True", "False", "Unknown"], when: float = 0, reason: str = "Because"
) -> Condition:
    return Condition(
        type=kind, status=status, reason=reason, message=f"{kind} {when}",
        observed_generation=int(when), last_transition_time=at(when),
    )  # fmt: skip


def test_a_new_type_is_added_and_the_list_is_in_order_of_types() -> None:
    found = set_condition((condition("Resolved", "True"),), condition("Complete", "False"))
    assert [c.type for c in found] == ["Complete", "Resolved"]


def test_while_the_status_stays_the_transition_time_stays_and_the_rest_is_new() -> None:
    old, new = condition("Ready", "True", 1), condition("Ready", "True", 9, reason="Other")
    (found,) = set_condition((old,), new)
    assert found.last_transition_time == at(1)
    assert (found.reason, found.message, found.observed_generation) == ("Other", "Ready 9", 9)


def test_when_the_status_changes_so_does_the_transition_time() -> None:
    (found,) = set_condition((condition("Ready", "True", 1),), condition("Ready", "False", 9))
    assert found.last_transition_time == at(9)


CONDITIONS = st.builds(
    condition,
    st.sampled_from("ABCD"),
    st.sampled_from(["True", "False", "Unknown"]),
    st.integers(0, 9),
)


@given(st.lists(CONDITIONS, max_size=8), CONDITIONS)
def test_types_are_unique_the_last_one_set_holds_and_setting_twice_changes_nothing(
    before: list[Condition], new: Condition
) -> None:
    conditions: tuple[Condition, ...] = ()
    for each in before:
        conditions = set_condition(conditions, each)
    after = set_condition(conditions, new)
    types = [c.type for c in after]
    assert types == sorted(set(types))
    mine = next(c for c in after if c.type == new.type)
    assert (mine.status, mine.reason, mine.message) == (new.status, new.reason, new.message)
    assert set_condition(after, new) == after
    assert {c for c in after if c.type != new.type} == {c for c in conditions if c.type != new.type}


@pytest.mark.parametrize(
    ("text", "cut"), [("short", "short"), ("x" * 1024, "x" * 1024), ("x" * 1025, "x" * 1023 + "…")]
)
def test_long_messages_are_cut_and_say_so(text: str, cut: str) -> None:
    assert truncate(text) == cut
    assert len(truncate(text)) <= 1024


def test_stamps_keep_microseconds_and_are_utc() -> None:
    assert (
        format_time(datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)) == "2026-01-02T03:04:05.000006Z"
    )
    east = datetime(2026, 1, 2, 5, 4, 5, tzinfo=timezone(timedelta(hours=2)))
    assert format_time(east) == "2026-01-02T03:04:05.000000Z"


def test_stamps_of_the_api_server_and_our_own_are_read() -> None:
    assert parse_time("2026-11-30T12:00:00Z") == NOW
    assert parse_time("2026-11-30T12:00:00.000000Z") == NOW
    assert parse_time(None) is None
    assert parse_time("") is None


def test_a_missing_stamp_gives_no_duration() -> None:
    assert seconds_between(at(1), at(3.5)) == 2.5
    assert seconds_between(None, at(3)) is None
    assert seconds_between(at(3), None) is None
