"""Real agents finish a task in their workspace, and what they used is what the model says."""

from typing import Any

import pytest

from tests.e2e.cluster import Cluster, agent, benchmark, task, taskset
from tests.e2e.conftest import AT_WORK

BUNDLE = {"image": "benchwright.local/agent-mini-swe-agent:dev"}
RUN = 'exec sh "$BENCHWRIGHT_AGENT_DIR/run"'
MENDED = {"name": "mended", "command": "grep -qx mended README.md"}
CLIENTS = {"litellm": "", "light": " --model-class openrouter"}


def mini(name: str, arguments: str, **more: Any) -> dict[str, Any]:
    values = {"model": "at-work", "dialect": "openai", "bundle": BUNDLE, **more}
    return agent(name, RUN + arguments, **values)


def a_mending(name: str) -> dict[str, Any]:
    resources = {"cpu": "100m", "memory": "512Mi"}
    return taskset(name, task("mend", criteria=[MENDED], resources=resources))


def test_mini_swe_agent_with_each_of_its_clients(cluster: Cluster) -> None:
    cluster.apply(
        *(mini(name, arguments) for name, arguments in CLIENTS.items()),
        a_mending("agents"),
        benchmark("agents", "agents", list(CLIENTS)),
    )
    cluster.finish("agents")
    rows = {r["agent"]: r for r in cluster.records("agents")}
    assert rows.keys() == CLIENTS.keys()
    for row in rows.values():
        assert (row["outcome"], row["reason"]) == ("success", "CriteriaPassed")
        assert (row["changes"]["files"], row["changes"]["added"]) == (1, 1)
        used = row["usage"]
        assert used["requests"] == len(AT_WORK)
        assert (used["input_tokens"], used["output_tokens"]) == (6000, 60)


@pytest.mark.parametrize(("client", "arguments"), CLIENTS.items(), ids=CLIENTS.keys())
def test_mini_swe_agent_ends_at_once_where_its_budget_is_spent(
    cluster: Cluster, client: str, arguments: str
) -> None:
    """By itself it would try ten times more, for four minutes: past the limit of the task."""
    name = f"spent-{client}"
    cluster.apply(
        mini(name, arguments),
        a_mending(name),
        benchmark(name, name, [name], budget={"trial": {"requests": 2}}),
    )
    cluster.finish(name)
    (row,) = cluster.records(name)
    assert row["outcome"] == "success", "what it left counts, however it ended"
    assert "(the agent ended with 1)" in row["message"]
    assert row["usage"]["requests"] == 2
    assert row["seconds"]["agent"] < 60
