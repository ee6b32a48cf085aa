"""Budgets of money and of whole runs, from the resource to the proxy and back."""

import pytest

from tests.sim.test_run import AGENTS, begin
from tests.sim.world import REPAIR, a_world


async def test_the_proxy_knows_a_runs_budget_before_its_first_trial(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.proxy.priced = {"demo"}
        begin(world, budget={"run": {"costUsd": "2.5", "requests": 90}})
        seen: list[bool] = []
        world.store.listeners.append(
            lambda plural, _kind, _raw: (
                seen.append(bool(world.proxy.limits)) if plural == "trials" else None
            )
        )
        world.start_operator()
        await world.until_complete()
        assert all(seen)
        assert seen
        (limits,) = world.proxy.limits.values()
        assert (limits["cost_nanos"], limits["requests"]) == (2_500_000_000, 90)
        assert world.condition("BudgetSpent") == ("False", "WithinBudget")
        assert {
            t["spec"]["runBudget"] for t in world.trials.values() if t["spec"].get("agent")
        } == {True}


async def test_a_spent_run_stops_until_its_budget_is_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        used = {"input": 0, "output": 0, "nanos": 0}
        world.proxy.run = {"requests": 10, "used": used, "held": used}
        begin(world, budget={"run": {"requests": 10}})
        world.start_operator()
        await world.until(lambda: world.condition("BudgetSpent") == ("True", "BudgetSpent"))
        assert world.trials == {}
        assert world.status["budgetUsed"]["requests"] == 10
        world.store.update_spec("benchmarkruns", "run-1", budget={"run": {"requests": 99}})
        await world.until_complete()
        assert world.condition("BudgetSpent") == ("False", "WithinBudget")


async def test_a_trial_that_the_runs_budget_cut_short_is_invalid_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.proxy.limit_hit = {1: "run_requests"}
        begin(world, budget={"run": {"requests": 10}})
        world.start_operator()
        await world.until_complete()
        assert set(world.outcomes().values()) == {("invalid", "RunBudgetSpent")}
        assert {t["status"]["attempt"] for t in world.trials.values() if "agent" in t["spec"]} == {
            1
        }


async def test_a_trials_own_limit_is_its_own_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_world(monkeypatch) as world:
        world.proxy.limit_hit = {1: "requests"}
        begin(world)
        world.start_operator()
        await world.until_complete()
        assert "invalid" not in {end for end, _ in world.outcomes().values()}


async def test_a_run_may_keep_no_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_world(monkeypatch) as world:
        world.apply_inputs("model", tasks=(REPAIR,))
        world.apply_run("model", evidence={"calls": "none"})
        world.start_operator()
        await world.until_complete()
        (row,) = await world.results.rows()
        assert (row["usage"]["requests"], await world.results.calls(row["trial_uid"])) == (3, None)
        assert len(world.proxy.forgotten) == len(world.proxy.closed)


async def test_money_needs_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_world(monkeypatch) as world:
        world.apply_inputs(*AGENTS, tasks=(REPAIR,))
        world.apply_run(*AGENTS, budget={"trial": {"costUsd": "1"}})
        world.start_operator()
        await world.until(lambda: world.condition("Resolved") == ("False", "ModelUnpriced"))
        assert world.trials == {}


async def test_a_provider_at_its_limit_delays_trials_and_they_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.proxy.run = {"throttled": {"demo": 0.2}}
        world.apply_inputs("model", tasks=(REPAIR,))
        world.apply_run("model")
        world.start_operator()
        await world.until(lambda: world.condition("Resolved") == ("True", "InputsFit"))
        assert world.outcomes() == {}
        world.proxy.run = {}
        await world.until_complete()
