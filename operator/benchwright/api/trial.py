"""Trial: one planned observation of one agent at one task."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from benchwright.api.agent import AgentSnapshot
from benchwright.api.base import Count, Digest, Model, Name, Timestamp
from benchwright.api.conditions import MESSAGE_MAX, Condition, Reason
from benchwright.api.measurements import (
    Measurements,
    Number,
    Outcome,
    SecondsSpent,
    StageUsage,
    Usage,
)
from benchwright.api.run import EvidenceSpec, FailurePolicy, Spendable
from benchwright.api.task import TaskLimits, TaskSnapshot

Message = Annotated[str, StringConstraints(max_length=MESSAGE_MAX)]
Phase = Literal["Pending", "Running", "Evaluating", "Grading", "Finished"]


class BaselineFailure(Model):
    """Why the task cannot be judged."""

    reason: Reason
    """One word."""
    message: Message
    """What is wrong with the task and what to do."""


class TrialSpec(Model):
    """A frozen snapshot of what is observed and how."""

    run_name: Name
    """The BenchmarkRun."""
    purpose: Literal["measurement", "baseline"] = "measurement"
    """baseline: the untouched base is measured, no agent works."""
    agent: AgentSnapshot | None = None
    """The agent (none in a baseline)."""
    task: TaskSnapshot
    """The task."""
    task_set_digest: Digest
    """The corpus."""
    index: Count
    """Number of this observation of the agent at the task, from 0."""
    order: Count
    """Position in the run's drawn order, from 0."""
    limits: TaskLimits
    """Time limits that apply."""
    budget: Spendable = Spendable()
    """What each attempt may spend."""
    run_budget: bool = False
    """Whether the run has a budget of its own, over all of its trials."""
    proxy: Annotated[int, Field(ge=0, le=99)] = 0
    """Number of the proxy that its calls go to."""
    evidence: EvidenceSpec = EvidenceSpec()
    """What is kept."""
    network: Literal["none"] = "none"
    """Egress of the workspace beside the proxy."""
    failure_policy: FailurePolicy = FailurePolicy()
    """What happens when the infrastructure fails."""
    baseline_failure: BaselineFailure | None = None
    """Set where the task's baseline failed: the trial is invalid without an agent being started."""


TRIAL_SPEC_RULES = [
    {
        "rule": "self == oldSelf",
        "message": "a trial is a frozen record: make a new BenchmarkRun instead of changing it",
    },
    {
        "rule": "(self.purpose == 'baseline') != has(self.agent)",
        "message": "a measurement needs spec.agent and a baseline has none",
    },
]
TRIAL_STATUS_RULES = [
    {
        "rule": "!has(oldSelf.outcome) || (has(self.outcome) && self.outcome == oldSelf.outcome)",
        "message": "a trial's outcome is written once and cannot change",
    },
    {
        "rule": "!has(self.outcome) || (has(self.reason) && self.phase == 'Finished')",
        "message": "an outcome needs a reason and phase Finished",
    },
]


class AttemptRecord(Model):
    """An attempt that was invalid and was repeated, or that ended the trial as invalid."""

    attempt: Count
    """Its number, from 1."""
    reason: Reason
    """One word."""
    message: Message = ""
    """What happened."""
    finished_at: Timestamp
    """When it was given up."""
    usage: StageUsage | None = None
    """What it had used by then, from the proxy; None where nobody has said."""
    cost_usd: Number | None = None
    """Money; None where no price is known."""


class StageRecord(Model):
    """One pod of the current attempt."""

    name: Name
    """Stage name; the evaluator is `evaluate`."""
    pod: Annotated[str, StringConstraints(max_length=253)]
    """The pod's name."""
    created_at: Timestamp
    """When its pod was created, by the operator's clock."""
    finished_at: Timestamp | None = None
    """When its facts were stored."""
    node: Annotated[str, StringConstraints(max_length=253)] | None = None
    """Node that it ran on: wall times of unlike machines cannot be compared."""


class TrialStatus(Model):
    """Progress and, once, the outcome."""

    observed_generation: Annotated[int, Field(ge=0)] = 0
    """The spec's generation that this status speaks of."""
    phase: Phase = "Pending"
    """Where it is, for people; programs read outcome and conditions."""
    attempt: Count = 0
    """Number of the current attempt, from 1; 0 before the first."""
    started_at: Timestamp | None = None
    """When the current attempt started."""
    finished_at: Timestamp | None = None
    """When the outcome was written."""
    stages: Annotated[tuple[StageRecord, ...], Field(max_length=6)] = ()
    """Pods of the current attempt."""
    attempts: Annotated[tuple[AttemptRecord, ...], Field(max_length=10)] = ()
    """Invalid attempts."""
    outcome: Outcome | None = None
    """success, failure, timeout (a valid failure) or invalid (nothing was learnt). Written once."""
    reason: Reason | None = None
    """Why, in one word."""
    message: Message | None = None
    """Why, in a sentence."""
    measurements: Measurements | None = None
    """Summary of what was measured."""
    usage: Usage | None = None
    """Tokens, from the proxy."""
    seconds: SecondsSpent | None = None
    """Where the time went."""
    evidence_uri: Annotated[str, StringConstraints(max_length=512)] | None = None
    """Path of the evidence at the results service."""
    conditions: Annotated[tuple[Condition, ...], Field(max_length=8)] = ()
    """Finished: whether there is an outcome; PodRefused while the API server takes no pod of it."""
