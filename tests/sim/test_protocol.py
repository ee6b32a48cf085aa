"""What users and the cluster do during a run: suspend, delete, apply late, quota, outages."""

import asyncio
import time

import pytest

from benchwright.control.services import ServiceError
from tests.sim import kubelet as lives
from tests.sim.test_kills import check_nothing_lost, check_nothing_twice
from tests.sim.test_run import AGENTS, begin, check_finished
from tests.sim.world import REPAIR, World, a_world
from tests.unit.core.evidence import worked


async def test_a_suspended_run_starts_nothing_new_and_goes_on_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.kubelet.pace = 4
        begin(world, parallelism=1)
        world.start_operator()
        await world.until(lambda: sum(bool(o) for o, _ in _outcomes(world)) >= 2)
        world.store.update_spec("benchmarkruns", "run-1", suspend=True)
        await world.until(lambda: world.condition("Suspended") == ("True", "Suspended"))
        await world.until(
            lambda: not world.store.all("pods") and world.status["counts"]["active"] == 0
        )
        started = len(world.kubelet.started)
        world.store.update_spec("benchmarkruns", "run-1", parallelism=8)
        await world.until(lambda: world.status["observedGeneration"] == 3)
        assert len(world.kubelet.started) == started
        assert not world.status.get("finishedAt")
        world.store.update_spec("benchmarkruns", "run-1", suspend=False)
        await world.until_complete()
        await check_finished(world)


def _outcomes(world: World) -> list[tuple[str, str]]:
    return [((t.get("status") or {}).get("outcome", ""), n) for n, t in world.trials.items()]


async def test_a_deleted_run_leaves_no_trial_and_no_pod(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_world(monkeypatch, {("script", "repair", 1): lives.hangs}) as world:
        begin(world)
        world.start_operator()
        await world.until(lambda: len(world.kubelet.started) >= 6)
        world.store.delete("benchmarkruns", "run-1")
        await world.until(lambda: not world.trials and not world.store.all("pods"))
        await asyncio.sleep(0.3)  # long enough for anything that would come back
        assert not world.trials
        assert not world.store.all("pods")
        assert world.ctx is not None
        assert len(world.ctx.trials) == len(world.ctx.pods) == 0, (
            "the operator has forgotten them too"
        )
        assert world.ctx.queue.failures == {}


async def test_a_run_of_the_same_name_after_a_deletion_begins_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        await world.until(lambda: world.store.all("pods"))
        world.store.delete("benchmarkruns", "run-1")
        world.apply_run("script")
        await world.until_complete()
        (trial,) = world.trials.values()
        assert trial["metadata"]["ownerReferences"][0]["uid"] == world.run["metadata"]["uid"]
        assert trial["status"]["outcome"] == "success"


async def test_an_agent_that_is_applied_late_is_waited_for_with_a_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.apply_inputs("nop")
        world.apply_run("nop", "script")
        world.start_operator()
        await world.until(lambda: world.condition("Resolved") == ("False", "AgentNotFound"))
        assert not world.trials
        message = next(c["message"] for c in world.status["conditions"] if c["type"] == "Resolved")
        assert "'script'" in message
        assert "apply it" in message
        world.apply("agents", "script", {"scaffold": "script", "run": "sh ./script"})
        await world.until_complete()
        assert world.status["counts"]["planned"] == 2


async def test_a_model_that_the_proxy_does_not_know_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.proxy.models = ["other"]
        world.apply_inputs("model")
        world.apply_run("model")
        world.start_operator()
        await world.until(lambda: world.condition("Resolved") == ("False", "ModelUnknown"))
        assert not world.trials


async def test_a_task_set_that_cannot_be_resolved_is_said_and_mended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.apply_inputs("script", tasks=(REPAIR.model_copy(update={"prompt": None}),))
        world.apply_run("script")
        world.start_operator()
        await world.until(lambda: world.condition("Resolved") == ("False", "TaskSetUnresolved"))
        inline = [{"task": REPAIR.dump(), "files": {}}]
        world.store.update_spec("tasksets", "set", source={"inline": inline})
        await world.until_complete()
        assert world.status["counts"]["succeeded"] == 1


async def test_a_quota_delays_and_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """argo#3645, #6028: pending with backoff, not an error."""
    async with a_world(monkeypatch) as world:
        world.store.pod_quota = 1
        begin(world)
        world.start_operator()
        await world.until_complete(30)
        await check_finished(world)
        check_nothing_twice(world)
        check_nothing_lost(world)
        assert len(world.api.writes) > len(world.api.applied), "the quota did refuse pods"


async def test_pods_that_are_over_do_not_hold_up_the_next_stage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A quota on objects counts them too: two trials that keep their first stage's pod until
    their outcome would wait for each other's room for ever. Once its facts are stored a pod can go
    (operators.md, decision 9)."""
    async with a_world(monkeypatch) as world:
        world.store.object_quota = 2
        world.apply_inputs("script")
        world.apply_run("script", trialsPerTask=2, parallelism=2)
        world.start_operator()
        await world.until_complete(5)
        assert world.status["counts"]["succeeded"] == 2


async def test_an_api_server_that_says_slow_down_is_obeyed_and_nothing_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        await world.until(lambda: world.trials)
        world.api.throttle = 6
        await world.until_complete()
        check_nothing_twice(world)
        check_nothing_lost(world)
        assert world.api.throttle == 0


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE"])
async def test_slow_down_is_obeyed_for_every_verb_without_a_failed_reconcile(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """Only creating pods obeyed it: a delayed status was written after the queue's own backoff,
    which knocks again sooner than it was asked to."""
    async with a_world(monkeypatch) as world:
        world.api.throttled = lambda asked, plural: asked == method and plural == "trials"
        if method == "DELETE":
            world.api.throttled = lambda asked, plural: asked == method
        world.api.throttle = 2
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        began = time.monotonic()
        await world.until_complete()
        assert world.api.throttle == 0
        assert time.monotonic() - began >= 2.0, "it asked twice for a second"
        assert world.failures("Trial") == 0
        check_nothing_twice(world)


async def test_a_measurement_that_the_api_server_refuses_does_not_strand_its_trial(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without an outcome the run would never complete: the harness is at fault, and says so."""
    async with a_world(monkeypatch) as world:
        world.api.refuse = lambda w: bool(w.body.get("status", {}).get("measurements"))
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        await world.until_complete()
        assert world.outcomes() == {("script", "mend", 0): ("invalid", "StatusRefused")}
        (row,) = await world.results.rows()
        assert (row["outcome"], row["reason"]) == ("invalid", "StatusRefused")
        assert "admission webhook" in row["message"]


async def test_a_pod_that_the_api_server_refuses_makes_its_trial_invalid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The evaluator's pod: the agent has worked, and what it used is kept."""
    async with a_world(monkeypatch) as world:
        world.api.refuse = lambda w: w.plural == "pods" and w.name.endswith("-evaluate")
        world.apply_inputs("model")
        world.apply_run("model")
        world.start_operator()
        await world.until_complete()
        assert world.outcomes() == {("model", "mend", 0): ("invalid", "PodRejected")}
        assert world.only_trial()["usage"]["total"]["inputTokens"] == 900


async def test_an_api_server_that_goes_away_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_world(monkeypatch) as world:
        begin(world)
        world.start_operator()
        await world.until(lambda: len(world.kubelet.started) >= 5)
        world.api.outage = True
        world.api.cut_watches()
        await asyncio.sleep(0.2)
        world.api.outage = False
        await world.until_complete()
        await check_finished(world)
        check_nothing_twice(world)
        check_nothing_lost(world)


async def test_watches_that_are_cut_and_expire_all_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        begin(world)
        world.start_operator()

        async def disturb() -> None:
            while True:
                await asyncio.sleep(0.05)
                world.store.compact()
                world.api.cut_watches()

        disturber = asyncio.create_task(disturb())
        await world.until_complete(40)
        disturber.cancel()
        await check_finished(world)
        check_nothing_twice(world)
        check_nothing_lost(world)


async def test_facts_alone_carry_a_trial_on_before_the_pod_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """DESIGN: the operator goes on when the facts are stored, not when the phase changes."""

    async def lingers(kubelet: lives.Kubelet, pod: lives.Seen) -> None:
        await kubelet.run(pod)
        await kubelet.upload(pod, worked())
        await asyncio.sleep(60)

    async with a_world(monkeypatch, {("script", "repair", 1): lingers}) as world:
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        await world.until_complete(10)
        assert world.only_trial()["outcome"] == "success"


async def test_a_trial_that_somebody_deleted_is_observed_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.apply_inputs("script")
        world.apply_run("script", trialsPerTask=2, parallelism=1)
        world.start_operator()
        await world.until(lambda: world.store.all("pods"))
        (name,) = world.trials
        world.store.delete("trials", name)
        await world.until_complete()
        assert world.status["counts"]["succeeded"] == world.status["counts"]["planned"] == 2


async def test_a_results_service_that_fails_for_a_while_costs_time_and_no_trial(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        begin(world)
        world.start_operator()
        await world.until(lambda: len(world.kubelet.started) >= 5)
        assert world.ctx is not None
        client = world.ctx.results
        proper = client._call

        async def broken(*_: object, **__: object) -> tuple[int, object]:
            raise ServiceError("connection refused")

        monkeypatch.setattr(client, "_call", broken)
        await asyncio.sleep(0.2)
        monkeypatch.setattr(client, "_call", proper)
        await world.until_complete(40)
        await check_finished(world)
        check_nothing_twice(world)
        check_nothing_lost(world)


async def test_two_operators_started_one_after_the_other_see_the_same_finished_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        await world.until_complete()
        await world.kill_operator()
        before, writes = world.run, len(world.api.writes)
        world.start_operator()
        await world.until(lambda: world.ctx is not None and world.ctx.trials.synced.is_set())
        await asyncio.sleep(0.2)
        assert world.run == before
        assert len(world.api.writes) == writes, "nothing to do is no write"


async def test_the_order_of_a_seed_is_the_order_in_which_trials_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.apply_inputs(*AGENTS)
        world.apply_run(*AGENTS, trialsPerTask=2, parallelism=1, seed=3)
        world.start_operator()
        await world.until_complete()
        orders = {t["metadata"]["name"]: t["spec"]["order"] for t in world.trials.values()}
        begun = [orders[pod.trial] for pod in world.kubelet.started if pod.stage == "repair"]
        assert begun == sorted(begun) == list(range(6))
