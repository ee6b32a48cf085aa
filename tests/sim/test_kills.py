"""The operator is killed at its writes to the API server and started anew: nobody can tell.

Every write is a place to die: before the API server has applied it, or after, when the answer
never arrives. While the operator is away the cluster goes on, so that a pod may be over that the
new operator has never heard of.
"""

import asyncio
import json
from itertools import count
from typing import Any

import pytest

from tests.sim.apiserver import Write
from tests.sim.kubelet import Kubelet, Seen, ok
from tests.sim.test_run import begin, check_finished
from tests.sim.world import World, a_world

Json = dict[str, Any]
STRIDE = 20
LONG = 0.08
"""Longer than a pod lives."""


def without_tokens(body: Json) -> str:
    """A pod's content but for tokens, which hold the time."""
    text = json.loads(json.dumps(body))
    for container in (*text["spec"]["initContainers"], *text["spec"]["containers"]):
        for variable in container.get("env", []):
            if "sk-bw-" in variable["value"]:
                variable["value"] = "token"
    return json.dumps(text, sort_keys=True)


def _of(writes: list[Write], method: str, plural: str) -> list[Write]:
    return [w for w in writes if (w.method, w.plural) == (method, plural)]


def check_nothing_twice(world: World) -> None:
    """By the log of what was asked for and of what the API server did."""
    asked: dict[str, set[str]] = {}
    for write in _of(world.api.writes, "POST", "pods"):
        asked.setdefault(write.name, set()).add(without_tokens(write.body))
    assert [n for n, bodies in asked.items() if len(bodies) > 1] == [], "one name, two contents"
    for plural in ("pods", "trials"):
        created = [w.name for w in _of(world.api.applied, "POST", plural)]
        assert sorted(created) == sorted(set(created)), f"{plural} were created twice"
    ran = [pod.name for pod in world.kubelet.started]
    assert sorted(ran) == sorted(set(ran)), "an agent worked twice under one name"
    ends = [
        w.name for w in _of(world.api.applied, "PATCH", "trials") if w.body["status"].get("outcome")
    ]
    assert sorted(ends) == sorted(set(ends)) == sorted(world.trials), "an outcome is written once"


def check_nothing_lost(world: World) -> None:
    """No pod was lost, so no attempt may be given up, and each was closed at the proxy."""
    for name, trial in world.trials.items():
        status = trial["status"]
        assert (status["attempt"], status["attempts"]) == (1, []), (name, status["attempts"])
        if trial["spec"]["purpose"] == "measurement":
            assert (trial["metadata"]["uid"], 1) in world.proxy.closed, name
            assert status["usage"]["total"]["inputTokens"] is not None, name


@pytest.mark.parametrize(
    ("first", "applied"), [(1, False), (2, True)], ids=["before it is applied", "after"]
)
async def test_killed_at_any_one_write_of_a_small_run(
    monkeypatch: pytest.MonkeyPatch, first: int, applied: bool
) -> None:
    """Writes 1, 3, 5, … before and 2, 4, 6, … after: each state between two writes once. All pods
    are over when the new operator comes."""
    for number in count(first, 2):
        async with a_world(monkeypatch) as world:
            world.apply_inputs("script")
            world.apply_run("script")
            world.kill_at(lambda n, _, fatal=number: n == fatal, applied=applied, downtime=LONG)  # type: ignore[misc]
            world.start_operator()
            await world.until_complete()
            assert world.outcomes() == {("script", "mend", 0): ("success", "CriteriaPassed")}
            assert world.status["counts"]["succeeded"] == world.status["counts"]["planned"] == 1
            check_nothing_twice(world)
            check_nothing_lost(world)
            if len(world.api.writes) < number:
                assert world.deaths == 0
                return


@pytest.mark.parametrize("start", range(0, STRIDE, 7))
async def test_killed_again_and_again_during_a_whole_run(
    monkeypatch: pytest.MonkeyPatch, start: int
) -> None:
    """At writes start, start + 20, start + 40, …; pods go on living meanwhile."""
    async with a_world(monkeypatch) as world:
        begin(world, trials=2)
        world.kill_at(lambda n, _: n % STRIDE == start, applied=start % 2 == 0)
        world.start_operator()
        await world.until_complete(60)
        assert world.deaths >= 5
        await check_finished(world)
        check_nothing_twice(world)
        check_nothing_lost(world)


async def test_a_pod_that_nobody_recorded_and_that_is_over_and_gone_does_not_work_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its facts are stored; a second agent under the same name would spend a second time what the
    trial is charged for, and leave something else than what is judged."""

    async def ok_and_gone(kubelet: Kubelet, pod: Seen) -> None:
        await ok(kubelet, pod)
        kubelet.store.remove("pods", pod.name)

    def first_pod(number: int, write: Write) -> bool:
        return (write.method, write.plural) == ("POST", "pods") and world.deaths == 0

    async with a_world(monkeypatch, {("script", "repair", 1): ok_and_gone}) as world:
        world.apply_inputs("script")
        world.apply_run("script")
        world.kill_at(first_pod, applied=True, downtime=LONG)
        world.start_operator()
        await world.until_complete()
        assert world.deaths == 1
        assert world.outcomes() == {("script", "mend", 0): ("success", "CriteriaPassed")}
        check_nothing_twice(world)
        check_nothing_lost(world)


async def test_an_operator_that_hears_of_a_pod_later_than_of_its_trial_loses_no_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The two lists are not of the same moment: an operator that is on its way out makes a pod and
    writes it down after its successor has listed the pods and before it lists the trials."""

    async def works_on(kubelet: Kubelet, pod: Seen) -> None:
        await let_go.wait()
        await ok(kubelet, pod)

    let_go = asyncio.Event()
    async with a_world(monkeypatch, {("script", "repair", 1): works_on}) as world:
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        await world.until(lambda: (world.only_trial_or_none() or {}).get("phase") == "Running")
        await world.kill_operator()
        world.api.behind.add("pods")
        world.start_operator()
        await world.until(lambda: world.reconciles("Trial") >= 1)
        world.api.behind.clear()
        let_go.set()
        await world.until_complete()
        assert world.outcomes() == {("script", "mend", 0): ("success", "CriteriaPassed")}
        check_nothing_twice(world)
        check_nothing_lost(world)
