"""The CRDs on the real API server: what is impossible is refused in a sentence that says what to do."""

import json
from typing import Any

import pytest

from tests.e2e.cluster import (
    API,
    Cluster,
    CommandFailed,
    Json,
    agent,
    benchmark,
    task,
    taskset,
)


def _repair(**more: Any) -> Json:
    return taskset("t", task("t", **more))


REFUSED = {
    "a dialect without a model": (agent("a", "true", dialect="openai"), "dialect needs a model"),
    "a model without a dialect": (agent("a", "true", model="m"), "model needs a dialect"),
    "an environment name of the harness": (
        agent("a", "true", env=[{"name": "BENCHWRIGHT_X", "value": "1"}]),
        "belong to the harness",
    ),
    "an agent without a command": (
        {"apiVersion": API, "kind": "Agent", "metadata": {"name": "a"}, "spec": {"scaffold": "x"}},
        "run is needed",
    ),
    "an agent named twice": (benchmark("r", "t", ["a", "a"]), "named twice in spec.agents"),
    "no agent": (benchmark("r", "t", []), "spec.agents"),
    "parallelism 0": (benchmark("r", "t", ["a"], parallelism=0), "spec.parallelism"),
    "a repair without criteria": (_repair(criteria=[]), "a repair task needs criteria"),
    "no required criterion": (
        _repair(criteria=[{"name": "x", "command": "true", "required": False}]),
        "at least one of them required",
    ),
    "two criteria of one name": (
        _repair(criteria=[{"name": "x", "command": "true"}, {"name": "x", "command": "false"}]),
        "two criteria have the same name",
    ),
    "test writing without a command": (
        taskset("t", task("t", "testWriting")),
        "needs measurement.command",
    ),
    "test running without truth": (taskset("t", task("t", "testRunning")), "needs measurement"),
    "two sources": (
        _repair(source={"git": {"url": "u", "commit": "0" * 40}, "archive": {"sha256": "0" * 64}}),
        "source takes git or archive, not both",
    ),
    "a branch instead of a commit": (
        _repair(source={"git": {"url": "u", "commit": "main"}}),
        "commit",
    ),
    "a task set without a source": (
        {"apiVersion": API, "kind": "TaskSet", "metadata": {"name": "t"}, "spec": {"source": {}}},
        "exactly one of git, configMap and inline",
    ),
    "an unknown field": (
        {**agent("a", "true"), "spec": {"scaffold": "x", "run": "true", "runn": "x"}},
        "unknown field",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(cluster: Cluster, case: str) -> None:
    obj, words = REFUSED[case]
    assert words in cluster.refused(obj)


def test_a_plan_cannot_change_but_its_pace_can(cluster: Cluster) -> None:
    cluster.apply(benchmark("frozen", "nothing-here", ["nobody"], suspend=True))
    cluster.apply(benchmark("frozen", "nothing-here", ["nobody"], parallelism=9))
    with pytest.raises(CommandFailed, match="a run's plan cannot change"):
        cluster.apply(benchmark("frozen", "nothing-here", ["nobody"], trialsPerTask=7))


def test_an_outcome_is_written_once(cluster: Cluster) -> None:
    cluster.apply(
        agent("once", "true"), taskset("once", task("once")), benchmark("once", "once", ["once"])
    )
    name = cluster.finish("once")["once/once/0"]["name"]

    def patch(status: Json) -> None:
        cluster.kubectl(
            "patch",
            "trial",
            name,
            "--subresource=status",
            "--type=merge",
            "-p",
            json.dumps({"status": status}),
        )

    with pytest.raises(CommandFailed, match="outcome is written once"):
        patch({"outcome": "failure", "reason": "Other"})
    with pytest.raises(CommandFailed, match="outcome is written once"):
        patch({"outcome": None})
    with pytest.raises(CommandFailed, match="a trial is a frozen record"):
        cluster.kubectl(
            "patch", "trial", name, "--type=merge", "-p", json.dumps({"spec": {"index": 7}})
        )


def test_explain_reads_like_documentation(cluster: Cluster) -> None:
    text = cluster.kubectl("explain", "benchmarkruns.spec.failurePolicy")
    assert "The agent is never charged" in " ".join(text.split())
    assert "How long an image that can't be pulled is waited for" in " ".join(text.split())
