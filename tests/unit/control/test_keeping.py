"""Inputs of runs and addresses are kept for a while, and what was written just now may wait."""

from dataclasses import replace

import pytest

from benchwright.control import addresses, keeping
from benchwright.control.addresses import Addresses
from benchwright.control.keeping import InputsCache
from benchwright.control.pace import Pace
from benchwright.core.runview import Inputs
from tests.builders import a_run
from tests.unit.control.test_backoff import Clock

RUN = a_run().view()
INPUTS = Inputs(corpus="sha256:" + "c" * 64)


def a_cache() -> tuple[InputsCache, Clock]:
    clock = Clock()
    return InputsCache(clock), clock


def test_inputs_are_kept_for_that_run_and_that_spec() -> None:
    cache, _ = a_cache()
    assert cache.kept(RUN) is None
    cache.keep(RUN, INPUTS, cache.era)
    assert cache.kept(RUN) == INPUTS
    assert cache.kept(replace(RUN, generation=9)) is None
    assert cache.kept(replace(RUN, uid="another")) is None
    assert cache.kept(replace(RUN, name="another")) is None


def test_they_are_looked_up_anew_after_a_while_however_often_they_are_kept() -> None:
    cache, clock = a_cache()
    for _ in range(3):
        cache.keep(RUN, INPUTS, cache.era)
        clock.now += keeping.KEPT_SECONDS / 3
    assert cache.kept(RUN) is None


def test_a_change_ends_it_even_for_who_had_begun_to_look_before() -> None:
    """An Agent was edited while it was read: the old one must not stay."""
    cache, _ = a_cache()
    era = cache.era
    cache.forget_all()
    cache.keep(RUN, INPUTS, era)
    assert cache.kept(RUN) is None


def test_what_was_done_just_now_waits_its_time() -> None:
    clock = Clock()
    pace: Pace[str] = Pace(clock, 1.0)
    assert pace.left("a") == 0.0
    pace.done("a")
    clock.now += 0.25
    assert (pace.left("a"), pace.left("b")) == (0.75, 0.0)
    clock.now += 0.75
    assert pace.left("a") == 0.0
    pace.done("a")
    pace.forget("a")
    assert pace.left("a") == 0.0


async def test_an_address_is_looked_up_once_for_many_pods_and_again_a_little_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = ["10.0.0.1", "10.0.0.2"]

    async def look_up(host: str) -> str:
        return found.pop(0)

    monkeypatch.setattr(addresses, "_look_up", look_up)
    clock = Clock()
    book = Addresses(clock)
    assert [await book.of("proxy") for _ in range(3)] == ["10.0.0.1"] * 3
    clock.now += addresses.KEPT_SECONDS
    assert await book.of("proxy") == "10.0.0.2", "the service was made anew"
