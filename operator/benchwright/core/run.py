"""The rules of a run: which trials to make now, and when it is over (pure)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, islice

from benchwright.api import labels
from benchwright.api.base import DNS_LABEL
from benchwright.api.run import BenchmarkRunStatus
from benchwright.core import budget
from benchwright.core import plan as planning
from benchwright.core.baselines import Baselines, baselines_of, lost_problem
from benchwright.core.clock import parse_time
from benchwright.core.plan import Plan
from benchwright.core.refusal import INVALID, Refusal, stop_words, stopped_by_refusal, with_refusal
from benchwright.core.runstatus import going, stopped
from benchwright.core.runview import Inputs, NewTrial, RunDecision, RunView, TrialSummary

RETRY_INPUTS_SECONDS = 15.0
_CHANGED = (
    "an Agent or the TaskSet is not what it was when this run was planned, and trials of two "
    "versions must not be mixed: put it back as it was, or make a new BenchmarkRun"
)
Known = Mapping[str, TrialSummary]


def decide(
    run: RunView, inputs: Inputs, trials: Sequence[TrialSummary], now: datetime
) -> RunDecision:
    """The next step for a run."""
    if run.deleting:
        return RunDecision()
    if run.status.finished_at:
        return _expire(run, now)
    known = {t.name: t for t in trials}
    problem = _bad_name(run.name) or stopped_by_refusal(run) or inputs.problem
    if problem:
        return _unresolved(run, problem, known, now)
    try:
        plan = inputs.plan or planned(run, inputs)
    except planning.SelectorError as error:
        return _unresolved(run, ("SelectorMatchesNothing", str(error)), known, now)
    if run.status.plan_digest not in {None, plan.digest}:
        return _unresolved(run, ("InputsChanged", _CHANGED), known, now)
    return _go_on(run, inputs, plan, known, now)


def refused(
    run: RunView, decision: RunDecision, refusal: Refusal, known: Known, cap: float, now: datetime
) -> BenchmarkRunStatus | None:
    """What to say where the API server did not take a trial that was decided."""
    if refusal.final:
        return stopped(run, (INVALID, stop_words(refusal)), known, now)
    status = with_refusal(decision.status or run.status, refusal, run, cap, now)
    return status if status != run.status else None


def planned(run: RunView, inputs: Inputs) -> Plan:
    """The run's plan. Raises SelectorError."""
    return planning.make(run.name, run.spec, inputs.agents, inputs.tasks)


def _go_on(run: RunView, inputs: Inputs, plan: Plan, known: Known, now: datetime) -> RunDecision:
    bases = baselines_of(run.name, inputs.baselines, known.values())
    unfinished = _unfinished_tasks(plan, known)
    lost = next((t for t in plan.tasks if t.name in unfinished and bases.lost(t)), None)
    if lost:
        return _unresolved(run, lost_problem(lost, bases), known, now)
    create: tuple[NewTrial, ...] = ()
    room = run.spec.parallelism - sum(t.outcome is None for t in known.values())
    budget_spent = budget.spent(run.spec.budget.run, inputs.ledger)
    throttled = inputs.ledger.throttled if inputs.ledger else {}
    if room > 0 and not run.spec.suspend and not budget_spent:
        # Lazily: of 10,000 trials that are left only a few are made now.
        wanted = chain(
            _baselines(run, inputs.corpus, plan, bases, unfinished),
            _measurements(run, inputs.corpus, plan, bases, known, throttled),
        )
        create = tuple(islice(wanted, room))
    status = going(run, plan, inputs, known, now, creating=bool(create), budget_spent=budget_spent)
    waits = room > len(create) and throttled and not budget_spent
    again = max(1.0, min(throttled.values())) if waits else None
    return RunDecision(create=create, status=status, requeue_after=again)


def _unfinished_tasks(plan: Plan, known: Known) -> set[str]:
    """Tasks of which a trial has no outcome: nobody needs the baselines of others any more."""
    return {p.task.name for p in plan.trials if p.name not in known or not known[p.name].outcome}


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


def _unresolved(run: RunView, problem: tuple[str, str], known: Known, now: datetime) -> RunDecision:
    status = stopped(run, problem, known, now)
    return RunDecision(status=status, requeue_after=RETRY_INPUTS_SECONDS)


def _baselines(
    run: RunView, corpus: str, plan: Plan, bases: Baselines, unfinished: set[str]
) -> Iterator[NewTrial]:
    # Repetition by repetition, so that a broken task is found out after one measurement.
    missing = [
        (repetition, task)
        for task in plan.tasks
        if task.name in unfinished and not bases.failure(task)
        for repetition in bases.missing(task)
    ]
    missing.sort(key=lambda m: (m[0], m[1].name))
    for repetition, task in missing:
        name = labels.baseline_name(run.name, task.name, repetition)
        yield NewTrial(name, planning.baseline(run.name, run.spec, corpus, task, repetition))


def _measurements(
    run: RunView,
    corpus: str,
    plan: Plan,
    bases: Baselines,
    known: Known,
    throttled: Mapping[str, float],
) -> Iterator[NewTrial]:
    for item in plan.trials:
        if item.name in known:
            continue
        if item.agent.spec.model in throttled:
            # In the drawn order: others that go on instead would run at another time of day.
            return
        failure = bases.failure(item.task)
        # No agent costs money at a task before the task is known to be measurable.
        if failure or bases.complete(item.task):
            spec = planning.measurement(run.name, run.spec, corpus, item, failure)
            yield NewTrial(item.name, spec)
