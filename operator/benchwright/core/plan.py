"""A run's plan: which trials, in which order (pure)."""

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from benchwright.api import labels
from benchwright.api.agent import AgentSnapshot
from benchwright.api.run import BenchmarkRunSpec, TaskSelector
from benchwright.api.task import TaskLimits, TaskSnapshot
from benchwright.api.trial import BaselineFailure, TrialSpec


@dataclass(frozen=True, slots=True)
class Planned:
    """One trial of the plan."""

    name: str
    agent: AgentSnapshot
    task: TaskSnapshot
    index: int
    order: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A run's tasks and all of its trials in drawn order. Ten thousand cost 0.3 s to name: keep it."""

    tasks: tuple[TaskSnapshot, ...]
    trials: tuple[Planned, ...]
    digest: str
    names: frozenset[str]


class SelectorError(Exception):
    """The selector names something that is not there."""


def make(
    run: str, spec: BenchmarkRunSpec, agents: Sequence[AgentSnapshot], tasks: Sequence[TaskSnapshot]
) -> Plan:
    """Select and draw. Raises SelectorError."""
    chosen = select(tasks, spec.selector)
    trials = draw(run, spec, agents, chosen)
    return Plan(chosen, trials, plan_digest(trials), frozenset(p.name for p in trials))


def select(tasks: Sequence[TaskSnapshot], selector: TaskSelector) -> tuple[TaskSnapshot, ...]:
    """Tasks that a run takes, in the corpus's order."""
    for pattern in selector.names:
        if not any(fnmatchcase(t.name, pattern) for t in tasks):
            known = ", ".join(t.name for t in tasks[:20])
            raise SelectorError(
                f"spec.selector.names: no task matches {pattern!r}; there are: {known}"
            )
    chosen = tuple(t for t in tasks if _wanted(t, selector))
    if not chosen:
        raise SelectorError("spec.selector leaves no task: widen it, or set lifecycle: active")
    return chosen


def _wanted(task: TaskSnapshot, selector: TaskSelector) -> bool:
    if selector.kinds and task.spec.kind not in selector.kinds:
        return False
    if selector.names:
        return any(fnmatchcase(task.name, pattern) for pattern in selector.names)
    return task.spec.lifecycle == "active"


def draw(
    run: str, spec: BenchmarkRunSpec, agents: Sequence[AgentSnapshot], tasks: Sequence[TaskSnapshot]
) -> tuple[Planned, ...]:
    """All trials in drawn order.

    Blocks by index (every agent × task once, shuffled, then the next block), so that a run that
    is cut short has compared all agents alike and drift over time hits all of them.
    """
    rng = random.Random(spec.seed)  # noqa: S311 - an order, not a secret
    cells = [
        (a, t)
        for a in sorted(agents, key=lambda a: a.name)
        for t in sorted(tasks, key=lambda t: t.name)
    ]
    drawn: list[tuple[AgentSnapshot, TaskSnapshot, int]] = []
    for index in range(spec.trials_per_task):
        block = list(cells)
        rng.shuffle(block)
        drawn.extend((agent, task, index) for agent, task in block)
    return tuple(
        Planned(labels.trial_name(run, a.name, t.name, i), a, t, i, order)
        for order, (a, t, i) in enumerate(drawn)
    )


def plan_digest(plan: Sequence[Planned]) -> str:
    """Identity of the ordered plan."""
    rows = [[p.agent.digest, p.task.digest, p.index] for p in plan]
    return "sha256:" + hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def limits(spec: BenchmarkRunSpec, task: TaskSnapshot) -> TaskLimits:
    """The task's limits with the run's in their place."""
    return task.spec.limits.model_copy(update=spec.limits.model_dump(exclude_none=True))


def measurement(
    run: str, spec: BenchmarkRunSpec, corpus: str, item: Planned, failure: BaselineFailure | None
) -> TrialSpec:
    """Spec of a planned trial."""
    return TrialSpec(
        run_name=run,
        agent=item.agent,
        task=item.task,
        task_set_digest=corpus,
        index=item.index,
        order=item.order,
        limits=limits(spec, item.task),
        budget=spec.budget.trial,
        evidence=spec.evidence,
        run_budget=spec.budget.run is not None,
        network=spec.network,
        failure_policy=spec.failure_policy,
        baseline_failure=failure,
    )


def baseline(
    run: str, spec: BenchmarkRunSpec, corpus: str, task: TaskSnapshot, repetition: int
) -> TrialSpec:
    """Spec of a measurement of the untouched base."""
    return TrialSpec(
        run_name=run,
        purpose="baseline",
        task=task,
        task_set_digest=corpus,
        index=repetition,
        order=0,
        limits=limits(spec, task),
        network=spec.network,
        failure_policy=spec.failure_policy,
    )
