"""What a run says of itself: counts and conditions (pure)."""

from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime

from benchwright.api.conditions import Condition, set_condition, truncate
from benchwright.api.run import BenchmarkRunStatus, RunCounts
from benchwright.core.budget import BUDGET_SPENT
from benchwright.core.clock import format_time
from benchwright.core.plan import Plan
from benchwright.core.refusal import without_refusal
from benchwright.core.runview import Inputs, RunView, TrialSummary


def count(plan_size: int, names: AbstractSet[str], known: Mapping[str, TrialSummary]) -> RunCounts:
    """Counters over the planned trials; baselines are not observations and do not count."""
    by = Counter(t.outcome for name, t in known.items() if name in names)
    return RunCounts(
        planned=plan_size,
        queued=plan_size - by.total(),
        active=by[None],
        succeeded=by["success"],
        failed=by["failure"],
        timed_out=by["timeout"],
        invalid=by["invalid"],
    )


def going(
    run: RunView,
    plan: Plan,
    inputs: Inputs,
    known: Mapping[str, TrialSummary],
    now: datetime,
    *,
    creating: bool,
    budget_spent: str | None = None,
) -> BenchmarkRunStatus | None:
    """Status of a run whose inputs fit; None where it says so already."""
    counts = count(len(plan.trials), plan.names, known)
    begun = bool(known) or creating
    base = _with_budget(
        _with_conditions(run, now, resolved=None, complete=counts), run, now, budget_spent
    )
    # A refusal holds as long as there is something to create, until it is taken.
    new = (base if creating else without_refusal(base)).model_copy(
        update={
            "counts": counts,
            "progress": f"{counts.finished}/{counts.planned}",
            "task_set_digest": inputs.corpus,
            "budget_used": inputs.ledger.used if inputs.ledger and run.spec.budget.run else None,
            "plan_digest": plan.digest,
            "started_at": run.status.started_at or (format_time(now) if begun else None),
            "finished_at": format_time(now) if counts.finished == counts.planned else None,
            "report_uri": f"/runs/{run.uid}" if begun else None,
        }
    )
    return new if new != run.status else None


def stopped(
    run: RunView, problem: tuple[str, str], known: Mapping[str, TrialSummary], now: datetime
) -> BenchmarkRunStatus | None:
    """Status of a run that makes no new trial; those that run go on, and are counted."""
    new = without_refusal(_with_conditions(run, now, resolved=problem, complete=None))
    if run.status.counts:
        mine = {name: t for name, t in known.items() if t.purpose == "measurement"}
        counts = count(run.status.counts.planned, mine.keys(), mine)
        progress = f"{counts.finished}/{counts.planned}"
        new = new.model_copy(update={"counts": counts, "progress": progress})
    return new if new != run.status else None


def only_counts(old: BenchmarkRunStatus, new: BenchmarkRunStatus) -> bool:
    """Whether nothing but numbers differ, which may be written together with those that come."""
    numbers = ("counts", "progress", "budget_used", "conditions")
    rest = new.model_copy(update={name: getattr(old, name) for name in numbers})
    return rest == old and _kinds(new) == _kinds(old)


def _kinds(status: BenchmarkRunStatus) -> list[tuple[str, str, str]]:
    return [(c.type, c.status, c.reason) for c in status.conditions]


def _with_conditions(
    run: RunView, now: datetime, *, resolved: tuple[str, str] | None, complete: RunCounts | None
) -> BenchmarkRunStatus:
    stamp = format_time(now)
    conditions = run.status.conditions
    for kind, status, reason, message in _facts_of(run, resolved, complete):
        new = Condition(
            type=kind, status=status, reason=reason, message=truncate(message),
            observed_generation=run.generation, last_transition_time=stamp,
        )  # fmt: skip
        conditions = set_condition(conditions, new)
    return run.status.model_copy(
        update={"conditions": conditions, "observed_generation": run.generation}
    )


def _with_budget(
    status: BenchmarkRunStatus, run: RunView, now: datetime, spent: str | None
) -> BenchmarkRunStatus:
    """Whether the run's budget is spent, where it has one; a run that is over keeps what it said."""
    if run.spec.budget.run is None:
        return status
    new = Condition(
        type=BUDGET_SPENT, status="True" if spent else "False",
        reason="BudgetSpent" if spent else "WithinBudget", message=truncate(spent or ""),
        observed_generation=run.generation, last_transition_time=format_time(now),
    )  # fmt: skip
    return status.model_copy(update={"conditions": set_condition(status.conditions, new)})


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
