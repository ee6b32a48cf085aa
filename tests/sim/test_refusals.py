"""What the API server does not take is said, in its own words, and never asked for without a pause."""

import asyncio
from typing import Any

import pytest

from tests.sim.apiserver import Write
from tests.sim.store import Refused
from tests.sim.world import World, a_world

QUOTA = Refused(403, "Forbidden", "trials is forbidden: exceeded quota: few, used: 1, limited: 1")
POLICY = Refused(403, "Forbidden", "admission webhook policy.example denied the request: no team")
HOOK_AWAY = Refused(500, "InternalError", "failed calling webhook policy.example: no endpoints")
TOO_NEW = Refused(422, "Invalid", "spec.task.spec.kind: Unsupported value")


def asked(world: World, plural: str) -> int:
    return len([w for w in world.api.writes if (w.method, w.plural) == ("POST", plural)])


def refuse(world: World, plural: str, answer: Refused, when: str = "") -> None:
    def refused(write: Write) -> bool | Refused:
        mine = (write.method, write.plural) == ("POST", plural) and write.name.endswith(when)
        return answer if mine else False

    world.api.refuse = refused


def words(conditions: list[dict[str, Any]], kind: str) -> str:
    return next((str(c["message"]) for c in conditions if c["type"] == kind), "")


# Trials


async def test_a_trial_that_can_never_be_taken_stops_the_run_until_its_spec_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        refuse(world, "trials", TOO_NEW)
        world.apply_inputs("script")
        world.apply_run("script", parallelism=1, trialsPerTask=2)
        world.start_operator()
        await world.until(lambda: world.condition("Resolved") == ("False", "TrialInvalid"))
        assert "Unsupported value" in words(world.status["conditions"], "Resolved")
        await world.kill_operator()
        world.start_operator()
        await asyncio.sleep(0.5)
        assert asked(world, "trials") == 1, "nor by the next operator"
        assert world.failures("BenchmarkRun") == 0
        world.api.refuse = lambda write: False
        world.store.update_spec("benchmarkruns", "run-1", parallelism=2)
        await world.until_complete()
        assert world.status["counts"]["succeeded"] == 2


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(QUOTA, "QuotaExceeded"), (POLICY, "Forbidden"), (HOOK_AWAY, "Refused")],
    ids=["quota", "policy", "webhook away"],
)
async def test_a_trial_that_is_refused_for_now_is_said_and_tried_again_with_pauses(
    monkeypatch: pytest.MonkeyPatch, answer: Refused, reason: str
) -> None:
    """The pauses here are 0.05, 0.1, 0.2, 0.2 … s, in place of up to a minute."""
    async with a_world(monkeypatch) as world:
        refuse(world, "trials", answer)
        world.apply_inputs("script")
        world.apply_run("script", trialsPerTask=3, parallelism=3)
        world.start_operator()
        await world.until(lambda: world.condition("TrialsRefused") == ("True", reason))
        assert answer.message in words(world.status["conditions"], "TrialsRefused")
        await asyncio.sleep(1.0)
        assert 4 <= asked(world, "trials") <= 3 + 7, "all three once, then one to try"
        patches = [w for w in world.api.applied if w.plural == "benchmarkruns"]
        assert len(patches) <= 3, "the same again is no write"
        world.api.refuse = lambda write: False
        await world.until_complete()
        assert world.condition("TrialsRefused") is None
        assert world.status["counts"]["succeeded"] == 3


async def test_a_quota_of_trials_limits_the_run_and_fails_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Active ones go on while the others are refused."""

    def full(write: Write) -> bool | Refused:
        new = (write.method, write.plural) == ("POST", "trials")
        live = [t for t in world.trials.values() if not (t.get("status") or {}).get("outcome")]
        return QUOTA if new and live else False

    async with a_world(monkeypatch) as world:
        world.api.refuse = full
        world.apply_inputs("script")
        world.apply_run("script", trialsPerTask=3, parallelism=3)
        world.start_operator()
        await world.until(lambda: world.condition("TrialsRefused") == ("True", "QuotaExceeded"))
        await world.until_complete()
        assert world.status["counts"]["succeeded"] == 3
        assert world.condition("TrialsRefused") is None


# Pods


def pod_condition(world: World) -> tuple[str, str] | None:
    if not world.trials:
        return None
    found = (world.only_trial_or_none() or {}).get("conditions", [])
    return next(((c["reason"], c["message"]) for c in found if c["type"] == "PodRefused"), None)


@pytest.mark.parametrize("stage", ["-repair", "-evaluate"])
@pytest.mark.parametrize(
    ("answer", "reason"),
    [(QUOTA, "QuotaExceeded"), (HOOK_AWAY, "Refused")],
    ids=["quota", "webhook"],
)
async def test_a_pod_that_is_refused_for_now_is_said_on_its_trial_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, answer: Refused, reason: str, stage: str
) -> None:
    async with a_world(monkeypatch) as world:
        refuse(world, "pods", answer, stage)
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        await world.until(lambda: pod_condition(world))
        found = pod_condition(world)
        assert found is not None
        assert found[0] == reason
        assert answer.message in found[1]
        before = asked(world, "pods")
        await asyncio.sleep(0.5)
        assert 2 <= asked(world, "pods") - before <= 8
        assert world.failures("Trial") == 0
        events = [w.body["reason"] for w in world.api.applied if w.plural == "events"]
        assert f"Pod{reason}" in events
        world.api.refuse = lambda write: False
        await world.until_complete()
        assert world.only_trial()["outcome"] == "success"
        assert pod_condition(world) is None


async def test_a_pod_that_a_broken_webhook_refuses_for_too_long_ends_its_trial(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A model was called before: what it used is kept."""
    async with a_world(monkeypatch) as world:
        refuse(world, "pods", HOOK_AWAY, "-evaluate")
        world.apply_inputs("model")
        world.apply_run("model", failurePolicy={"pendingTimeoutSeconds": 1})
        world.start_operator()
        await world.until_complete()
        assert world.outcomes() == {("model", "mend", 0): ("invalid", "PodRejected")}
        assert "no endpoints" in world.only_trial()["message"]
        assert world.only_trial()["usage"]["total"]["inputTokens"] == 900
        assert len(world.proxy.closed) == 1


async def test_a_quota_that_is_full_for_long_ends_no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_world(monkeypatch) as world:
        refuse(world, "pods", QUOTA)
        world.apply_inputs("script")
        world.apply_run("script", failurePolicy={"pendingTimeoutSeconds": 1})
        world.start_operator()
        await world.until(lambda: pod_condition(world))
        await asyncio.sleep(1.5)
        assert not world.only_trial().get("outcome")
        world.api.refuse = lambda write: False
        await world.until_complete()
        assert world.only_trial()["outcome"] == "success"


@pytest.mark.parametrize("answer", [POLICY, TOO_NEW], ids=["policy", "invalid"])
async def test_a_pod_that_is_never_taken_ends_its_trial_with_the_api_servers_words(
    monkeypatch: pytest.MonkeyPatch, answer: Refused
) -> None:
    async with a_world(monkeypatch) as world:
        refuse(world, "pods", answer)
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        await world.until_complete()
        assert world.outcomes() == {("script", "mend", 0): ("invalid", "PodRejected")}
        assert answer.message in world.only_trial()["message"]
        assert asked(world, "pods") == 1


# Statuses


async def test_a_status_that_is_refused_on_the_way_ends_its_trial(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A trial that cannot say where it is would be tried again for ever, in the log only."""
    async with a_world(monkeypatch) as world:
        world.api.refuse = lambda w: bool(w.body.get("status", {}).get("stages"))
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        await world.until_complete()
        assert world.outcomes() == {("script", "mend", 0): ("invalid", "StatusRefused")}
        assert "admission webhook" in world.only_trial()["message"]


async def test_a_pod_that_may_not_be_deleted_is_said_and_holds_up_no_trial(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.api.refuse = lambda w: POLICY if (w.method, w.plural) == ("DELETE", "pods") else False
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        await world.until(lambda: world.status.get("finishedAt"))
        assert world.only_trial()["outcome"] == "success"
        events = [w.body for w in world.api.applied if w.plural == "events"]
        said = [e["message"] for e in events if e["reason"] == "PodNotDeleted"]
        assert "no team" in said[0]
        world.api.refuse = lambda write: False
        await world.until_complete()
