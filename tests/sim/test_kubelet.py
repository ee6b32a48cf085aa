"""One scenario for each thing that a node does to a pod, with the real operator: 1 agent × 1 task."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from benchwright.resources.settings import PodSettings
from tests.sim import kubelet as lives
from tests.sim.kubelet import Life
from tests.sim.world import REPAIR, WRITING, a_world

Script = Mapping[tuple[str, str, int], Life]
GOOD = ("success", "CriteriaPassed")


@dataclass(frozen=True)
class Scenario:
    """What pods do, and what comes of it: outcome, reason, attempts, reasons of those given up."""

    script: Script
    end: tuple[str, str]
    attempt: int = 1
    given_up: tuple[str, ...] = ()
    policy: dict[str, Any] = field(default_factory=dict)


def always(life: Life, stage: str = "repair") -> Script:
    return {("script", stage, attempt): life for attempt in range(1, 10)}


def once(life: Life, stage: str = "repair") -> Script:
    return {("script", stage, 1): life}


QUICK = {"imagePullGraceSeconds": 1, "pendingTimeoutSeconds": 1, "containerGraceSeconds": 1}
SCENARIOS = {
    "out of memory once": Scenario(once(lives.out_of_memory), GOOD, 2, ("OutOfMemory",)),
    "out of memory twice": Scenario(
        always(lives.out_of_memory), ("failure", "MemoryLimit"), 2, ("OutOfMemory",)
    ),
    "out of memory where the policy says fail": Scenario(
        always(lives.out_of_memory), ("failure", "MemoryLimit"), policy={"oomPolicy": "Fail"}
    ),
    "evicted by node pressure": Scenario(once(lives.node_pressure), GOOD, 2, ("NodePressure",)),
    "evaluator evicted": Scenario(once(lives.node_pressure, "evaluate"), GOOD, 2, ("NodePressure",)),
    "the agent filled its disk": Scenario(always(lives.disk_full), ("failure", "DiskLimit")),
    "the node is lost": Scenario(once(lives.node_lost), GOOD, 2, ("Disrupted",)),
    "evicted by the API": Scenario(once(lives.disrupted), GOOD, 2, ("Disrupted",)),
    "the pod vanishes": Scenario(once(lives.vanishes), GOOD, 2, ("PodLost",)),
    "the evaluator vanishes": Scenario(once(lives.vanishes, "evaluate"), GOOD, 2, ("PodLost",)),
    "the pod vanishes every time": Scenario(
        always(lives.vanishes), ("invalid", "PodLost"), 3, ("PodLost", "PodLost", "PodLost")
    ),
    "a pod that ends without facts": Scenario(once(lives.ends_silently), GOOD, 2, ("HarnessLost",)),
    "the harness cannot fetch": Scenario(
        always(lives.cannot_fetch), ("invalid", "FetchFailed"), 2, ("FetchFailed", "FetchFailed"),
        {"maxInfraRetries": 1},
    ),
    "the agent's setup fails": Scenario(
        always(lives.setup_fails), ("invalid", "AgentSetupFailed"), 1, ("AgentSetupFailed",)
    ),
    "the agent runs past its limit": Scenario(always(lives.past_its_limit), ("timeout", "AgentTimeout")),
    "an image that cannot be pulled": Scenario(
        always(lives.image_pull_backoff), ("invalid", "ImagePull"), 1, ("ImagePull",), QUICK
    ),
    "an image name that is none": Scenario(
        always(lives.invalid_image_name), ("invalid", "PodConfig"), 1, ("PodConfig",)
    ),
    "a container that could not be made at first": Scenario(once(lives.container_hiccup), GOOD),
    "a container that can never be started": Scenario(
        always(lives.container_never_made), ("invalid", "PodConfig"), 1, ("PodConfig",),
        {**QUICK, "pendingTimeoutSeconds": 60},
    ),
    "no node for it": Scenario(
        always(lives.unschedulable), ("invalid", "Unschedulable"), 1, ("Unschedulable",),
        {**QUICK, "maxInfraRetries": 0},
    ),
    "no node at first": Scenario(once(lives.unschedulable), GOOD, 2, ("Unschedulable",), QUICK),
}  # fmt: skip


@pytest.mark.parametrize("name", SCENARIOS)
async def test_scenario(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    scenario = SCENARIOS[name]
    async with a_world(monkeypatch, scenario.script) as world:
        world.apply_inputs("script")
        world.apply_run("script", failurePolicy=scenario.policy)
        world.start_operator()
        await world.until_complete()
        status = world.only_trial()
        assert (status["outcome"], status["reason"]) == scenario.end
        assert status["attempt"] == scenario.attempt
        assert tuple(a["reason"] for a in status["attempts"]) == scenario.given_up
        assert sum(world.status["counts"].values()) == 2, "planned, and one outcome"
        rows = await world.results.rows()
        assert [(r["outcome"], r["reason"], r["attempt"]) for r in rows] == [
            (*scenario.end, scenario.attempt)
        ]
        first = {pod.attempt for pod in world.kubelet.started}
        assert first <= set(range(1, scenario.attempt + 1))


DEAD_NODES = {
    "the node dies and nobody deletes the pod": Scenario(
        once(lives.node_dies), GOOD, 2, ("NodeLost",)
    ),
    "the node dies under the evaluator": Scenario(
        once(lives.node_dies, "evaluate"), GOOD, 2, ("NodeLost",)
    ),
    "the node dies and the pod stays Terminating": Scenario(
        once(lives.node_dies_with_a_taint), GOOD, 2, ("Disrupted",)
    ),
    "the node dies after the facts are stored": Scenario(
        once(lives.node_dies_after_the_facts), GOOD
    ),
}


@pytest.mark.parametrize("name", DEAD_NODES)
async def test_a_node_that_does_not_answer_costs_an_attempt_and_not_the_run(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Nothing that the API server knows of the pod ever changes: the operator has to look at the
    clock, at the pod's deadline (1 s), grace period (1 s) and slack (1 s)."""
    short = partial(PodSettings, grace_seconds=1, slack_seconds=0)
    monkeypatch.setattr("benchwright.control.context.PodSettings", short)
    scenario = DEAD_NODES[name]
    async with a_world(monkeypatch, scenario.script) as world:
        world.apply_inputs("script")
        seconds = {"agentSeconds": 1, "evaluateSeconds": 1}
        policy = {"nodeLostGraceSeconds": 1}
        world.apply_run("script", failurePolicy=policy, limits=seconds)
        world.start_operator()
        await world.until_complete(15)
        status = world.only_trial()
        assert (status["outcome"], status["reason"]) == scenario.end
        assert tuple(a["reason"] for a in status["attempts"]) == scenario.given_up
        forced = [w.name for w in world.api.applied if w.body.get("gracePeriodSeconds") == 0]
        assert set(forced) == world.kubelet.dead, "no other pod is removed by force"


async def test_a_pod_on_a_dead_node_does_not_outlive_a_deleted_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The garbage collector asks, and does not force."""
    monkeypatch.setattr("benchwright.control.trials._SWEEP_GRACE", 1)
    monkeypatch.setattr("benchwright.control.trials._SWEEP_SECONDS", 1)
    async with a_world(monkeypatch, always(lives.node_dies)) as world:
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        await world.until(lambda: world.kubelet.dead)
        world.store.delete("benchmarkruns", "run-1")
        await world.until(lambda: not world.store.all("pods"))


async def test_a_stage_of_an_attempt_that_was_given_up_is_run_anew_in_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The evaluator was lost: what the agent left in the first attempt is not used again."""
    async with a_world(monkeypatch, once(lives.vanishes, "evaluate")) as world:
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        await world.until_complete()
        ran = [(pod.stage, pod.attempt) for pod in world.kubelet.started]
        assert ran == [("repair", 1), ("evaluate", 1), ("repair", 2), ("evaluate", 2)]


async def test_the_next_attempt_waits_until_the_old_pod_is_really_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pending for want of a node: deleted, and gone before the second attempt has a pod."""
    async with a_world(monkeypatch, once(lives.unschedulable)) as world:
        world.apply_inputs("script")
        world.apply_run("script", failurePolicy=QUICK)
        alive: list[int] = []

        def watch(plural: str, kind: str, raw: dict[str, Any]) -> None:
            if plural == "pods" and kind == "ADDED":
                others = [
                    p
                    for p in world.store.all("pods")
                    if p["metadata"]["name"] != raw["metadata"]["name"]
                ]
                alive.append(
                    len([p for p in others if p["status"]["phase"] not in {"Succeeded", "Failed"}])
                )

        world.store.listeners.append(watch)
        world.start_operator()
        await world.until_complete()
        assert alive[:2] == [0, 0]


async def test_a_base_that_cannot_be_measured_makes_its_trials_invalid_and_starts_no_agent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = {("", "evaluate", attempt): lives.no_facts_of_tests for attempt in range(1, 4)}
    async with a_world(monkeypatch, script) as world:
        world.apply_inputs("nop", "script", tasks=(WRITING, REPAIR))
        world.apply_run("nop", "script")
        world.start_operator()
        await world.until_complete()
        found = world.outcomes()
        for agent in ("nop", "script"):
            assert found[agent, "parse", 0] == ("invalid", "BaselineTestsFail")
        assert found["script", "mend", 0] == GOOD
        assert {pod.task for pod in world.kubelet.started if pod.agent} == {"mend"}
        rows = [r for r in await world.results.rows() if r["task"] == "parse"]
        assert all(r["usage"] is None for r in rows)
        assert [r["spent"]["requests"] for r in rows if r["agent"]] == [0, 0]


async def test_a_proxy_that_was_restarted_during_a_call_makes_the_attempt_invalid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.proxy.interrupted = {1: 1}
        world.apply_inputs("model")
        world.apply_run("model")
        world.start_operator()
        await world.until_complete()
        status = world.only_trial()
        assert (status["outcome"], status["attempt"]) == ("success", 2)
        assert status["attempts"][0]["reason"] == "ProxyInterrupted"
        assert status["usage"]["total"]["inputTokens"] == 900
        (row,) = await world.results.rows()
        assert (row["usage"]["input_tokens"], row["spent"]["input_tokens"]) == (900, 1800)
