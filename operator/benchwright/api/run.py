"""BenchmarkRun: agents × tasks × trials under one protocol."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from benchwright.api.base import Count, Digest, Glob, Model, Name, Seconds, Timestamp
from benchwright.api.conditions import Condition
from benchwright.api.task import Kind

Limit = Annotated[int, Field(ge=1, le=10**12)]
Dollars = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,9}([.][0-9]{1,9})?$", max_length=19)]
"""US dollars as a decimal: binary fractions would not be what was written."""


class TaskSelector(Model):
    """Which tasks of the set; all active ones where nothing is given."""

    names: Annotated[tuple[Glob, ...], Field(max_length=1000)] = ()
    """Names or globs. A name that matches no task is an error, not an empty run."""
    kinds: Annotated[tuple[Kind, ...], Field(max_length=3)] = ()
    """Kinds."""


class Spendable(Model):
    """Limits that the proxy holds. A call that could exceed one is refused before it is made."""

    requests: Limit | None = None
    """Model calls."""
    input_tokens: Limit | None = None
    """Input tokens, cached ones included."""
    output_tokens: Limit | None = None
    """Output tokens, reasoning included."""
    total_tokens: Limit | None = None
    """Input and output together."""
    cost_usd: Dollars | None = None
    """Money, such as "2.50". Models without a price at the proxy are refused then."""


class Budget(Model):
    """What may be spent."""

    trial: Spendable = Spendable()
    """For each attempt of a trial, over all of its stages."""
    run: Spendable | None = None
    """For all trials of the run together, attempts that were given up included. When it is spent no
    new trial starts, and the condition BudgetSpent says so. It may be changed while the run goes on."""


class EvidenceSpec(Model):
    """What is kept of trials beside their facts, logs and patches."""

    calls: Literal["none", "metadata", "full"] = "metadata"
    """Of model calls. metadata: times, tokens, cost and status of each; full: what was asked and
    answered too, without secrets, 4 MiB of each at most; none: sums alone."""


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
    evidence: EvidenceSpec = EvidenceSpec()
    """What is kept."""
    network: Literal["none"] = "none"
    """Egress of workspaces beside the proxy. none: nothing."""
    failure_policy: FailurePolicy = FailurePolicy()
    """What happens when the infrastructure fails."""
    suspend: bool = False
    """True: no new trial starts; those that run go on to their end."""
    ttl_seconds_after_finished: Annotated[int, Field(ge=0, le=31536000)] | None = None
    """Delete the run (not its results) so long after it finished. Left out: keep it."""


MUTABLE_FIELDS = ("parallelism", "suspend", "ttlSecondsAfterFinished")
"""And budget.run, a part of a field."""
_FROZEN = (
    "agents", "taskSet", "selector", "trialsPerTask", "seed", "limits", "evidence", "network",
    "failurePolicy",
)  # fmt: skip
_HAS = "(has({0}.budget) && has({0}.budget.trial))"
_SAME_TRIAL_BUDGET = (
    f"({_HAS.format('self')} == {_HAS.format('oldSelf')} && "
    f"(!{_HAS.format('self')} || self.budget.trial == oldSelf.budget.trial))"
)
RUN_RULES = [
    {
        "rule": " && ".join(
            f"(has(self.{f}) == has(oldSelf.{f}) && (!has(self.{f}) || self.{f} == oldSelf.{f}))"
            for f in _FROZEN
        )
        + f" && {_SAME_TRIAL_BUDGET}",
        "message": "a run's plan cannot change after it was made, only parallelism, suspend, "
        "budget.run and ttlSecondsAfterFinished: apply a new BenchmarkRun with another name",
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


class BudgetUsed(Model):
    """What counts against the run's budget: calls that ended, and reservations of those that run or
    whose usage nobody said."""

    requests: Count = 0
    """Model calls."""
    input_tokens: Count = 0
    """Input tokens."""
    output_tokens: Count = 0
    """Output tokens."""
    cost_usd: Annotated[float, Field(ge=0)] | None = None
    """Money; None where it is not limited."""


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
    budget_used: BudgetUsed | None = None
    """What was used of spec.budget.run; None where there is none."""
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
    TrialsRefused while the API server takes no new trial; BudgetSpent where spec.budget.run is."""
