"""What the end-to-end tests do with the cluster: kubectl and the CLI, as a user would."""

import json
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CLI = ROOT / ".venv/bin/benchwright"
Json = dict[str, Any]
API = "benchwright.dev/v1alpha1"
IMAGE = "benchwright.local/task-python:dev"


class CommandFailed(AssertionError):
    """A command that should succeed did not; the message is what it printed."""


@dataclass(frozen=True)
class Cluster:
    """One namespace with Benchwright installed in it."""

    namespace: str

    def kubectl(self, *args: str, stdin: str | None = None) -> str:
        return run(["kubectl", "-n", self.namespace, *args], stdin)

    def cli(self, *args: str | Path, check: bool = True) -> str:
        command = [str(CLI), "-n", self.namespace, *map(str, args)]
        return run(command, None, check=check)

    def apply(self, *objects: Json) -> None:
        self.kubectl("apply", "-f", "-", stdin="\n---\n".join(map(json.dumps, objects)))

    def refused(self, obj: Json) -> str:
        """What the API server says when it refuses `obj`."""
        try:
            self.kubectl("apply", "--dry-run=server", "-f", "-", stdin=json.dumps(obj))
        except CommandFailed as error:
            return str(error)
        raise AssertionError(f"not refused: {obj}")

    def get(self, kind: str, name: str) -> Json:
        return json.loads(self.kubectl("get", kind, name, "-o", "json"))  # type: ignore[no-any-return]

    def all(self, kind: str, selector: str = "") -> list[Json]:
        args = ["get", kind, "-o", "json", *(["-l", selector] if selector else [])]
        return json.loads(self.kubectl(*args))["items"]  # type: ignore[no-any-return]

    def trials(self, run_name: str) -> dict[str, Json]:
        """Status by `agent/task/index` of a run's measurements."""
        found = {}
        for raw in self.all("trials", f"benchwright.dev/run={run_name}"):
            spec = raw["spec"]
            if spec["purpose"] == "measurement":
                key = f"{spec['agent']['name']}/{spec['task']['name']}/{spec['index']}"
                found[key] = {
                    **raw.get("status", {}),
                    "uid": raw["metadata"]["uid"],
                    "name": raw["metadata"]["name"],
                }
        return found

    def finish(self, run_name: str, seconds: float = 240) -> dict[str, Json]:
        """Wait until the run is complete."""
        wait_for(
            lambda: condition(self.get("brun", run_name), "Complete") == "True",
            seconds,
            lambda: self.story(run_name),
        )
        return self.trials(run_name)

    def story(self, run_name: str) -> str:
        return self.kubectl("get", "brun,trials,pods", "-o", "wide")

    def evidence(self, trial: str) -> Path:
        """All evidence of a trial, unpacked."""
        folder = Path(tempfile.mkdtemp(prefix="bw-evidence-"))
        archive = folder / "evidence.tar.gz"
        self.cli("evidence", trial, "--out", archive)
        with tarfile.open(archive) as tar:
            for member in tar:
                if member.isreg() and (stream := tar.extractfile(member)):
                    path = folder / member.name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(stream.read())
        return folder

    def records(self, run_name: str) -> list[Json]:
        folder = Path(tempfile.mkdtemp(prefix="bw-results-"))
        self.cli("results", run_name, "--out", folder)
        return json.loads((folder / "results.json").read_text())  # type: ignore[no-any-return]


def run(command: Sequence[str], stdin: str | None, *, check: bool = True) -> str:
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, timeout=300, check=False
    )
    if check and done.returncode:
        raise CommandFailed(f"{' '.join(command)}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout + ("" if check else done.stderr)


def condition(raw: Json, kind: str) -> str | None:
    return next(
        (c["status"] for c in raw.get("status", {}).get("conditions", []) if c["type"] == kind),
        None,
    )


def message(raw: Json, kind: str) -> str:
    """Reason and message of a condition."""
    found = next(c for c in raw["status"]["conditions"] if c["type"] == kind)
    return f"{found['reason']}: {found['message']}"


def wait_for(ready: Callable[[], bool], seconds: float, story: Callable[[], str] = str) -> None:
    """Until `ready`, or fail with the story so far."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise AssertionError(f"not ready after {seconds} s:\n{story()}")
        time.sleep(0.5)


def agent(name: str, script: str, **more: Any) -> Json:
    spec = {"scaffold": "test", "run": script, **more}
    return {"apiVersion": API, "kind": "Agent", "metadata": {"name": name}, "spec": spec}


def task(name: str, kind: str = "repair", files: dict[str, str] | None = None, **more: Any) -> Json:
    """A small task; repairs pass whatever was left unless criteria are given."""
    spec: Json = {
        "name": name,
        "kind": kind,
        "image": IMAGE,
        "prompt": "Do it.",
        "resources": {"cpu": "50m", "memory": "128Mi"},
        "limits": {"agentSeconds": 60, "evaluateSeconds": 60, "setupSeconds": 30},
        **({"criteria": [{"name": "anything", "command": "true"}]} if kind == "repair" else {}),
        **more,
    }
    return {"task": spec, "files": {"workspace/README.md": "hello\n", **(files or {})}}


def taskset(name: str, *tasks: Json) -> Json:
    spec = {"source": {"inline": list(tasks)}}
    return {"apiVersion": API, "kind": "TaskSet", "metadata": {"name": name}, "spec": spec}


def benchmark(name: str, task_set: str, agents: Sequence[str], **more: Any) -> Json:
    spec = {"agents": list(agents), "taskSet": task_set, "parallelism": 4, **more}
    return {"apiVersion": API, "kind": "BenchmarkRun", "metadata": {"name": name}, "spec": spec}
