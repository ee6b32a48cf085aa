"""A whole run with nothing in its way: 3 agents × 2 tasks × 2 trials."""

import pytest

from tests.sim.world import REPAIR, WRITING, World, a_world

AGENTS = ("nop", "script", "model")
EXPECTED = {
    (agent, task, index): outcome
    for index in (0, 1)
    for agent, task, outcome in (
        ("nop", "parse", ("failure", "NoChanges")),
        ("nop", "mend", ("failure", "CriteriaFailed")),
        ("script", "parse", ("success", "CoverageGained")),
        ("script", "mend", ("success", "CriteriaPassed")),
        ("model", "parse", ("success", "CoverageGained")),
        ("model", "mend", ("success", "CriteriaPassed")),
    )
}


def begin(world: World, **spec: object) -> None:
    """The run that most scenarios use."""
    world.apply_inputs(*AGENTS, tasks=(WRITING, REPAIR))
    world.apply_run(*AGENTS, **{"trialsPerTask": 2, "parallelism": 4, "seed": 7, **spec})


async def check_finished(world: World) -> None:
    """Every number that is published is right, and nothing is left behind."""
    assert world.outcomes() == EXPECTED
    assert world.status["counts"] == {
        "planned": 12, "queued": 0, "active": 0, "succeeded": 8, "failed": 4, "timedOut": 0, "invalid": 0,
    }  # fmt: skip
    assert world.status["progress"] == "12/12"
    assert world.store.all("pods") == []
    rows = [r for r in await world.results.rows() if r["purpose"] == "measurement"]
    published = {(r["agent"], r["task"], r["index"]): (r["outcome"], r["reason"]) for r in rows}
    assert published == EXPECTED
    assert len(rows) == 12
    gains = {(r["agent"], r["coverage"]["gained_lines"]) for r in rows if r["task"] == "parse"}
    assert gains == {("nop", 0), ("script", 3), ("model", 3)}


async def test_a_run_goes_to_completion(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_world(monkeypatch) as world:
        begin(world)
        world.start_operator()
        await world.until_complete()
        await check_finished(world)
        assert world.condition("Complete") == ("True", "AllTrialsFinished")
        assert world.kubelet.most_at_once <= 4 * 2, "parallelism, with one pod ending a stage"
        assert all(t["status"]["attempt"] == 1 for t in world.trials.values())
