"""Fluent builders of the objects that tests need: `a_trial().with_agent("nop").obj()`.

Every builder is immutable: a method returns a changed copy, so that cases of a table can share a
start. `obj()` is raw JSON as the API server has it, `view()` is what the rules see.
"""

import copy
import hashlib
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from benchwright.api import labels
from benchwright.api.agent import AgentSnapshot, AgentSpec, Bundle
from benchwright.api.base import API_VERSION
from benchwright.api.run import BenchmarkRunSpec, BenchmarkRunStatus, FailurePolicy, Spendable
from benchwright.api.task import (
    ArchiveSource,
    CoverageReportSpec,
    Criterion,
    JUnitReportSpec,
    Kind,
    Measurement,
    Source,
    Task,
    TaskLimits,
    TaskSnapshot,
    Truth,
)
from benchwright.api.trial import (
    AttemptRecord,
    BaselineFailure,
    StageRecord,
    TrialSpec,
    TrialStatus,
)
from benchwright.control.views import digest_of, run_view, trial_view
from benchwright.core.clock import format_time
from benchwright.core.observed import PodView, parse_pod
from benchwright.core.runview import RunView
from benchwright.core.trialview import TrialView

Json = dict[str, Any]

NAMESPACE = "bench"
NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
CORPUS = "sha256:" + "c" * 64


def digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def at(seconds: float) -> str:
    """The time stamp of so many seconds after NOW."""
    return format_time(NOW + timedelta(seconds=seconds))


def a_measurement(**more: Any) -> Measurement:
    values: Json = {
        "command": "sh measure",
        "coverage": CoverageReportSpec(path="coverage.json", format="coveragepy-json"),
        "junit": JUnitReportSpec(path="junit.xml"),
        "sources": ("pkg/**",),
        "tests": ("tests/**",),
        **more,
    }
    return Measurement(**values)


def a_task(kind: Kind = "testWriting", name: str = "task", **more: Any) -> Task:
    """A task of `kind` with what that kind needs, and with other fields as given."""
    values: Json = {
        "name": name,
        "kind": kind,
        "image": "tasks.example/python:1",
        "source": Source(archive=ArchiveSource(sha256="a" * 64)),
    }
    if kind == "testWriting":
        values["measurement"] = a_measurement()
    if kind == "testRunning":
        values["measurement"] = a_measurement(command=None)
        values["truth"] = Truth(tooling="full", runners=("pytest",))
    if kind == "repair":
        values["criteria"] = (
            Criterion(name="regression", command="sh $BENCHWRIGHT_EVALUATION/regression.sh"),
            Criterion(name="suite", command="python3 -m pytest -q", weight=2),
            Criterion(name="style", command="sh lint", required=False),
        )
    return Task(**{**values, **more})


def a_snapshot(task: Task) -> TaskSnapshot:
    """Its digest is one of a few fields, so that a new field of Task changes no golden file."""
    identity = f"{task.name} {task.kind} {task.image}"
    return TaskSnapshot(name=task.name, digest=digest(identity), spec=task)


def an_agent(name: str = "script", **more: Any) -> AgentSnapshot:
    """`nop` and `script` call no model; `model` does, and comes in a bundle."""
    values: Json = {"scaffold": name, "run": "exit 0" if name == "nop" else f"sh ./{name}"}
    if name == "model":
        values |= {
            "model": "demo",
            "dialect": "openai",
            "bundle": Bundle(image="agents.example/model:1"),
        }
    spec = AgentSpec(**{**values, **more})
    return AgentSnapshot(name=name, digest=digest_of(spec), spec=spec)


@dataclass(frozen=True)
class TrialBuilder:
    """A Trial of run `run-1`."""

    task: Task = field(default_factory=a_task)
    agent: AgentSnapshot | None = field(default_factory=an_agent)
    policy: FailurePolicy = FailurePolicy()
    failure: BaselineFailure | None = None
    budget: Spendable = Spendable()
    limits: TaskLimits = TaskLimits(setup_seconds=60, agent_seconds=600, evaluate_seconds=300)
    status: TrialStatus = TrialStatus()
    name: str = "run-1-script-task-0"
    uid: str = "uid-trial"
    deleted: bool = False

    def with_agent(self, name: str, **more: Any) -> "TrialBuilder":
        return replace(self, agent=an_agent(name, **more))

    def of(self, task: Task | Kind) -> "TrialBuilder":
        return replace(self, task=task if isinstance(task, Task) else a_task(task))

    def baseline(self) -> "TrialBuilder":
        return replace(self, agent=None, name="run-1-baseline-task-0")

    def named(self, name: str) -> "TrialBuilder":
        return replace(self, name=name, uid=f"uid-{name}")

    def with_policy(self, **more: Any) -> "TrialBuilder":
        return replace(self, policy=self.policy.model_copy(update=more))

    def with_budget(self, **limits: int) -> "TrialBuilder":
        return replace(self, budget=Spendable(**limits))

    def with_failed_baseline(self, reason: str, message: str) -> "TrialBuilder":
        return replace(self, failure=BaselineFailure(reason=reason, message=message))

    def with_status(self, **more: Any) -> "TrialBuilder":
        return replace(self, status=self.status.model_copy(update=more))

    def in_stage(self, *stages: str, attempt: int = 1) -> "TrialBuilder":
        """The status says that these stages of `attempt` have pods; the last one runs."""
        records = tuple(
            StageRecord(
                name=stage,
                pod=labels.pod_name(self.name, attempt, stage),
                created_at=at(10 * position),
                finished_at=at(10 * position + 10) if stage != stages[-1] else None,
            )
            for position, stage in enumerate(stages)
        )
        phase = "Evaluating" if stages[-1] == "evaluate" else "Running"
        return self.with_status(attempt=attempt, stages=records, phase=phase, started_at=at(0))

    def after_invalid(self, *reasons: str) -> "TrialBuilder":
        """So many attempts were invalid before."""
        records = tuple(
            AttemptRecord(attempt=n, reason=reason, finished_at=at(-100))
            for n, reason in enumerate(reasons, 1)
        )
        return self.with_status(attempt=len(reasons) + 1, attempts=records)

    def finished(self, outcome: str = "success", reason: str = "CoverageGained") -> "TrialBuilder":
        return self.with_status(
            outcome=outcome,
            reason=reason,
            message="it is over",
            phase="Finished",
            finished_at=at(60),
        )

    def deleting(self) -> "TrialBuilder":
        return replace(self, deleted=True)

    def spec(self) -> TrialSpec:
        return TrialSpec(
            run_name="run-1",
            purpose="measurement" if self.agent else "baseline",
            agent=self.agent,
            task=a_snapshot(self.task),
            task_set_digest=CORPUS,
            index=0,
            order=0,
            limits=self.limits,
            budget=self.budget,
            failure_policy=self.policy,
            baseline_failure=self.failure,
        )

    def obj(self) -> Json:
        meta: Json = {
            "name": self.name,
            "namespace": NAMESPACE,
            "uid": self.uid,
            "generation": 1,
            "resourceVersion": "7",
            "creationTimestamp": at(-30),
            "ownerReferences": [{"kind": "BenchmarkRun", "name": "run-1", "uid": "uid-run"}],
        }
        if self.deleted:
            meta["deletionTimestamp"] = at(0)
        return {
            "apiVersion": API_VERSION,
            "kind": "Trial",
            "metadata": meta,
            "spec": self.spec().dump(),
            "status": self.status.dump(),
        }

    def view(self) -> TrialView:
        return trial_view(self.obj())


def a_trial() -> TrialBuilder:
    return TrialBuilder()


@dataclass(frozen=True)
class RunBuilder:
    """A BenchmarkRun `run-1` of agents nop and script."""

    fields: Json = field(default_factory=lambda: {"agents": ("nop", "script"), "task_set": "set"})
    status: BenchmarkRunStatus = BenchmarkRunStatus()
    name: str = "run-1"
    deleted: bool = False

    def with_spec(self, **more: Any) -> "RunBuilder":
        return replace(self, fields={**self.fields, **more})

    def with_status(self, status: BenchmarkRunStatus) -> "RunBuilder":
        return replace(self, status=status)

    def named(self, name: str) -> "RunBuilder":
        return replace(self, name=name)

    def deleting(self) -> "RunBuilder":
        return replace(self, deleted=True)

    def obj(self) -> Json:
        meta: Json = {
            "name": self.name,
            "namespace": NAMESPACE,
            "uid": "uid-run",
            "generation": 3,
            "resourceVersion": "5",
            "creationTimestamp": at(-60),
        }
        if self.deleted:
            meta["deletionTimestamp"] = at(0)
        return {
            "apiVersion": API_VERSION,
            "kind": "BenchmarkRun",
            "metadata": meta,
            "spec": BenchmarkRunSpec(**self.fields).dump(),
            "status": self.status.dump(),
        }

    def view(self) -> RunView:
        return run_view(self.obj())


def a_run() -> RunBuilder:
    return RunBuilder()


@dataclass(frozen=True)
class PodBuilder:
    """The pod of a stage: created at NOW, waiting for a node."""

    trial: str
    stage: str
    attempt: int
    owner: str
    body: Json

    def with_status(self, **more: Any) -> "PodBuilder":
        body = copy.deepcopy(self.body)
        body["status"] |= more
        return replace(self, body=body)

    def container(self, name: str, restarts: int = 0, **state: Json) -> "PodBuilder":
        """Set a container's state, such as running={} or terminated={"exitCode": 0}."""
        body = copy.deepcopy(self.body)
        group = "initContainerStatuses" if name == "harness" else "containerStatuses"
        rest = [c for c in body["status"].get(group, []) if c["name"] != name]
        entry = {
            "name": name,
            "restartCount": restarts,
            "image": "x",
            "imageID": "",
            "state": state,
        }
        body["status"][group] = [*rest, entry]
        return replace(self, body=body)

    def condition(self, kind: str, status: str, reason: str, message: str = "") -> "PodBuilder":
        rest = [c for c in self.body["status"].get("conditions", []) if c["type"] != kind]
        entry = {"type": kind, "status": status, "reason": reason, "message": message}
        return self.with_status(conditions=[*rest, entry])

    def running(self) -> "PodBuilder":
        pod = self.container("harness", running={}).container("main", running={})
        return pod.with_status(phase="Running")

    def main_ended(self, code: int, reason: str = "", message: str = "") -> "PodBuilder":
        """The main container ended; the harness is still there."""
        reason = reason or ("Completed" if code == 0 else "Error")
        ended = {"exitCode": code, "reason": reason, "message": message}
        return self.running().container("main", terminated=ended)

    def harness_ended(self, code: int, message: str = "") -> "PodBuilder":
        ended = {"exitCode": code, "reason": "Completed" if code == 0 else "Error"}
        return self.container("harness", terminated={**ended, "message": message})

    def succeeded(self) -> "PodBuilder":
        return self.main_ended(0).harness_ended(0).with_status(phase="Succeeded")

    def failed(self, reason: str = "", message: str = "") -> "PodBuilder":
        more = {"reason": reason, "message": message} if reason else {}
        return self.with_status(phase="Failed", **more)

    def waiting(self, container: str, reason: str, message: str = "said so") -> "PodBuilder":
        return self.container(container, waiting={"reason": reason, "message": message})

    def disrupted(self, reason: str, kind: str = "DisruptionTarget") -> "PodBuilder":
        return self.condition(kind, "True", reason)

    def deleting(self, by: float = 0) -> "PodBuilder":
        """The API server stamps the moment at which it should be gone, `by` seconds after NOW."""
        body = copy.deepcopy(self.body)
        body["metadata"]["deletionTimestamp"] = at(by)
        return replace(self, body=body)

    def lasting(self, seconds: int, grace: int) -> "PodBuilder":
        """With an active deadline and a grace period, on a node."""
        body = copy.deepcopy(self.body)
        body["spec"] = {
            "activeDeadlineSeconds": seconds,
            "terminationGracePeriodSeconds": grace,
            "nodeName": "node-1",
        }
        return replace(self, body=body)

    def scheduled(self, after: float) -> "PodBuilder":
        pod = self.condition("PodScheduled", "True", "Scheduled")
        pod.body["status"]["conditions"][-1]["lastTransitionTime"] = at(after)
        return pod

    def started(self, after: float) -> "PodBuilder":
        """The kubelet has taken it."""
        return self.with_status(startTime=at(after))

    def obj(self) -> Json:
        return copy.deepcopy(self.body)

    def view(self) -> PodView:
        return parse_pod(self.body)


Role = Literal["workspace", "evaluator"]


def a_pod(
    stage: str = "write", attempt: int = 1, trial: str | None = None, owner: str = "uid-trial"
) -> PodBuilder:
    name = trial or TrialBuilder().name
    role: Role = "evaluator" if stage == "evaluate" else "workspace"
    body: Json = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": labels.pod_name(name, attempt, stage),
            "namespace": NAMESPACE,
            "uid": f"uid-{stage}-{attempt}",
            "resourceVersion": "9",
            "creationTimestamp": at(0),
            "labels": {
                labels.RUN: "run-1",
                labels.TRIAL: name,
                labels.ROLE: role,
                labels.ATTEMPT: str(attempt),
                labels.STAGE: stage,
            },
            "ownerReferences": [{"apiVersion": API_VERSION, "kind": "Trial", "uid": owner}],
        },
        "status": {"phase": "Pending"},
    }
    return PodBuilder(name, stage, attempt, owner, body)
