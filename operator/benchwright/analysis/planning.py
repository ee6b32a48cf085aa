"""How many tasks and trials a comparison needs, from a pilot or from assumed variances.

Two questions with two answers: whether a difference would hold with other tasks (more tasks help), and
whether there is one on these very tasks (more trials help).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from benchwright.analysis.grid import Grid
from benchwright.analysis.observations import ConfigKey
from benchwright.stats.corpus import within_task_variance
from benchwright.stats.pairs import paired_difference
from benchwright.stats.power import (
    Detectable,
    TasksNeeded,
    detectable_difference,
    detectable_run_noise,
    tasks_needed,
    trials_needed,
    true_difference_variance,
    whole,
)
from benchwright.stats.values import Count, Undefined


@dataclass(frozen=True)
class Wanted:
    """The design that is asked about."""

    tasks: int
    trials: int
    """Valid trials of each agent at each task."""
    difference: float = 0.05
    power: float = 0.8
    alpha: float = 0.05


@dataclass(frozen=True)
class Variances:
    """What is known or assumed of two agents."""

    sd_diff: float | Undefined
    """Standard deviation of the differences of tasks, at the planned number of trials."""
    within_a: float | Undefined
    within_b: float | Undefined
    """Variance of one trial around its task's rate."""
    notes: tuple[str, ...] = ()
    """How they were come by; sentences."""


@dataclass(frozen=True)
class Plan:
    """Answers to both questions."""

    wanted: Wanted
    variances: Variances
    tasks_needed: TasksNeeded | Undefined
    detectable_over_tasks: Detectable | Undefined
    trials_needed: float | Undefined
    detectable_over_runs: float | Undefined


def pilot(grid: Grid, a: ConfigKey, b: ConfigKey, trials: int) -> Variances:
    """Variances of two agents that were tried, as they would be with `trials` trials a task."""
    pairs = zip(grid.counts(a), grid.counts(b), strict=True)
    both = [(x, y) for x, y in pairs if x.n and y.n]
    left, right = [x for x, _ in both], [y for _, y in both]
    within = _within(left), _within(right)
    sd, notes = _sd_diff(left, right, within, trials)
    single = sum(x.n == 1 or y.n == 1 for x, y in both)
    if single:
        notes.append(
            f"{single} of {len(both)} tasks have one trial only and are in no variance of trials"
        )
    return Variances(sd, *within, tuple(notes))


def _within(counts: Sequence[Count]) -> float | Undefined:
    several = [c for c in counts if c.n > 1]
    if not several:
        return Undefined("one-trial-tasks", "no task has two valid trials")
    return within_task_variance(several)


def _sd_diff(
    left: Sequence[Count],
    right: Sequence[Count],
    within: tuple[float | Undefined, float | Undefined],
    trials: int,
) -> tuple[float | Undefined, list[str]]:
    """The pilot's, with its own trial noise taken out and that of the plan put in."""
    paired = paired_difference([c.c / c.n for c in left], [c.c / c.n for c in right])
    if isinstance(paired, Undefined):
        return paired, []
    a, b = within
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return paired.sd, [
            "the pilot's own trial noise is in the deviation: it cannot be told apart"
        ]
    # The most trials that any task has: less noise is taken out than there may be, never more.
    most = max(c.n for c in left), max(c.n for c in right)
    true = true_difference_variance(paired.sd**2, a, b, *most)
    if isinstance(true, Undefined):
        # Unknown, not 0: else a few tasks with many trials would seem to stand for all others.
        return true, []
    return sqrt(true + (a + b) / trials), []


def plan(wanted: Wanted, variances: Variances) -> Plan:
    """Both answers; Undefined where what they need is not known."""
    return Plan(
        wanted,
        variances,
        *_by_tasks(wanted, variances.sd_diff),
        *_by_trials(wanted, variances.within_a, variances.within_b),
    )


def _by_tasks(
    wanted: Wanted, sd: float | Undefined
) -> tuple[TasksNeeded | Undefined, Detectable | Undefined]:
    if isinstance(sd, Undefined):
        return sd, sd
    errors = wanted.alpha, wanted.power
    needed = tasks_needed(sd, wanted.difference, *errors)
    return needed, detectable_difference(sd, wanted.tasks, *errors)


def _by_trials(
    wanted: Wanted, a: float | Undefined, b: float | Undefined
) -> tuple[float | Undefined, float | Undefined]:
    if isinstance(a, Undefined):
        return a, a
    if isinstance(b, Undefined):
        return b, b
    errors = wanted.alpha, wanted.power
    needed = trials_needed(a, b, wanted.tasks, wanted.difference, *errors)
    return needed, detectable_run_noise(a, b, wanted.tasks, wanted.trials, *errors)


def sentences(of: Plan) -> list[str]:
    """What is needed, and what the design detects, each by the question that it answers."""
    return [*_over_tasks(of), *_over_runs(of), *(f"Note: {n}." for n in of.variances.notes)]


def _over_tasks(of: Plan) -> list[str]:
    label = "Task-composition sensitivity (would it hold with other tasks like these?)"
    need, detectable = of.tasks_needed, of.detectable_over_tasks
    if isinstance(need, Undefined):
        return [f"{label}: cannot be planned, {need.reason}."]
    found = [
        f"{label}: {need.tasks} tasks show a difference of {_points(of.wanted.difference)} with "
        f"{of.wanted.power:.0%} power ({whole(need.normal)} by the normal approximation)."
    ]
    if need.tasks > of.wanted.tasks:
        found.append(
            f"{of.wanted.tasks} tasks are too few: "
            + (
                f"nothing is detectable, {detectable.reason}."
                if isinstance(detectable, Undefined)
                else f"{_detected(detectable.t)}."
            )
        )
    return found


def _over_runs(of: Plan) -> list[str]:
    label = "Run noise on the fixed corpus (is there one on these very tasks?)"
    need, detectable = of.trials_needed, of.detectable_over_runs
    if isinstance(need, Undefined):
        return [f"{label}: cannot be planned, {need.reason}."]
    found = [
        f"{label}: {whole(need)} trials of each agent at each of {of.wanted.tasks} tasks show a "
        f"difference of {_points(of.wanted.difference)} with {of.wanted.power:.0%} power."
    ]
    if whole(need) > of.wanted.trials and not isinstance(detectable, Undefined):
        found.append(f"{of.wanted.trials} trials are too few: {_detected(detectable)}.")
    return found


def _detected(value: float) -> str:
    """Rates differ by 100 points at most: what needs more is not detected."""
    if value > 1:
        return "they detect no difference that rates can have"
    return f"they detect {_points(value)}"


def _points(value: float) -> str:
    return f"{100 * value:.1f} points"
