"""The four CustomResourceDefinitions, generated from the models into crds/ (pure)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from benchwright.api import agent, run, task, taskset, trial
from benchwright.api.base import GROUP, VERSION
from benchwright.api.schema import Schema, structural

RULES: Mapping[str, list[dict[str, str]]] = {
    "AgentSpec": agent.AGENT_RULES,
    "Task": task.TASK_RULES,
    "TaskSetSpec": taskset.TASKSET_RULES,
    "BenchmarkRunSpec": run.RUN_RULES,
    "TrialSpec": trial.TRIAL_SPEC_RULES,
    "TrialStatus": trial.TRIAL_STATUS_RULES,
}


@dataclass(frozen=True)
class Column:
    """A column of `kubectl get`; priority 1 is shown with -o wide only."""

    name: str
    path: str
    type: str = "string"
    priority: int = 0


@dataclass(frozen=True)
class Kind:
    """One custom resource."""

    kind: str
    plural: str
    short: str
    summary: str
    spec: type[BaseModel]
    status: type[BaseModel]
    columns: tuple[Column, ...]
    selectable: tuple[str, ...] = ()

    @property
    def singular(self) -> str:
        return self.kind.lower()

    @property
    def crd_name(self) -> str:
        return f"{self.plural}.{GROUP}"


def _condition(kind: str) -> str:
    return f'.status.conditions[?(@.type=="{kind}")].status'


KINDS = (
    Kind(
        "Agent", "agents", "bagent",
        "One configuration of a code-writing agent: scaffold, model and effort.",
        agent.AgentSpec, agent.AgentStatus,
        (
            Column("Scaffold", ".spec.scaffold"),
            Column("Model", ".spec.model"),
            Column("Dialect", ".spec.dialect", priority=1),
            Column("Ready", _condition("Ready")),
        ),
    ),
    Kind(
        "TaskSet", "tasksets", "taskset",
        "A corpus of tasks with an immutable identity.",
        taskset.TaskSetSpec, taskset.TaskSetStatus,
        (
            Column("Tasks", ".status.counts.total", "integer"),
            Column("Resolved", _condition("Resolved")),
            Column("Digest", ".status.digest", priority=1),
        ),
    ),
    Kind(
        "BenchmarkRun", "benchmarkruns", "brun",
        "Agents × tasks × trials under one protocol.",
        run.BenchmarkRunSpec, run.BenchmarkRunStatus,
        (
            Column("TaskSet", ".spec.taskSet"),
            Column("Progress", ".status.progress"),
            Column("Active", ".status.counts.active", "integer"),
            Column("Succeeded", ".status.counts.succeeded", "integer"),
            Column("Failed", ".status.counts.failed", "integer"),
            Column("TimedOut", ".status.counts.timedOut", "integer"),
            Column("Invalid", ".status.counts.invalid", "integer"),
            Column("Resolved", _condition("Resolved")),
            Column("Complete", _condition("Complete")),
        ),
    ),
    Kind(
        "Trial", "trials", "trial",
        "One planned observation of one agent at one task. Made by the operator.",
        trial.TrialSpec, trial.TrialStatus,
        (
            Column("Run", ".spec.runName"),
            Column("Agent", ".spec.agent.name"),
            Column("Task", ".spec.task.name"),
            Column("Attempt", ".status.attempt", "integer"),
            Column("Phase", ".status.phase"),
            Column("Outcome", ".status.outcome"),
            Column("Reason", ".status.reason"),
        ),
        (".spec.runName", ".status.outcome"),
    ),
)  # fmt: skip


def definition(kind: Kind) -> Schema:
    """The CRD of `kind` as the API server takes it."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": kind.crd_name, "labels": {"app.kubernetes.io/part-of": "benchwright"}},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {
                "kind": kind.kind,
                "listKind": f"{kind.kind}List",
                "plural": kind.plural,
                "singular": kind.singular,
                "shortNames": [kind.short] if kind.short != kind.singular else [],
                "categories": ["benchwright"],
            },
            "versions": [_version(kind)],
        },
    }


def _version(kind: Kind) -> Schema:
    version: Schema = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "additionalPrinterColumns": [_column(c) for c in (*kind.columns, _AGE)],
        "schema": {"openAPIV3Schema": _root(kind)},
    }
    if kind.selectable:
        version["selectableFields"] = [{"jsonPath": path} for path in kind.selectable]
    return version


_AGE = Column("Age", ".metadata.creationTimestamp", "date")


def _column(column: Column) -> Schema:
    out: dict[str, Any] = {"name": column.name, "type": column.type, "jsonPath": column.path}
    return {**out, "priority": column.priority} if column.priority else out


def _root(kind: Kind) -> Schema:
    meta = {
        "apiVersion": {"type": "string", "description": f"{GROUP}/{VERSION}"},
        "kind": {"type": "string", "description": kind.kind},
        "metadata": {"type": "object"},
    }
    return {
        "type": "object",
        "description": kind.summary,
        "required": ["spec"],
        "properties": {
            **meta,
            "spec": structural(kind.spec, RULES),
            "status": structural(kind.status, RULES),
        },
    }
