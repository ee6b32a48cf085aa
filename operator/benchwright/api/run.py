"""BenchmarkRun: agents × tasks × trials under one protocol."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from benchwright.api.base import Count, Digest, Glob, Model, Name, Seconds, Timestamp
from benchwright.api.conditions import Condition
from benchwright.api.task import Kind

Limit = Annotated[int, Field(ge=1, le=10**12)]


class TaskSelector(Model):
    """Which tasks of the set; all active ones where nothing is given."""

    names: Annotated[tuple[Glob, ...], Field(max_length=1000)] = ()
    """Names or globs. A name that matches no task is an error, not an empty run."""
    kinds: Annotated[tuple[Kind, ...], Field(max_length=3)] = ()
    """Kinds."""


class TrialBudget(Model):
    """Limits that the proxy holds for each attempt of a trial, over all of its stages."""

    requests: Limit | None = None
    """Model calls."""
    input_tokens: Limit | None = None
    """Input tokens, cached ones included."""
    output_tokens: Limit | None = None
    """Output tokens, reasoning included."""
    total_tokens: Limit | None = None
    """Input and output together."""


class Budget(Model):
    """What may be spent. The proxy refuses a call that could go over, before it is made."""

    trial: TrialBudget = TrialBudget()
    """For each attempt of a trial."""


class LimitOverrides(Model):
    """Time limits that replace those of the tasks, in seconds."""

    setup_seconds: Seconds | None = None
    """For the agent's setup script."""
    agent_seconds: Seconds | None = None
    """For the agent, in each stage."""
    evaluate_seconds: Seconds | None = None
    """For each command of the evaluation."""


class FailurePolicy(Model):
    """What happens when the infrastructure fails. The agent is never charged for it."""

    max_infra_retries: Annotated[int, Field(ge=0, le=8)] = 2
    """How often an invalid attempt is repeated before the trial's outcome is invalid."""
    image_pull_grace_seconds: Seconds = 300
    """How long an image that can't be pulled is waited for."""
    container_grace_seconds: Seconds = 300
    """How long a container that can't be made or started is waited for: the kubelet tries again."""
    pending_timeout_seconds: Seconds = 900
    """How long a pod may wait for a node or for its containers to be made."""
    node_lost_grace_seconds: Seconds = 120
    """How long after its own deadline, or after it should have been gone, a pod is waited for; then
    its node is given up for lost and the pod is removed by force."""
    oom_policy: Literal["Invalid", "Fail"] = "Invalid"
    """A workspace that runs out of memory: Invalid repeats it once (a second time in the same
    trial is a failure, or an agent could crash for a second chance); Fail counts at once."""


class BenchmarkRunSpec(Model):
    """The plan and its protocol. Immutable but for parallelism, suspend and ttl."""

    agents: Annotated[tuple[Name, ...], Field(min_length=1, max_length=50)]
    """Names of the Agents that are compared."""
    task_set: Name
    """Name of the TaskSet."""
    selector: TaskSelector = TaskSelector()
    """Which of its tasks."""
    trials_per_task: Annotated[int, Field(ge=1, le=1000)] = 1
    """Planned observations of each agent at each task. Publish with five or more."""
    parallelism: Annotated[int, Field(ge=1, le=1000)] = 4
    """How many trials run at a time."""
    seed: Annotated[int, Field(ge=0, le=2**53 - 1)] = 0
    """Draws the order of the trials, which is recorded on each of them."""
    limits: LimitOverrides = LimitOverrides()
    """Time limits that replace those of the tasks."""
    budget: Budget = Budget()
    """What may be spent."""
    network: Literal["none"] = "none"
    """Egress of workspaces beside the proxy. none: nothing."""
    failure_policy: FailurePolicy = FailurePolicy()
    """What happens when the infrastructure fails."""
    suspend: bool = False
    """True: no new trial starts; those that run go on to their end."""
    ttl_seconds_after_finished: Annotated[int, Field(ge=0, le=31536000)] | None = None
    """Delete the run (not its results) so long after it finished. Left out: keep it."""


MUTABLE_FIELDS = ("parallelism", "suspend", "ttlSecondsAfterFinished")
_FROZEN = (
    "agents", "taskSet", "selector", "trialsPerTask", "seed", "limits", "budget", "network",
    "failurePolicy",
)  # fmt: skip
RUN_RULES = [
    {
        "rule": " && ".join(
            f"(has(self.{f}) == has(oldSelf.{f}) && (!has(self.{f}) || self.{f} == oldSelf.{f}))"
            for f in _FROZEN
        ),
        "message": "a run's plan cannot change after it was made, only parallelism, suspend and "
        "ttlSecondsAfterFinished: apply a new BenchmarkRun with another name",
    },
    {
        "rule": "self.agents.all(a, self.agents.exists_one(b, b == a))",
        "message": "an agent is named twice in spec.agents: name it once and raise trialsPerTask",
    },
]


class RunCounts(Model):
    """Trials by state. planned = queued + active + succeeded + failed + timedOut + invalid."""

    planned: Count = 0
    """Agents × tasks × trialsPerTask."""
    queued: Count = 0
    """Not started."""
    active: Count = 0
    """Being prepared, run or evaluated."""
    succeeded: Count = 0
    """Valid and successful."""
    failed: Count = 0
    """Valid and not successful."""
    timed_out: Count = 0
    """Valid failures by the agent's time limit."""
    invalid: Count = 0
    """The harness or infrastructure failed: nothing was learnt about the agent."""

    @property
    def finished(self) -> int:
        return self.succeeded + self.failed + self.timed_out + self.invalid


class BenchmarkRunStatus(Model):
    """Counters, conditions and digests; trials are resources of their own."""

    observed_generation: Annotated[int, Field(ge=0)] = 0
    """The spec's generation that this status speaks of."""
    counts: RunCounts | None = None
    """Trials by state."""
    progress: Annotated[str, StringConstraints(max_length=32)] | None = None
    """Finished/planned, for `kubectl get`."""
    task_set_digest: Digest | None = None
    """The corpus that is measured."""
    plan_digest: Digest | None = None
    """Hash over the ordered plan: the same seed, agents and corpus give the same."""
    started_at: Timestamp | None = None
    """When the first trial was planned."""
    finished_at: Timestamp | None = None
    """When the last trial finished."""
    report_uri: Annotated[str, StringConstraints(max_length=512)] | None = None
    """Path of the results at the results service."""
    conditions: Annotated[tuple[Condition, ...], Field(max_length=8)] = ()
    """Resolved (inputs are there and fit), Suspended, Complete (every planned trial has an outcome);
    TrialsRefused while the API server takes no new trial."""
