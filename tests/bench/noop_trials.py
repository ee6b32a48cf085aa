"""What Benchwright adds to bare pods: no-op trials against as many pods that do nothing.

A trial of an agent that does nothing is two pods, one after the other. The peer is the least that
any harness of two fresh pods a trial could do: create a pod that ends at once, wait until it has
succeeded, delete it, and do so again. Same cluster, same number at a time, one after the other.

    eval "$(python3 -m cluster env)" && .venv/bin/python -m tests.bench.noop_trials
"""

import argparse
import json
import statistics
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

from tests.e2e.cluster import (
    IMAGE,
    Cluster,
    Json,
    agent,
    benchmark,
    task,
    taskset,
    wait_for,
)

POD: Json = {"apiVersion": "v1", "kind": "Pod"}
SPEC: Json = {
    "restartPolicy": "Never",
    "automountServiceAccountToken": False,
    "enableServiceLinks": False,
    "securityContext": {
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "seccompProfile": {"type": "RuntimeDefault"},
    },
    "containers": [
        {
            "name": "main",
            "image": IMAGE,
            "imagePullPolicy": "Never",
            "command": ["true"],
            "securityContext": {
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
            },
        }
    ],
}


def bare_pod(cluster: Cluster, name: str) -> None:
    """A pod's whole life, seen through one watch."""
    cluster.kubectl(
        "create", "-f", "-", stdin=json.dumps({**POD, "metadata": {"name": name}, "spec": SPEC})
    )
    cluster.kubectl(
        "wait", f"pod/{name}", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=120s"
    )
    cluster.kubectl("delete", "pod", name, "--wait=false")


def bare_trial(cluster: Cluster, name: str) -> None:
    for stage in ("work", "evaluate"):
        bare_pod(cluster, f"{name}-{stage}")


def peer(cluster: Cluster, trials: int, at_a_time: int) -> float:
    mark = uuid.uuid4().hex[:6]
    start = time.monotonic()
    with ThreadPoolExecutor(at_a_time) as pool:
        list(pool.map(lambda n: bare_trial(cluster, f"bare-{mark}-{n}"), range(trials)))
    return time.monotonic() - start


def benchwright(cluster: Cluster, trials: int, at_a_time: int) -> tuple[float, list[float]]:
    """Seconds for the whole run, and harness seconds by trial."""
    name = f"noop-{uuid.uuid4().hex[:6]}"
    spec = task("noop", criteria=[{"name": "not-done", "command": "test -e done"}])
    cluster.apply(agent(name, "exit 0"), taskset(name, spec))
    run = benchmark(name, name, [name], trialsPerTask=trials, parallelism=at_a_time, seed=1)
    start = time.monotonic()
    cluster.apply(run)
    found = cluster.finish(name, 600)
    spent = time.monotonic() - start
    seconds = [trial["seconds"]["harness"] for trial in found.values()]
    for kind in ("brun", "taskset", "bagent"):
        cluster.kubectl("delete", kind, name)
    wait_for(lambda: not cluster.all("pods", f"benchwright.dev/run={name}"), 60)
    return spent, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--namespace", default="benchwright")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--at-a-time", type=int, default=4)
    options = parser.parse_args()
    cluster = Cluster(options.namespace)
    spent, harness = benchwright(cluster, options.trials, options.at_a_time)
    bare = peer(cluster, options.trials, options.at_a_time)
    print(f"{options.trials} no-op trials, {options.at_a_time} at a time: {spent:.1f} s")
    print(
        f"harness seconds a trial: median {statistics.median(harness):.1f}, max {max(harness):.1f}"
    )
    print(f"{2 * options.trials} bare pods, in as many pairs: {bare:.1f} s")
    print(f"ratio: {spent / bare:.2f}")


if __name__ == "__main__":
    main()
