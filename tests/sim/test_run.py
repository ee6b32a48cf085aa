"""A whole run with nothing in its way: 3 agents × 2 tasks × 2 trials."""

import pytest

from benchwright.api import labels
from tests.sim.world import REPAIR, WRITING, World, a_world

AGENTS = ("nop", "script", "model")
OUTCOMES = {
    ("nop", "parse"): ("failure", "NoChanges"),
    ("nop", "mend"): ("failure", "CriteriaFailed"),
    ("script", "parse"): ("success", "CoverageGained"),
    ("script", "mend"): ("success", "CriteriaPassed"),
    ("model", "parse"): ("success", "CoverageGained"),
    ("model", "mend"): ("success", "CriteriaPassed"),
}


def begin(world: World, trials: int = 1, **spec: object) -> None:
    """The run that most scenarios use: 3 agents × 2 tasks × `trials`."""
    world.apply_inputs(*AGENTS, tasks=(WRITING, REPAIR))
    world.apply_run(*AGENTS, **{"trialsPerTask": trials, "parallelism": 4, "seed": 7, **spec})


async def check_finished(world: World) -> None:
    """Every number that is published is right, and nothing is left behind."""
    trials = world.run["spec"]["trialsPerTask"]
    expected = {(*cell, index): end for cell, end in OUTCOMES.items() for index in range(trials)}
    assert world.outcomes() == expected
    assert world.status["counts"] == {
        "planned": 6 * trials, "queued": 0, "active": 0, "succeeded": 4 * trials,
        "failed": 2 * trials, "timedOut": 0, "invalid": 0,
    }  # fmt: skip
    assert world.status["progress"] == f"{6 * trials}/{6 * trials}"
    assert world.store.all("pods") == []
    (plan,) = await world.results.plans()
    assert (plan["plan_digest"], plan["trials_per_task"]) == (world.status["planDigest"], trials)
    rows = [r for r in await world.results.rows() if r["purpose"] == "measurement"]
    assert len(rows) == 6 * trials
    published = {(r["agent"], r["task"], r["index"]): (r["outcome"], r["reason"]) for r in rows}
    assert published == expected
    gains = {(r["agent"], r["coverage"]["gained_lines"]) for r in rows if r["task"] == "parse"}
    assert gains == {("nop", 0), ("script", 3), ("model", 3)}
    tokens = {(r["agent"], r["usage"]["input_tokens"]) for r in rows}
    assert tokens == {("nop", 0), ("script", 0), ("model", 900)}
    kept = {(r["agent"], await world.results.calls(r["trial_uid"])) for r in rows}
    assert kept == {("nop", None), ("script", None), ("model", "q")}


async def test_the_wait_for_a_pod_is_right_though_the_api_servers_clock_is_ahead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.store.clock_ahead = 90.0
        world.apply_inputs("script")
        world.apply_run("script")
        world.start_operator()
        await world.until_complete()
        (row,) = await world.results.rows()
        assert 0.0 < row["seconds"]["queued"] < 5.0


async def test_a_trial_that_left_no_test_is_graded_without_an_evaluator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        world.apply_inputs("nop", tasks=(WRITING, REPAIR))
        world.apply_run("nop")
        world.start_operator()
        await world.until_complete()
        made = [
            w.body["metadata"]["labels"] for w in world.api.writes if w.plural == "pods" and w.body
        ]
        stages = sorted(pod[labels.STAGE] for pod in made if "baseline" not in pod[labels.TRIAL])
        assert stages == ["evaluate", "repair", "write"], "the repair's criteria are tried"
        seconds = {r["task"]: r["seconds"]["evaluate"] for r in await world.results.rows()}
        assert seconds["parse"] == 0.0
        assert seconds["mend"] > 0.0


async def test_a_run_goes_to_completion(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_world(monkeypatch) as world:
        begin(world, trials=2)
        world.start_operator()
        await world.until_complete()
        await check_finished(world)
        assert world.condition("Complete") == ("True", "AllTrialsFinished")
        assert world.kubelet.most_at_once <= 4 * 2, "parallelism, with one pod ending a stage"
        assert all(t["status"]["attempt"] == 1 for t in world.trials.values())
        made = [w.name for w in world.api.applied if (w.method, w.plural) == ("POST", "pods")]
        asked = [w.name for w in world.api.writes if (w.method, w.plural) == ("DELETE", "pods")]
        assert sorted(asked) == sorted(made), (
            "each pod is asked to go once: writes cost the API server"
        )
