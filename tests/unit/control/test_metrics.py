"""What the operator tells Prometheus and the kubelet."""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
from aiohttp.test_utils import TestClient, TestServer

from benchwright.control import health, operator, trials
from benchwright.control.context import Context
from benchwright.control.metrics import MAX_REASONS, Metrics
from benchwright.control.settings import OperatorSettings
from benchwright.kube.client import KubeClient
from benchwright.kube.config import Login
from tests.builders import a_trial

REASONS = ("CoverageGained", "NoChanges", "AgentTimeout", "ImagePull")
OUTCOMES = dict(zip(("success", "failure", "timeout", "invalid"), REASONS, strict=True))


@dataclass
class Operator:
    """An operator that never ran, and its health port."""

    ctx: Context
    port: TestClient  # type: ignore[type-arg]

    async def samples(self) -> dict[str, float]:
        async with self.port.get("/metrics") as answer:
            assert (answer.status, answer.content_type) == (200, "text/plain")
            lines = [x for x in (await answer.text()).splitlines() if not x.startswith("#")]
        found = {name: float(value) for name, _, value in (x.rpartition(" ") for x in lines)}
        return {n.removeprefix("benchwright_"): v for n, v in found.items() if "_created" not in n}


@pytest.fixture
async def fresh(tmp_path: Path) -> AsyncIterator[Operator]:
    key = tmp_path / "key"
    key.write_bytes(b"k" * 40)
    settings = OperatorSettings("bench", "harness:1", "127.0.0.1", "127.0.0.1", key)
    login = Login("http://127.0.0.1:9", None, None, None, "bench")
    async with KubeClient(login) as kube, aiohttp.ClientSession() as session:
        ctx = operator.build(settings, kube, session)
        async with TestClient(TestServer(health.application(ctx))) as port:
            yield Operator(ctx, port)


async def test_a_trial_without_an_outcome_is_active_and_neither_failed_nor_invalid(
    fresh: Operator,
) -> None:
    raws = (
        a_trial().named("a"),
        a_trial().named("b").finished("failure", "NoChanges"),
        a_trial().named("c").finished("invalid", "ImagePull"),
        a_trial().baseline().named("d"),
        a_trial().baseline().named("e"),
    )
    for raw in raws:
        fresh.ctx.trials.upsert(raw.obj())
    found = await fresh.samples()
    assert found['trials_active{purpose="measurement"}'] == 1
    assert found['trials_active{purpose="baseline"}'] == 2
    assert not any(name.startswith("trials_finished_total") for name in found)


async def test_outcomes_are_counted_each_under_its_own_name(
    fresh: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def heard(*_: object, **__: object) -> None: ...

    monkeypatch.setattr(fresh.ctx.events, "record", heard)
    for outcome, reason in OUTCOMES.items():
        trial = a_trial().view()
        await trials._tell(fresh.ctx, trial, a_trial().finished(outcome, reason).view().status)
    base = a_trial().baseline()
    done = base.finished("invalid", "NoReport").view().status
    await trials._tell(fresh.ctx, base.view(), done)
    found = await fresh.samples()
    finished = {n: v for n, v in found.items() if n.startswith("trials_finished_total")}
    assert finished == {
        **{
            f'trials_finished_total{{outcome="{o}",purpose="measurement",reason="{r}"}}': 1
            for o, r in OUTCOMES.items()
        },
        'trials_finished_total{outcome="invalid",purpose="baseline",reason="NoReport"}': 1,
    }


async def test_an_attempt_that_is_repeated_is_a_retry_and_no_outcome(
    fresh: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def heard(*_: object, **__: object) -> None: ...

    monkeypatch.setattr(fresh.ctx.events, "record", heard)
    again = a_trial().after_invalid("NodeLost").view().status
    await trials._tell(fresh.ctx, a_trial().view(), again)
    found = await fresh.samples()
    assert found['infra_retries_total{reason="NodeLost"}'] == 1
    assert not any(name.startswith("trials_finished_total") for name in found)


async def test_seconds_that_are_not_known_are_not_zero_seconds(fresh: Operator) -> None:
    fresh.ctx.metrics.finish("measurement", "failure", "NoChanges", None)
    assert (await fresh.samples())["trial_harness_seconds_count"] == 0
    fresh.ctx.metrics.finish("measurement", "failure", "NoChanges", 0.0)
    assert (await fresh.samples())["trial_harness_seconds_count"] == 1


def test_reasons_that_pods_make_up_do_not_become_time_series_without_end() -> None:
    metrics = Metrics()
    for number in range(3 * MAX_REASONS):
        metrics.finish("measurement", "invalid", f"Made{number}Up", None)
        metrics.retry(f"Made{number}Up")
    (finished,) = metrics.finished.collect()
    totals = [s for s in finished.samples if s.name.endswith("_total")]
    assert len(totals) == MAX_REASONS + 1
    assert {s.value for s in totals if s.labels["reason"] == "Other"} == {2 * MAX_REASONS}


async def test_no_label_is_the_name_of_a_trial(fresh: Operator) -> None:
    for number in range(20):
        fresh.ctx.trials.upsert(a_trial().named(f"trial-{number}").obj())
        fresh.ctx.queue.add(("Trial", f"trial-{number}"))
    found = await fresh.samples()
    assert not [name for name in found if "trial-" in name or "run-1" in name]
    assert found["queue_depth"] == 21  # and their run
    assert len(found) < 60


# The kubelet's probes


async def test_an_operator_is_ready_when_it_has_seen_everything(fresh: Operator) -> None:
    async with fresh.port.get("/readyz") as answer:
        assert (answer.status, await answer.text()) == (503, "not synced")
    fresh.ctx.trials.synced.set()
    fresh.ctx.pods.synced.set()
    async with fresh.port.get("/readyz") as answer:
        assert answer.status == 200


async def test_a_watch_that_is_silent_for_long_is_no_life(fresh: Operator) -> None:
    async with fresh.port.get("/healthz") as answer:
        assert answer.status == 200
    fresh.ctx.pods.last_heard = time.monotonic() - health.MAX_SILENCE - 1
    async with fresh.port.get("/healthz") as answer:
        assert answer.status == 503
        assert (await answer.text()).startswith("watch of pods silent for")
    assert (await fresh.samples())['watch_last_event_age_seconds{resource="pods"}'] > 150
