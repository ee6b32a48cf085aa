"""Raw Trials and BenchmarkRuns at various points of their lives."""

import gzip
import io
import tarfile
from typing import Any

from tests.unit.reports.samples import DIGEST, FINISHED, STARTED, measured, seconds, usage

Json = dict[str, Any]


def run_object(name: str, planned: int | None = None, **conditions: tuple[str, str, str]) -> Json:
    """A BenchmarkRun with conditions given as status, reason, message."""
    status: Json = {
        "conditions": [
            {"type": t, "status": s, "reason": r, "message": m, "lastTransitionTime": STARTED}
            for t, (s, r, m) in conditions.items()
        ]
    }
    if planned is not None:
        status |= {"counts": {"planned": planned}, "startedAt": STARTED}
    return {"metadata": {"uid": f"uid-{name}"}, "status": status if conditions else {}}


def complete_run(name: str, planned: int) -> Json:
    run = run_object(
        name,
        planned,
        Resolved=("True", "InputsFit", ""),
        Complete=("True", "AllTrialsFinished", ""),
    )
    run["status"]["finishedAt"] = FINISHED
    return run


def running_run(name: str, planned: int) -> Json:
    return run_object(
        name,
        planned,
        Resolved=("True", "InputsFit", ""),
        Complete=("False", "TrialsUnfinished", ""),
    )


def trial(
    run: str,
    agent: str,
    index: int,
    outcome: str | None = None,
    *,
    phase: str = "Finished",
    reason: str = "CoverageGained",
    message: str = "2 added tests pass",
    stage: str = "write",
    baseline: bool = False,
    **status: Any,
) -> Json:
    """A Trial that the operator could have made."""
    spec: Json = {
        "runName": run, "task": {"name": "fix", "digest": DIGEST, "spec": _TASK}, "index": index,
        "order": index, "taskSetDigest": DIGEST, "limits": {},
    }  # fmt: skip
    if baseline:
        spec["purpose"] = "baseline"
    else:
        spec["agent"] = {"name": agent, "digest": DIGEST, "spec": {"scaffold": "s", "run": "true"}}
    found: Json = {
        "phase": phase, "attempt": 1,
        "stages": [{"name": stage, "pod": "p", "createdAt": STARTED}], **status,
    }  # fmt: skip
    if outcome:
        found |= {"outcome": outcome, "reason": reason, "message": message, "finishedAt": FINISHED}
        found |= {"seconds": seconds().dump(), "usage": {"total": usage(reasoning_tokens=0).dump()}}
        if outcome != "invalid":
            found["measurements"] = measured().dump()
    meta = {"labels": {"benchwright.dev/run": run}, "ownerReferences": [{"uid": f"uid-{run}"}]}
    return {"metadata": meta, "spec": spec, "status": found}


_TASK = {
    "name": "fix", "kind": "repair", "image": "p", "criteria": [{"name": "c", "command": "true"}],
}  # fmt: skip


def archive(content: bytes = b"log") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        info = tarfile.TarInfo("1/write/agent.log")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return gzip.compress(stream.getvalue(), mtime=0)
