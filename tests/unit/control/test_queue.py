"""The work queue: one worker a key, no key lost, the last state always looked at."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest

from benchwright.control import queue as queues
from benchwright.control.queue import WorkQueue
from tests.unit.kube.fakeapi import eventually

Work = Callable[[str], Awaitable[float | None]]


@asynccontextmanager
async def working(work: Work, workers: int = 3) -> AsyncIterator[WorkQueue[str]]:
    queue: WorkQueue[str] = WorkQueue(time.monotonic)
    task = asyncio.create_task(queue.run(workers, work))
    try:
        yield queue
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class Recorder:
    """Work that takes as long as the test lets it."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.active: list[str] = []
        self.overlap = False
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, key: str) -> float | None:
        self.overlap |= key in self.active
        self.active.append(key)
        await self.gate.wait()
        self.active.remove(key)
        self.done.append(key)
        return None


async def test_a_key_added_many_times_before_it_is_worked_on_is_worked_on_once() -> None:
    work = Recorder()
    queue: WorkQueue[str] = WorkQueue(time.monotonic)
    for _ in range(5):
        queue.add("a")
    queue.add("b")
    assert len(queue) == 2
    task = asyncio.create_task(queue.run(2, work))
    await eventually(lambda: sorted(work.done) == ["a", "b"])
    await asyncio.sleep(0.02)
    task.cancel()
    assert sorted(work.done) == ["a", "b"]


async def test_a_key_added_while_it_is_worked_on_is_worked_on_once_more_afterwards() -> None:
    work = Recorder()
    work.gate.clear()
    async with working(work) as queue:
        queue.add("a")
        await eventually(lambda: work.active == ["a"])
        for _ in range(5):
            queue.add("a")
        await asyncio.sleep(0.02)
        assert work.active == ["a"], "never two workers at one key"
        work.gate.set()
        await eventually(lambda: work.done == ["a", "a"])
        await asyncio.sleep(0.02)
        assert work.done == ["a", "a"]
        assert not work.overlap


async def test_different_keys_are_worked_on_at_the_same_time_up_to_the_number_of_workers() -> None:
    work = Recorder()
    work.gate.clear()
    async with working(work, workers=2) as queue:
        for key in "abc":
            queue.add(key)
        await eventually(lambda: len(work.active) == 2)
        await asyncio.sleep(0.02)
        assert len(work.active) == 2
        work.gate.set()
        await eventually(lambda: sorted(work.done) == ["a", "b", "c"])


async def test_a_failure_is_tried_again_with_growing_pauses_and_forgotten_after_success(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(queues, "_FIRST_BACKOFF", 0.04)
    times: list[float] = []

    async def work(key: str) -> float | None:
        times.append(time.monotonic())
        if len(times) <= 3:
            raise ValueError("not yet")
        return None

    async with working(work) as queue:
        queue.add("a")
        await eventually(lambda: len(times) == 3)
        assert queue.failures["a"] == 3
        await eventually(lambda: len(times) == 4)
        gaps = [later - earlier for earlier, later in pairwise(times)]
        assert [gap >= pause for gap, pause in zip(gaps, (0.04, 0.08, 0.16), strict=True)] == [
            True
        ] * 3
        await eventually(lambda: "a" not in queue.failures)


async def test_pauses_have_an_end() -> None:
    queue: WorkQueue[str] = WorkQueue(time.monotonic)
    pauses = [queue._backoff("a", RuntimeError()) for _ in range(40)]
    assert pauses[0] < pauses[1] < pauses[2]
    assert pauses[-1] == 60.0


@pytest.mark.parametrize(
    ("asked", "expected"),
    [(None, 0.2), (0.1, 0.2), (7.0, 7.0), (3600.0, 60.0)],
    ids=["says nothing", "less than the backoff", "more than the backoff", "more than the cap"],
)
def test_a_failure_that_asks_to_be_left_alone_is_obeyed_within_the_cap(
    asked: float | None, expected: float
) -> None:
    """Retry-After of a busy API server, where it is longer than the client waits by itself."""
    queue: WorkQueue[str] = WorkQueue(time.monotonic, asked=lambda error: asked)
    assert queue._backoff("a", RuntimeError()) == expected


def test_a_key_that_fails_for_days_has_a_pause_too() -> None:
    queue: WorkQueue[str] = WorkQueue(time.monotonic)
    queue.failures["a"] = 100_000
    assert queue._backoff("a", RuntimeError()) == 60.0


async def test_one_failing_key_holds_up_no_other() -> None:
    done: list[str] = []

    async def work(key: str) -> float | None:
        if key == "bad":
            raise RuntimeError("always")
        done.append(key)
        return None

    async with working(work, workers=1) as queue:
        queue.add("bad")
        queue.add("good")
        await eventually(lambda: done == ["good"])


async def test_a_key_that_fails_while_it_is_added_again_is_not_lost() -> None:
    calls: list[str] = []
    gate = asyncio.Event()

    async def work(key: str) -> float | None:
        calls.append(key)
        await gate.wait()
        if len(calls) == 1:
            raise RuntimeError("once")
        return None

    async with working(work) as queue:
        queue.add("a")
        await eventually(lambda: calls == ["a"])
        queue.add("a")
        gate.set()
        await eventually(lambda: len(calls) == 2)


async def test_a_key_comes_back_after_the_time_that_the_work_asked_for() -> None:
    times: list[float] = []

    async def work(key: str) -> float | None:
        times.append(time.monotonic())
        return 0.05 if len(times) < 3 else None

    async with working(work) as queue:
        queue.add("a")
        await eventually(lambda: len(times) == 3)
        assert times[1] - times[0] >= 0.05
        assert times[2] - times[1] >= 0.05


async def test_zero_seconds_is_at_once_not_never() -> None:
    done: list[str] = []

    async def work(key: str) -> float | None:
        done.append(key)
        return 0.0 if len(done) < 4 else None

    async with working(work) as queue:
        queue.add("a")
        await eventually(lambda: len(done) == 4)


@pytest.mark.parametrize("order", [(0.05, 5.0), (5.0, 0.05)], ids=["earlier first", "earlier last"])
async def test_of_several_times_the_earliest_holds(order: tuple[float, float]) -> None:
    work = Recorder()
    async with working(work) as queue:
        for seconds in order:
            queue.add_after("a", seconds)
        began = time.monotonic()
        await eventually(lambda: work.done == ["a"], seconds=2)
        assert time.monotonic() - began >= 0.04


async def test_the_later_of_two_times_does_not_fire_on_top() -> None:
    work = Recorder()
    async with working(work) as queue:
        queue.add_after("a", 0.1)
        queue.add_after("a", 0.02)
        await asyncio.sleep(0.2)
        assert work.done == ["a"]


async def test_times_of_different_keys_fire_in_their_own_order() -> None:
    work = Recorder()
    async with working(work, workers=1) as queue:
        queue.add_after("late", 0.08)
        queue.add_after("early", 0.02)
        await eventually(lambda: work.done == ["early", "late"])


async def test_how_long_the_oldest_key_waits_is_known() -> None:
    now = 100.0
    queue: WorkQueue[str] = WorkQueue(lambda: now)
    assert queue.oldest_seconds == 0.0
    queue.add("a")
    now = 130.0
    queue.add("b")
    queue.add("a")
    assert queue.oldest_seconds == 30.0
