"""Room for bodies: bounded for all, and for each as soon as it is scarce."""

from hypothesis import given
from hypothesis import strategies as st

from benchwright_proxy.bodyroom import BodyRoom

LIMIT = 100
#: Who takes how much, or gives back all that it took (0).
STEPS = st.lists(st.tuples(st.sampled_from("abcde"), st.integers(0, 60)), max_size=60)


@given(STEPS)
def test_what_is_taken_is_bounded_and_what_is_given_back_is_gone(
    steps: list[tuple[str, int]],
) -> None:
    room, held = BodyRoom(LIMIT), dict.fromkeys("abcde", 0)
    for holder, size in steps:
        if size == 0:
            room.give(holder, held[holder])
            held[holder] = 0
        elif room.take(holder, size):
            held[holder] += size
        assert room.total == sum(held.values()) <= 2 * LIMIT
    for holder, size in held.items():
        room.give(holder, size)
    assert room.total == 0
    assert room._held == {}


@given(st.integers(1, LIMIT), st.integers(1, LIMIT // 2))
def test_one_who_takes_all_keeps_nobody_out(piece: int, modest: int) -> None:
    room = BodyRoom(LIMIT)
    while room.take("greedy", piece):
        assert room.total <= LIMIT
    assert room.take("modest", modest)


def test_whoever_holds_its_share_gets_no_more_when_room_is_scarce() -> None:
    room = BodyRoom(LIMIT)
    assert room.take("a", LIMIT)
    assert room.take("b", LIMIT // 2)
    assert not room.take("b", 1)
    assert not room.take("a", 1)
    room.give("a", LIMIT)
    assert room.take("b", LIMIT // 2)
