"""Parts that are killed in the middle of a run: nothing lost, nothing twice, everything told."""

import json

from tests.e2e.cluster import Cluster, agent, benchmark, task, taskset, wait_for

CALL = """
python3 - <<'PY'
import json, os, urllib.request
model, messages = os.environ["BENCHWRIGHT_MODEL"], [{"role": "user", "content": "hi"}]
body = {"model": model, "stream": STREAM, "messages": messages}
request = urllib.request.Request(
    os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(),
    {"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "Content-Type": "application/json"})
for _ in range(COUNT):
    print(urllib.request.urlopen(request).read()[:200])
PY
"""


def call(count: int = 1, stream: bool = False) -> str:
    return CALL.replace("COUNT", str(count)).replace("STREAM", str(stream))


def delete_pod(cluster: Cluster, component: str, *options: str) -> None:
    selector = f"app.kubernetes.io/component={component}"
    cluster.kubectl("delete", "pod", "-l", selector, "--wait=false", *options)


def test_the_operator_is_killed_at_three_moments(cluster: Cluster) -> None:
    write = "echo mended > done"
    cluster.apply(
        agent("writes", write),
        agent("idle", "sleep 2"),
        agent("calls", f"{write}\n{call(3)}", model="quick", dialect="openai"),
        taskset(
            "restarted",
            task("a", criteria=[{"name": "done", "command": "test -e done"}]),
            task("b", criteria=[{"name": "done", "command": "grep -q mended done"}]),
        ),
        benchmark(
            "restarted", "restarted", ["writes", "idle", "calls"], trialsPerTask=2, parallelism=3
        ),
    )

    def phases() -> list[str]:
        return [t.get("phase", "") for t in cluster.trials("restarted").values()]

    def finished() -> int:
        return sum(p == "Finished" for p in phases())

    wait_for(lambda: "Running" in phases(), 60)
    delete_pod(cluster, "operator")
    wait_for(lambda: "Evaluating" in phases(), 120)
    delete_pod(cluster, "operator")
    wait_for(lambda: finished() >= 6, 240)
    delete_pod(cluster, "operator")
    trials = cluster.finish("restarted", 300)

    assert len(trials) == 12
    outcomes = {key: t["outcome"] for key, t in trials.items()}
    wanted = {key: "failure" if key.startswith("idle") else "success" for key in trials}
    assert outcomes == wanted
    given_up = {k: t["attempts"] for k, t in trials.items() if t["attempt"] > 1}
    assert not given_up
    tokens = {k: t["usage"]["total"]["inputTokens"] for k, t in trials.items()}
    assert tokens == {k: 300 if k.startswith("calls") else 0 for k in trials}
    records = cluster.records("restarted")
    assert len({r["trial"] for r in records}) == len(records) == 12
    orders = sorted(r["order"] for r in records)
    assert orders == list(range(12))
    _handed_over(cluster, {t["uid"]: t["usage"]["total"]["requests"] for t in trials.values()})


def _handed_over(cluster: Cluster, requests: dict[str, int]) -> None:
    """The results service has the calls of each trial, and the proxy their totals, once."""
    lines = _data(cluster, "archive.jsonl").splitlines()
    kept = [json.loads(line) for line in lines]
    mine = [line for line in kept if line.get("trial_uid") in requests]
    assert {line["trial_uid"]: line["requests"] for line in mine} == requests
    assert len(mine) == len(requests)


def test_the_proxy_is_killed_during_a_stream(cluster: Cluster) -> None:
    cluster.apply(
        agent("streams", call() + call(stream=True), model="slow", dialect="openai"),
        taskset("cut", task("cut")),
        benchmark("cut", "cut", ["streams"], failurePolicy={"maxInfraRetries": 0}),
    )  # fmt: skip
    trial = next(iter(_running(cluster, "cut").values()))
    wait_for(lambda: _requests(cluster, trial["uid"]) >= 2, 120)
    delete_pod(cluster, "proxy", "--grace-period=1")  # no time to drain the stream
    ended = cluster.finish("cut", 300)["streams/cut/0"]
    assert (ended["outcome"], ended["reason"]) == ("invalid", "ProxyInterrupted")
    usage = ended["usage"]["total"]
    assert usage["requests"] >= 2
    assert usage["unknownUsage"] >= 1
    assert usage["knownInputTokens"] == 50  # the call before the stream was metered and is kept
    assert "inputTokens" not in usage  # the sum is unknown, not 50


def _running(cluster: Cluster, run: str) -> dict[str, dict[str, str]]:
    wait_for(lambda: any(t.get("phase") == "Running" for t in cluster.trials(run).values()), 90)
    return cluster.trials(run)


def _requests(cluster: Cluster, uid: str) -> int:
    journal = _data(cluster, "journal-*.jsonl")
    return sum('"dispatch"' in line and uid in line for line in journal.splitlines())


def _data(cluster: Cluster, files: str) -> str:
    """What is in files on the proxy's volume."""
    return cluster.kubectl(
        "exec", "deploy/benchwright-proxy", "--", "sh", "-c", f"cat /data/{files}"
    )
