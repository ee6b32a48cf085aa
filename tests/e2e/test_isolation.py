"""An agent that looks around: what it must not reach is out of reach, and the proxy answers."""

import http.server
import json
import socket
import threading
from collections.abc import Iterator

import pytest

from tests.e2e.cluster import IMAGE, Cluster, agent, benchmark, task, taskset, wait_for

PROBE = r"""
cat > /tmp/probe.py <<'PY'
import glob, json, os, socket, subprocess, sys, urllib.request

def open_(address, port):
    try:
        socket.create_connection((address, port), timeout=3).close()
        return "open"
    except OSError as error:
        return "closed"

def status(url, key=None):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"} if key else {})
    try:
        return urllib.request.urlopen(request, timeout=5).status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError as error:
        return "closed"

targets = json.loads(os.environ["TARGETS"])
found = {name: open_(*target) for name, target in targets.items()}
found["results data port"] = open_("results", 8080)
found["proxy admin port"] = open_("proxy", 8081)
found["proxy"] = status("http://proxy:8080/v1/models", os.environ["OPENAI_API_KEY"])
found["results without the harness's token"] = status("http://results:8081/v1/tasks/sha256:0/repository")
found["results with the proxy's token"] = status(
    "http://results:8081/v1/tasks/sha256:0/hidden", os.environ["OPENAI_API_KEY"])
try:
    socket.getaddrinfo("kubernetes.default.svc", 443)
    found["dns"] = "answers"
except OSError:
    found["dns"] = "none"
found["service account token"] = os.path.exists("/var/run/secrets/kubernetes.io")
found["evaluation files"] = glob.glob("/benchwright/evaluation*") + glob.glob(
    "/benchwright/**/secret-answer*", recursive=True)
git = lambda *a: subprocess.run(["git", *a], capture_output=True, text=True).stdout.strip()
found["commits"] = git("rev-list", "--all", "--count")
found["remotes"] = git("remote")
found["reflog"] = git("reflog")
found["uid"] = os.getuid()
found["capabilities"] = [l.split()[1] for l in open("/proc/self/status") if l.startswith("CapEff")][0]
found["environment"] = sorted(
    k for k in os.environ if "TOKEN" in k or k.endswith("SERVICE_HOST") and not k.startswith("KUBERNETES"))
try:
    open("/benchwright/runner", "a")
    found["runner"] = "writable"
except OSError:
    found["runner"] = "read-only"
print("FOUND " + json.dumps(found))
PY
python3 /tmp/probe.py
"""


@pytest.fixture
def outside() -> Iterator[tuple[str, int]]:
    """A server on this machine, outside of the cluster, that pods without a policy can reach."""
    route = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    route.connect(
        ("10.123.0.1", 9)
    )  # no packet is sent: asks the kernel which address it would use
    address = route.getsockname()[0]
    server = http.server.ThreadingHTTPServer((address, 0), http.server.SimpleHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield address, server.server_address[1]
    server.shutdown()


def test_what_a_workspace_can_reach(cluster: Cluster, outside: tuple[str, int]) -> None:
    kubernetes = cluster.kubectl(
        "get", "svc", "kubernetes", "-n", "default", "-o", "jsonpath={.spec.clusterIP}"
    )
    endpoint = json.loads(
        cluster.kubectl("get", "endpoints", "kubernetes", "-n", "default", "-o", "json")
    )
    node = endpoint["subsets"][0]["addresses"][0]["ip"]
    other = _other_trials_pod(cluster)
    targets = {
        "API server": [kubernetes, 443],
        "API server at the node": [node, 6443],
        "kubelet": [node, 10250],
        "outside": list(outside),
        "another trial's pod": [other, 8000],
    }
    # The same targets from a pod that no policy selects: the probe itself works.
    assert set(_control(cluster, targets).values()) == {"open"}
    env = [{"name": "TARGETS", "value": json.dumps(targets)}]
    cluster.apply(
        agent("spy", PROBE, model="quick", dialect="openai", env=env),
        taskset("spied", task("spied", files={"evaluation/secret-answer.txt": "42"})),
        benchmark("spied", "spied", ["spy"]),
    )
    trial = cluster.finish("spied")["spy/spied/0"]
    log = (cluster.evidence(trial["name"]) / "1/repair/logs/agent.log").read_text()
    found = json.loads(next(line for line in log.splitlines() if line.startswith("FOUND "))[6:])
    assert {name: found[name] for name in targets} == dict.fromkeys(targets, "closed")
    assert found["results data port"] == "closed"
    assert found["proxy admin port"] == "closed"
    assert found["proxy"] == 200
    assert found["results without the harness's token"] == 401
    assert found["results with the proxy's token"] == 401
    assert found["dns"] == "none"
    assert found["service account token"] is False
    assert found["evaluation files"] == []
    assert (found["commits"], found["remotes"], found["reflog"]) == ("1", "", "")
    assert (found["uid"], found["capabilities"]) == (1000, "0000000000000000")
    assert found["environment"] == []
    assert found["runner"] == "read-only"


def _pod(name: str, role: str | None, command: list[str]) -> dict[str, object]:
    secure = {
        "runAsNonRoot": True, "runAsUser": 1000, "seccompProfile": {"type": "RuntimeDefault"},
    }  # fmt: skip
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"benchwright.dev/role": role} if role else {}},
        "spec": {
            "restartPolicy": "Never",
            "securityContext": secure,
            "containers": [
                {
                    "name": "main", "image": IMAGE, "imagePullPolicy": "IfNotPresent", "command": command,
                    "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
                }
            ],
        },
    }  # fmt: skip


def _other_trials_pod(cluster: Cluster) -> str:
    cluster.apply(_pod("server", None, ["python3", "-m", "http.server", "8000", "-d", "/tmp"]))
    wait_for(lambda: cluster.get("pod", "server").get("status", {}).get("phase") == "Running", 60)
    return str(cluster.get("pod", "server")["status"]["podIP"])


def _control(cluster: Cluster, targets: dict[str, list[object]]) -> dict[str, str]:
    script = (
        "import json,socket,sys,time\n"
        "out={}\n"
        "for name,(address,port) in json.loads(sys.argv[1]).items():\n"
        "    try:\n"
        "        socket.create_connection((address,port),timeout=5).close(); out[name]='open'\n"
        "    except OSError as error: out[name]=repr(error)\n"
        "print(json.dumps(out))\n"
    )
    cluster.apply(_pod("control", None, ["python3", "-c", script, json.dumps(targets)]))
    wait_for(
        lambda: (
            cluster.get("pod", "control").get("status", {}).get("phase") in {"Succeeded", "Failed"}
        ),
        60,
    )
    return json.loads(cluster.kubectl("logs", "control"))  # type: ignore[no-any-return]
