"""A run of twenty trials of every outcome: its report tells them apart and adds up to the plan."""

import json
from pathlib import Path

from tests.e2e.cluster import Cluster, Json, agent, benchmark, task, taskset, wait_for

DONE = [{"name": "done", "command": "test -e done"}]
TASKS = [
    task("easy", criteria=DONE),
    task("hard", criteria=[{"name": "found", "command": "test -e found"}]),
    task("loose"),
    task("slow", limits={"agentSeconds": 4, "evaluateSeconds": 60, "setupSeconds": 30}),
    task("unpullable", criteria=DONE, image="benchwright.local/absent:dev"),
]
SEED = 14
"""The order is of blocks: when five are finished, some cells have had no trial at all."""
SUMS = ("success", "failure", "timeout", "invalid")


def test_twenty_trials_with_invalid_late_missing_and_flagged_ones_add_up(
    cluster: Cluster, tmp_path: Path
) -> None:
    start(cluster)
    wait_for(lambda: finished(cluster) >= 5, 180, lambda: cluster.story("mixed"))
    cluster.kubectl("patch", "brun", "mixed", "--type=merge", "-p", '{"spec": {"suspend": true}}')
    wait_for(lambda: counts(cluster)["active"] == 0, 120, lambda: cluster.story("mixed"))
    half = report(cluster, tmp_path / "half")
    assert sum(half["totals"].values()) == 20
    assert half["totals"]["missing"] == counts(cluster)["queued"] > 0
    assert any("of the plan have no outcome here" in c["text"] for c in half["claims"])

    cluster.kubectl("patch", "brun", "mixed", "--type=merge", "-p", '{"spec": {"suspend": false}}')
    cluster.finish("mixed", 300)
    whole = report(cluster, tmp_path / "whole")
    assert whole["totals"] == {
        "success": 8, "failure": 6, "timeout": 2, "invalid": 4, "missing": 0,
    }  # fmt: skip
    assert [whole["totals"][name] for name in SUMS] == [
        counts(cluster)[name] for name in ("succeeded", "failed", "timedOut", "invalid")
    ]
    said = " ".join(c["text"] for c in whole["claims"])
    assert "Task loose, 2 trials" in said
    assert "4 of 20 trials are invalid" in said
    assert "2 trials ran out of time" in said
    for record in cluster.records("mixed"):
        valid = record["outcome"] != "invalid"
        assert all(record["nodes"].values()) or not valid, record
        assert set(record["nodes"]) == {"repair", "evaluate"} or not valid, record
    pages(cluster)


def start(cluster: Cluster) -> None:
    cluster.apply(
        agent("keen", "touch done"),
        agent("lazy", "sleep 6"),
        taskset("mixed", *TASKS),
        benchmark(
            "mixed", "mixed", ["keen", "lazy"], trialsPerTask=2, parallelism=3, seed=SEED,
            failurePolicy={"maxInfraRetries": 0, "imagePullGraceSeconds": 3},
        ),
    )  # fmt: skip


def counts(cluster: Cluster) -> Json:
    return cluster.get("brun", "mixed").get("status", {}).get("counts", {})  # type: ignore[no-any-return]


def finished(cluster: Cluster) -> int:
    found = counts(cluster)
    return sum(found.get(name, 0) for name in ("succeeded", "failed", "timedOut", "invalid"))


def report(cluster: Cluster, folder: Path) -> Json:
    """What was computed, of the run as it is."""
    cluster.cli("report", "mixed", "--out", folder)
    assert "<html" in (folder / "report.html").read_text()
    return json.loads((folder / "analysis.json").read_text())  # type: ignore[no-any-return]


def pages(cluster: Cluster) -> None:
    """The web view has the same run, behind the API server's proxy as a user reaches it."""
    base = f"/api/v1/namespaces/{cluster.namespace}/services/http:benchwright-results:http/proxy"
    uid = cluster.get("brun", "mixed")["metadata"]["uid"]
    page = cluster.kubectl("get", "--raw", f"{base}/ui/run/{uid}")
    assert all(name in page for name in ("easy", "hard", "loose", "slow", "unpullable"))
    live = cluster.kubectl("get", "--raw", f"{base}/runs/{cluster.namespace}/mixed/report.html")
    assert "4 of 20 trials are invalid" in live
