"""The rules of a run: which trials to make now, and what to say of it (pure)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from benchwright.api import labels
from benchwright.api.agent import AgentSnapshot
from benchwright.api.base import DNS_LABEL
from benchwright.api.conditions import Condition, set_condition, truncate
from benchwright.api.measurements import Outcome
from benchwright.api.run import BenchmarkRunSpec, BenchmarkRunStatus, RunCounts
from benchwright.api.task import TaskSnapshot
from benchwright.api.trial import BaselineFailure, TrialSpec
from benchwright.core import plan as planning
from benchwright.core.clock import format_time, parse_time

RETRY_INPUTS_SECONDS = 15.0
_CHANGED = (
    "an Agent or the TaskSet is not what it was when this run was planned, and trials of two "
    "versions must not be mixed: put it back as it was, or make a new BenchmarkRun"
)


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
class Inputs:
    """What the run refers to. `problem` is set where something is missing or does not fit."""

    agents: tuple[AgentSnapshot, ...] = ()
    tasks: tuple[TaskSnapshot, ...] = ()
    corpus: str = ""
    baselines: Mapping[str, int] = field(default_factory=dict)
    """Task digest → number of good baseline measurements in the results store."""
    problem: tuple[str, str] | None = None
    """Reason and message."""


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


def decide(
    run: RunView, inputs: Inputs, trials: Sequence[TrialSummary], now: datetime
) -> RunDecision:
    """The next step for a run."""
    if run.deleting:
        return RunDecision()
    if run.status.finished_at:
        return _expire(run, now)
    problem = _bad_name(run.name) or inputs.problem
    if problem:
        return _unresolved(run, problem, trials, now)
    try:
        tasks = planning.select(inputs.tasks, run.spec.selector)
    except planning.SelectorError as error:
        return _unresolved(run, ("SelectorMatchesNothing", str(error)), trials, now)
    plan = planning.draw(run.name, run.spec, inputs.agents, tasks)
    if run.status.plan_digest not in {None, planning.plan_digest(plan)}:
        return _unresolved(run, ("InputsChanged", _CHANGED), trials, now)
    known = {t.name: t for t in trials}
    create = () if run.spec.suspend else _to_create(run, inputs, plan, tasks, known)
    status = _status(run, inputs, plan, known, bool(create), now)
    return RunDecision(create=create, status=status)


def _expire(run: RunView, now: datetime) -> RunDecision:
    ttl, finished = run.spec.ttl_seconds_after_finished, parse_time(run.status.finished_at)
    if ttl is None or finished is None:
        return RunDecision()
    left = ttl - (now - finished).total_seconds()
    return RunDecision(requeue_after=left) if left > 0 else RunDecision(delete=True)


def _bad_name(name: str) -> tuple[str, str] | None:
    if re.fullmatch(DNS_LABEL, name):
        return None
    text = f"{name!r} cannot be a label: give the run a name of at most 63 of a-z, 0-9 and -"
    return "NameNotALabel", text


def _unresolved(
    run: RunView, problem: tuple[str, str], trials: Sequence[TrialSummary], now: datetime
) -> RunDecision:
    """No new trial; those that run go on, and are counted."""
    status = _conditions(run, now, resolved=problem, complete=None) or run.status
    if run.status.counts:
        mine = {t.name: t for t in trials if t.purpose == "measurement"}
        counts = count(run.status.counts.planned, set(mine), mine)
        progress = f"{counts.finished}/{counts.planned}"
        status = status.model_copy(update={"counts": counts, "progress": progress})
    changed = status if status != run.status else None
    return RunDecision(status=changed, requeue_after=RETRY_INPUTS_SECONDS)


def _to_create(
    run: RunView,
    inputs: Inputs,
    plan: Sequence[planning.Planned],
    tasks: Sequence[TaskSnapshot],
    known: Mapping[str, TrialSummary],
) -> tuple[NewTrial, ...]:
    """New trials for the room that there is: baselines first, then the plan in its order."""
    room = run.spec.parallelism - sum(t.outcome is None for t in known.values())
    wanted = _baselines(run, inputs, tasks, known)
    wanted += _measurements(run, inputs, plan, known)
    return tuple(wanted[: max(0, room)])


def _baselines(
    run: RunView, inputs: Inputs, tasks: Sequence[TaskSnapshot], known: Mapping[str, TrialSummary]
) -> list[NewTrial]:
    # Repetition by repetition, so that a broken task is found out after one measurement.
    missing = [
        (repetition, task)
        for task in tasks
        if _missing_baselines(task, inputs) and not baseline_failure(run.name, task, known)
        for repetition in range(_wanted_baselines(task))
        if labels.baseline_name(run.name, task.name, repetition) not in known
    ]
    missing.sort(key=lambda m: (m[0], m[1].name))
    return [
        NewTrial(
            labels.baseline_name(run.name, task.name, repetition),
            planning.baseline(run.name, run.spec, inputs.corpus, task, repetition),
        )
        for repetition, task in missing
    ]


def _measurements(
    run: RunView,
    inputs: Inputs,
    plan: Sequence[planning.Planned],
    known: Mapping[str, TrialSummary],
) -> list[NewTrial]:
    out = []
    for item in plan:
        if item.name in known:
            continue
        failure = baseline_failure(run.name, item.task, known)
        # No agent costs money at a task before the task is known to be measurable.
        if failure or not _missing_baselines(item.task, inputs):
            spec = planning.measurement(run.name, run.spec, inputs.corpus, item, failure)
            out.append(NewTrial(item.name, spec))
    return out


def _wanted_baselines(task: TaskSnapshot) -> int:
    if task.spec.kind != "testWriting" or task.spec.measurement is None:
        return 0
    return task.spec.measurement.baseline_runs


def _missing_baselines(task: TaskSnapshot, inputs: Inputs) -> bool:
    return inputs.baselines.get(task.digest, 0) < _wanted_baselines(task)


def baseline_failure(
    run: str, task: TaskSnapshot, known: Mapping[str, TrialSummary]
) -> BaselineFailure | None:
    """Why the task cannot be judged in this run; None where nothing is known against it."""
    for repetition in range(_wanted_baselines(task)):
        trial = known.get(labels.baseline_name(run, task.name, repetition))
        if trial and trial.outcome and trial.outcome != "success":
            message = truncate(
                f"the untouched base of task {task.name} cannot be measured: {trial.message}"
            )
            return BaselineFailure(reason=f"Baseline{trial.reason}"[:64], message=message)
    return None


def count(plan_size: int, names: set[str], known: Mapping[str, TrialSummary]) -> RunCounts:
    """Counters over the planned trials; baselines are not observations and do not count."""
    mine = [t for name, t in known.items() if name in names]
    by = {
        o: sum(t.outcome == o for t in mine)
        for o in ("success", "failure", "timeout", "invalid", None)
    }
    return RunCounts(
        planned=plan_size,
        queued=plan_size - len(mine),
        active=by[None],
        succeeded=by["success"],
        failed=by["failure"],
        timed_out=by["timeout"],
        invalid=by["invalid"],
    )


def _status(
    run: RunView,
    inputs: Inputs,
    plan: Sequence[planning.Planned],
    known: Mapping[str, TrialSummary],
    creating: bool,
    now: datetime,
) -> BenchmarkRunStatus | None:
    counts = count(len(plan), {p.name for p in plan}, known)
    complete = counts.finished == counts.planned
    base = _conditions(run, now, resolved=None, complete=counts) or run.status
    new = base.model_copy(
        update={
            "observed_generation": run.generation,
            "counts": counts,
            "progress": f"{counts.finished}/{counts.planned}",
            "task_set_digest": inputs.corpus,
            "plan_digest": planning.plan_digest(plan),
            "started_at": run.status.started_at
            or (format_time(now) if known or creating else None),
            "finished_at": format_time(now) if complete else None,
            "report_uri": f"/runs/{run.uid}" if known or creating else None,
        }
    )
    return new if new != run.status else None


def _conditions(
    run: RunView, now: datetime, *, resolved: tuple[str, str] | None, complete: RunCounts | None
) -> BenchmarkRunStatus | None:
    stamp = format_time(now)
    conditions = run.status.conditions
    for kind, status, reason, message in _facts_of(run, resolved, complete):
        new = Condition(
            type=kind, status=status, reason=reason, message=truncate(message),
            observed_generation=run.generation, last_transition_time=stamp,
        )  # fmt: skip
        conditions = set_condition(conditions, new)
    new_status = run.status.model_copy(
        update={"conditions": conditions, "observed_generation": run.generation}
    )
    return new_status if new_status != run.status else None


def _facts_of(
    run: RunView, problem: tuple[str, str] | None, counts: RunCounts | None
) -> list[tuple[str, str, str, str]]:
    suspended = (
        ("Suspended", "True", "Suspended", "no new trial starts until spec.suspend is false")
        if run.spec.suspend
        else ("Suspended", "False", "Running", "")
    )
    if problem:
        return [("Resolved", "False", *problem), suspended]
    assert counts is not None
    resolved = ("Resolved", "True", "InputsFit", "agents, tasks and models are there")
    if counts.finished < counts.planned:
        waits = f"{counts.planned - counts.finished} of {counts.planned} trials have no outcome yet"
        return [resolved, suspended, ("Complete", "False", "TrialsUnfinished", waits)]
    return [resolved, suspended, ("Complete", "True", "AllTrialsFinished", _summary(counts))]


def _summary(counts: RunCounts) -> str:
    valid = counts.finished - counts.invalid
    text = f"{counts.succeeded} of {valid} valid trials succeeded"
    return f"{text}; {counts.invalid} invalid: see their reasons" if counts.invalid else text
