"""The results service loses its volume: what was stored is measured again, within bounds."""

from typing import Any

import pytest

from tests.sim.kubelet import Kubelet, Life, Seen, ok
from tests.sim.world import WRITING, World, a_world


def baselines(world: World) -> list[dict[str, Any]]:
    return [t for t in world.trials.values() if t["spec"]["purpose"] == "baseline"]


def good(world: World) -> int:
    return sum((t.get("status") or {}).get("outcome") == "success" for t in baselines(world))


async def test_baselines_that_were_lost_with_the_volume_are_measured_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The run used to wait for ever: by the names of its Trials there was nothing to create, and
    by the store nothing to judge against. The task set is resolved again, too."""
    async with a_world(monkeypatch) as world:
        world.apply_inputs("script", tasks=(WRITING,))
        world.apply_run("script", parallelism=1)
        world.start_operator()
        await world.until(lambda: good(world) == 1)
        await world.results.lose_the_volume()
        await world.until_complete()
        assert world.outcomes() == {("script", "parse", 0): ("success", "CoverageGained")}
        assert len(baselines(world)) == 3, "two that are there, and one that was lost"


async def test_facts_that_were_lost_count_although_their_record_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.apply_inputs("script", tasks=(WRITING,))
        world.apply_run("script", parallelism=1)
        world.start_operator()
        await world.until(lambda: good(world) == 1)
        await world.results.forget_facts("evaluate")
        await world.until_complete()
        assert world.outcomes() == {("script", "parse", 0): ("success", "CoverageGained")}
        assert len(baselines(world)) == 3


async def test_a_store_that_keeps_nothing_stops_the_run_with_a_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two baselines, each made again twice; then it would go on for ever."""
    async with a_world(monkeypatch) as world:
        forget = world.results.store.put_record

        async def keeps_nothing(record: dict[str, Any], now: Any) -> None:
            if record["purpose"] != "baseline":
                await forget(record, now)

        monkeypatch.setattr(world.results.store, "put_record", keeps_nothing)
        world.apply_inputs("script", tasks=(WRITING,))
        world.apply_run("script")
        world.start_operator()
        await world.until(lambda: world.condition("Resolved") == ("False", "BaselinesLost"))
        await world.until(lambda: not world.store.all("pods"))
        assert len(baselines(world)) == good(world) == 6
        assert world.outcomes() == {}, "no agent has cost money"
        (message,) = [c["message"] for c in world.status["conditions"] if c["type"] == "Resolved"]
        assert "task parse" in message


async def test_a_volume_that_is_lost_during_a_stage_costs_an_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The workspace's facts are gone when the evaluator has its own: nothing that the operator
    remembers of them may stand in for them."""
    lost: list[str] = []

    async def loses(kubelet: Kubelet, pod: Seen) -> None:
        await kubelet.run(pod)
        if not lost:
            lost.append(pod.name)
            await world.results.lose_the_volume()
        await ok(kubelet, pod)

    script: dict[tuple[str, str, int], Life] = {("script", "evaluate", 1): loses}
    async with a_world(monkeypatch, script) as world:
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        await world.until_complete()
        status = world.only_trial()
        assert (status["outcome"], status["reason"]) == ("success", "CriteriaPassed")
        assert [a["reason"] for a in status["attempts"]] == ["PodLost"]
