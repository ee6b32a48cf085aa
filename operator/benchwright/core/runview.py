"""What the rules of a run look at, and what they answer (pure data)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchwright.api.agent import AgentSnapshot
from benchwright.api.measurements import Outcome
from benchwright.api.run import BenchmarkRunSpec, BenchmarkRunStatus, BudgetUsed
from benchwright.api.task import TaskSnapshot
from benchwright.api.trial import TrialSpec
from benchwright.core.plan import Plan


@dataclass(frozen=True, slots=True)
class RunView:
    """A BenchmarkRun as the API server has it."""

    namespace: str
    name: str
    uid: str
    spec: BenchmarkRunSpec
    status: BenchmarkRunStatus
    generation: int = 1
    resource_version: str = ""
    deleting: bool = False


@dataclass(frozen=True, slots=True)
class TrialSummary:
    """What a run needs to know of one of its trials."""

    name: str
    purpose: str
    task: str
    outcome: Outcome | None = None
    reason: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Ledger:
    """What the proxy says of a run: what counts against its budget, the limit that refused a call,
    and for how many seconds providers of models want to be left alone."""

    used: BudgetUsed = field(default_factory=BudgetUsed)
    limit_hit: str | None = None
    throttled: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the run refers to. `problem` is set where something is missing or does not fit."""

    agents: tuple[AgentSnapshot, ...] = ()
    tasks: tuple[TaskSnapshot, ...] = ()
    corpus: str = ""
    baselines: Mapping[str, int] = field(default_factory=dict)
    """Task digest → number of good baseline measurements in the results store, asked after the
    trials were looked at: of a trial that is over the record is then there, or lost."""
    ledger: Ledger | None = None
    """None for agents without a model, whom nothing is asked for."""
    problem: tuple[str, str] | None = None
    """Reason and message."""
    plan: Plan | None = None
    """Drawn from these agents and tasks already, by a caller who keeps it."""


@dataclass(frozen=True, slots=True)
class NewTrial:
    """A Trial to create."""

    name: str
    spec: TrialSpec


@dataclass(frozen=True, slots=True)
class RunDecision:
    """What to do for a run."""

    create: tuple[NewTrial, ...] = ()
    status: BenchmarkRunStatus | None = None
    delete: bool = False
    requeue_after: float | None = None
