"""The memory of facts: true as long as the news are heard, and silent otherwise."""

import asyncio
from dataclasses import replace

import pytest

from benchwright.control.facts import Facts, FactsCache
from tests.builders import a_trial
from tests.unit.core.evidence import worked

TRIAL = a_trial().view()
NONE: Facts = {}
SOME: Facts = {(1, "write"): worked()}


class Service:
    """Answers with what it has, when it is let."""

    def __init__(self) -> None:
        self.has: Facts = NONE
        self.asked = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, uid: str, attempt: int) -> Facts:
        self.asked += 1
        answer = self.has
        await self.gate.wait()
        return answer


def a_cache() -> tuple[FactsCache, Service]:
    service = Service()
    cache = FactsCache(service)
    cache.listen()
    return cache, service


async def test_an_answer_is_remembered_for_that_trial_and_attempt_only() -> None:
    cache, service = a_cache()
    assert cache.remembered(TRIAL, 1) is None
    service.has = SOME
    assert await cache.ask(TRIAL, 1) == SOME
    assert cache.remembered(TRIAL, 1) == SOME
    assert cache.remembered(TRIAL, 2) is None
    assert cache.remembered(a_trial().named("another").view(), 1) is None


async def test_a_trial_of_the_same_name_that_was_made_anew_is_another_one() -> None:
    cache, _ = a_cache()
    await cache.ask(TRIAL, 1)
    assert cache.remembered(replace(TRIAL, uid="uid-other"), 1) is None


async def test_that_there_was_nothing_is_remembered_too() -> None:
    cache, _ = a_cache()
    await cache.ask(TRIAL, 1)
    assert cache.remembered(TRIAL, 1) == NONE


async def test_news_of_a_trial_end_what_is_remembered_of_it() -> None:
    cache, _ = a_cache()
    await cache.ask(TRIAL, 1)
    cache.forget("somebody-else")
    assert cache.remembered(TRIAL, 1) == NONE
    cache.forget(TRIAL.name)
    assert cache.remembered(TRIAL, 1) is None


@pytest.mark.parametrize("how", ["news of it", "a new store", "the feed is lost and heard again"])
async def test_an_answer_that_was_on_its_way_meanwhile_is_given_but_not_remembered(
    how: str,
) -> None:
    """It may be from before: to keep it would hide the news for ever."""
    cache, service = a_cache()
    service.gate.clear()
    asking = asyncio.create_task(cache.ask(TRIAL, 1))
    await asyncio.sleep(0)
    if how == "news of it":
        cache.forget(TRIAL.name)
    elif how == "a new store":
        cache.forget_all()
    else:
        cache.deaf()
        cache.listen()
    service.gate.set()
    assert await asking == NONE
    assert cache.remembered(TRIAL, 1) is None


async def test_without_the_feed_nothing_is_remembered() -> None:
    cache = FactsCache(Service())
    await cache.ask(TRIAL, 1)
    assert cache.remembered(TRIAL, 1) is None
    cache.listen()
    await cache.ask(TRIAL, 1)
    assert cache.remembered(TRIAL, 1) == NONE
    cache.deaf()
    assert cache.remembered(TRIAL, 1) is None


async def test_a_failed_question_leaves_nothing_behind() -> None:
    async def away(uid: str, attempt: int) -> Facts:
        raise OSError

    cache = FactsCache(away)
    cache.listen()
    with pytest.raises(OSError):
        await cache.ask(TRIAL, 1)
    assert cache.remembered(TRIAL, 1) is None
    assert not cache._on_its_way
