"""Pauses after refusals: longer each time, never longer than the cap, over once it works."""

from benchwright.control.backoff import Backoff


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_each_refusal_doubles_the_pause_up_to_the_cap() -> None:
    pauses: Backoff[str] = Backoff(Clock(), 1.0, 60.0)
    assert [pauses.refused("a") for _ in range(9)] == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_a_pause_ends_by_the_clock_and_is_still_known() -> None:
    clock = Clock()
    pauses: Backoff[str] = Backoff(clock, 1.0, 60.0)
    pauses.refused("a")
    clock.now += 0.75
    assert pauses.left("a") == 0.25
    clock.now += 10
    assert pauses.left("a") == 0.0
    assert pauses.waits("a")


def test_what_works_begins_anew_and_others_were_never_held_up() -> None:
    pauses: Backoff[str] = Backoff(Clock(), 1.0, 60.0)
    pauses.refused("a")
    pauses.refused("a")
    assert (pauses.left("b"), pauses.waits("b")) == (0.0, False)
    pauses.works("a")
    assert (pauses.left("a"), pauses.waits("a")) == (0.0, False)
    assert pauses.refused("a") == 1.0
