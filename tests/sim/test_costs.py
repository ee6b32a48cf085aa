"""What a trial costs the API server and the results service (DESIGN.md, numbers to hold)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from benchwright.control.facts import Facts
from tests.sim.world import World, a_world

BOUND = 9
OF_THE_RUN = 7
"""However many trials it has: Agent and TaskSet, the plan, the first that started, three events."""


async def run_of(world: World, trials: int, parallelism: int) -> None:
    world.apply_inputs("script")
    world.start_operator()
    await world.until(lambda: world.store.find("tasksets", "set").get("status"))
    world.apply_run("script", trialsPerTask=trials, parallelism=parallelism)
    await world.until_complete(40)
    assert world.status["counts"]["succeeded"] == trials
    assert world.api.writes == world.api.applied, "none was in vain"


async def writes_of(monkeypatch: pytest.MonkeyPatch, trials: int, parallelism: int) -> int:
    async with a_world(monkeypatch) as world:
        await run_of(world, trials, parallelism)
        return len(world.api.writes)


@pytest.mark.parametrize("parallelism", [1, 4])
@pytest.mark.parametrize("trials", [4, 14])
async def test_writes_to_the_api_server_for_each_trial_and_for_a_run_by_itself(
    monkeypatch: pytest.MonkeyPatch, trials: int, parallelism: int
) -> None:
    """Every verb, events included, and the run's counters written for every single outcome, as for
    trials that take minutes. Two stages: one workspace, one evaluator."""
    monkeypatch.setattr("benchwright.control.operator._COUNTS_SECONDS", 0.0)
    assert await writes_of(monkeypatch, trials, parallelism) <= BOUND * trials + OF_THE_RUN


async def test_writes_of_a_whole_run_its_own_included(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await writes_of(monkeypatch, 20, 4) <= BOUND * 20


async def test_what_each_write_of_a_trial_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_world(monkeypatch) as world:
        await run_of(world, 1, 1)
        mine = {"trials", "pods"}
        assert [(w.method, w.plural) for w in world.api.writes if w.plural in mine] == [
            ("POST", "trials"),
            ("POST", "pods"),
            ("PATCH", "trials"),  # Running
            ("POST", "pods"),
            ("PATCH", "trials"),  # Evaluating
            ("DELETE", "pods"),  # the workspace's, whose facts are stored: a quota may count it
            ("PATCH", "trials"),  # the outcome
            ("DELETE", "pods"),
        ]
        events = {
            w.body["involvedObject"]["kind"] for w in world.api.writes if w.plural == "events"
        }
        assert events == {"BenchmarkRun"}, "a valid outcome is told by the status"


async def test_the_counters_of_a_run_are_written_together_and_the_last_of_them_is_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        await run_of(world, 20, 4)
        patches = [
            w for w in world.api.writes if (w.method, w.plural) == ("PATCH", "benchmarkruns")
        ]
        assert len(patches) <= 8
        assert world.status["progress"] == "20/20"


async def test_the_results_service_is_asked_for_facts_only_when_there_is_something_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At the start, after each stage's facts, and not at every change of a pod."""
    asked: list[str] = []
    async with a_world(monkeypatch) as world:
        world.apply_inputs("script")
        world.apply_run("script", trialsPerTask=10, parallelism=2)
        world.start_operator()
        await world.until(lambda: world.ctx is not None)
        count_questions(world, asked)
        await world.until_complete()
        assert len(asked) <= 10 * 5


def count_questions(world: World, asked: list[str]) -> None:
    assert world.ctx is not None
    cache = world.ctx.facts
    proper: Callable[[str, int], Awaitable[Facts]] = cache._ask

    async def counted(uid: str, attempt: int) -> Facts:
        asked.append(uid)
        return await proper(uid, attempt)

    cache._ask = counted


async def test_news_that_never_come_cost_time_and_no_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The feed hangs after it was heard: what is remembered says "no facts" while pods end with
    theirs stored. Nothing may be concluded from that."""
    async with a_world(monkeypatch) as world:
        world.apply_inputs("script")
        world.apply_run("script", trialsPerTask=4, parallelism=2)
        world.start_operator()
        await world.until(lambda: world.kubelet.started)
        assert world.ctx is not None
        world.kubelet.pace = 3
        monkeypatch.setattr(world.ctx.results, "news", _hang)
        await world.until_complete()
        for trial in world.trials.values():
            assert (trial["status"]["outcome"], trial["status"]["attempts"]) == ("success", [])


async def _hang(*_: Any) -> Any:
    await asyncio.sleep(60)


async def test_facts_of_a_service_that_was_restarted_are_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.kubelet.pace = 10
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        await world.until(lambda: world.kubelet.started)
        assert world.ctx is not None
        ctx = world.ctx
        await world.until(lambda: ctx.facts._known)
        await world.results.lose_the_volume(downtime=0.5)
        await world.until(lambda: not ctx.facts._known or world.only_trial().get("outcome"))
        await world.until_complete()
        assert world.only_trial()["outcome"] == "success"
