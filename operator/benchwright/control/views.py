"""Raw resources → views that the rules use."""

import hashlib
import json
from datetime import datetime
from typing import Any

from benchwright.api import labels
from benchwright.api.agent import AgentSnapshot, AgentSpec
from benchwright.api.base import Model, parse_stored
from benchwright.api.run import BenchmarkRunSpec, BenchmarkRunStatus
from benchwright.api.trial import TrialSpec, TrialStatus
from benchwright.core.clock import format_time, parse_time
from benchwright.core.runview import RunView, TrialSummary
from benchwright.core.trialview import TrialView
from benchwright.resources.presets import script_of

Json = dict[str, Any]


def trial_view(raw: Json, spec: TrialSpec | None = None) -> TrialView:
    """`spec`: of a caller who has read it already."""
    meta = raw["metadata"]
    owners = meta.get("ownerReferences") or [{}]
    return TrialView(
        namespace=meta["namespace"],
        name=meta["name"],
        uid=meta["uid"],
        spec=spec or parse_stored(TrialSpec, raw["spec"]),
        status=parse_stored(TrialStatus, raw.get("status") or {}),
        created_at=_created_at(meta),
        generation=meta.get("generation", 1),
        resource_version=meta["resourceVersion"],
        deleting="deletionTimestamp" in meta,
        run_uid=owners[0].get("uid", ""),
    )


def _created_at(meta: Json) -> str:
    stamp = str((meta.get("annotations") or {}).get(labels.CREATED_AT, ""))
    try:
        known = parse_time(stamp)
    except ValueError:  # somebody else's hand
        known = None
    return stamp if known and known.tzinfo else str(meta["creationTimestamp"])


def run_view(raw: Json) -> RunView:
    meta = raw["metadata"]
    return RunView(
        namespace=meta["namespace"],
        name=meta["name"],
        uid=meta["uid"],
        spec=parse_stored(BenchmarkRunSpec, raw["spec"]),
        status=parse_stored(BenchmarkRunStatus, raw.get("status") or {}),
        generation=meta.get("generation", 1),
        resource_version=meta["resourceVersion"],
        deleting="deletionTimestamp" in meta,
    )


def agent_snapshot(raw: Json) -> AgentSnapshot:
    spec = parse_stored(AgentSpec, raw["spec"])
    return AgentSnapshot(name=raw["metadata"]["name"], digest=agent_digest(spec), spec=spec)


def agent_digest(spec: AgentSpec) -> str:
    """Identity of a configuration: what its preset does is a part of it."""
    if spec.preset is None:
        return digest_of(spec)
    text = f"{digest_of(spec)}\n{script_of(spec)}"
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def digest_of(model: Model) -> str:
    text = json.dumps(model.dump(), sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def summary(trial: TrialView) -> TrialSummary:
    status = trial.status
    return TrialSummary(
        name=trial.name,
        purpose=trial.spec.purpose,
        task=trial.spec.task.name,
        outcome=status.outcome,
        reason=status.reason or "",
        message=status.message or "",
    )


def status_patch(status: Model) -> Json:
    """For a merge patch: what is None is named, so that it is removed."""
    full = status.dump()
    fields = type(status).model_fields
    return {f.alias or name: full.get(f.alias or name) for name, f in fields.items()}


def trial_object(run: RunView, name: str, spec: TrialSpec, now: datetime) -> Json:
    """The Trial that a run creates."""
    tags = {
        labels.RUN: run.name,
        labels.PURPOSE: spec.purpose,
        labels.TASK: spec.task.name,
        **({labels.AGENT: spec.agent.name} if spec.agent else {}),
    }
    owner = {
        "apiVersion": "benchwright.dev/v1alpha1",
        "kind": "BenchmarkRun",
        "name": run.name,
        "uid": run.uid,
        "controller": True,
        "blockOwnerDeletion": False,
    }
    return {
        "apiVersion": "benchwright.dev/v1alpha1",
        "kind": "Trial",
        "metadata": {
            "name": name,
            "namespace": run.namespace,
            "labels": tags,
            "annotations": {labels.CREATED_AT: format_time(now)},
            "ownerReferences": [owner],
        },
        "spec": spec.dump(),
    }
