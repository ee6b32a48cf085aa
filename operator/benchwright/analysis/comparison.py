"""Two configurations over the tasks that both were measured at.

What is not resolved is inconclusive, never equal. Two questions are answered, and kept apart: would the
difference stand with other tasks like these (composition), and would it stand if the same tasks were run
again (run noise)?
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from benchwright.analysis.grid import Grid, GridCell
from benchwright.analysis.observations import ConfigKey, TaskKey
from benchwright.analysis.standings import clusters_of
from benchwright.stats.clusters import ClusterMean, cluster_mean
from benchwright.stats.corpus import Estimate, fixed_corpus_difference
from benchwright.stats.pairs import McNemar, PairedDifference, mcnemar, paired_difference
from benchwright.stats.sets import Overlap, overlap
from benchwright.stats.values import Interval, Undefined

CLOSE_TRIALS = 10
"""Valid trials of every task for a close comparison."""
_ROUNDING = 1e-9
PUBLISHED_TRIALS = 5
"""Valid trials of every task for any published comparison."""

Finding = Literal["a", "b", "inconclusive"]


@dataclass(frozen=True)
class FailureSets:
    """Tasks by how the two did at them. A task is solved where every valid trial succeeded, failed where
    none did, and intermittent otherwise: of these neither side is said to have solved it."""

    both_solved: tuple[TaskKey, ...]
    both_failed: tuple[TaskKey, ...]
    only_a_failed: tuple[TaskKey, ...]
    """A always failed, B sometimes or always succeeded."""
    only_b_failed: tuple[TaskKey, ...]
    intermittent: tuple[TaskKey, ...]
    """Neither always failed, and at least one of them failed now and then."""
    failed: Overlap
    """Of the tasks that always failed."""
    solved: Overlap
    """Of the tasks that always succeeded."""


@dataclass(frozen=True)
class Comparison:
    """A minus B."""

    a: ConfigKey
    b: ConfigKey
    shared: tuple[TaskKey, ...]
    """Tasks at which both have a valid trial."""
    dropped: tuple[TaskKey, ...]
    """Tasks at which one of them has none: in no number here."""
    paired: PairedDifference | Undefined
    clustered: ClusterMean | Undefined | None
    """The same difference with cluster-robust errors; None where tasks share nothing."""
    clustered_by: str | None
    run_noise: Estimate | Undefined
    mcnemar: McNemar | None
    """Exact test, only where every task has one trial of each."""
    failures: FailureSets
    fewest: int
    """Valid trials of the shared task and side that has the fewest."""

    @property
    def composition(self) -> Interval | None:
        """The interval that decides about other tasks: the wider one, where tasks are clustered."""
        if isinstance(self.paired, Undefined):
            return None
        if self.clustered is None or isinstance(self.clustered, Undefined):
            return self.paired.interval
        return wider(self.paired.interval, self.clustered.interval)

    @property
    def over_tasks(self) -> Finding:
        return finding(self.composition)

    @property
    def over_runs(self) -> Finding:
        return finding(None if isinstance(self.run_noise, Undefined) else self.run_noise.interval)


def wider(plain: Interval, clustered: Interval) -> Interval:
    """The plain one unless the other is wider by more than rounding."""
    widths = [i.high - i.low for i in (plain, clustered)]
    return clustered if widths[1] > widths[0] * (1 + _ROUNDING) else plain


def finding(interval: Interval | None) -> Finding:
    """An interval without any variation resolves nothing: its width of 0 is an artefact."""
    if interval is None or interval.degenerate or interval.low <= 0 <= interval.high:
        return "inconclusive"
    return "a" if interval.low > 0 else "b"


def compare(grid: Grid, a: ConfigKey, b: ConfigKey) -> Comparison:
    """Compare two configurations of the grid."""
    rows = list(zip(grid.data.tasks, grid.row(a), grid.row(b), strict=True))
    both = [(t.key, x, y) for t, x, y in rows if x.count.n and y.count.n]
    left, right = [x.count for _, x, _ in both], [y.count for _, _, y in both]
    clustered, by = _clustered(grid, both)
    return Comparison(
        a=a,
        b=b,
        shared=tuple(t for t, _, _ in both),
        dropped=tuple(t.key for t, x, y in rows if not (x.count.n and y.count.n)),
        paired=paired_difference([c.c / c.n for c in left], [c.c / c.n for c in right]),
        clustered=clustered,
        clustered_by=by,
        run_noise=fixed_corpus_difference(left, right),
        mcnemar=_mcnemar(both),
        failures=_failures(both),
        fewest=min((c.n for c in (*left, *right)), default=0),
    )


Both = Sequence[tuple[TaskKey, GridCell, GridCell]]


def _clustered(grid: Grid, both: Both) -> tuple[ClusterMean | Undefined | None, str | None]:
    by, clusters = clusters_of(grid)
    if by is None:
        return None, None
    names = dict(zip((t.key for t in grid.data.tasks), clusters, strict=True))
    differences = [x.count.c / x.count.n - y.count.c / y.count.n for _, x, y in both]
    return cluster_mean(differences, [names[t] for t, _, _ in both]), by


def _mcnemar(both: Both) -> McNemar | None:
    if not both or any(x.count.n != 1 or y.count.n != 1 for _, x, y in both):
        return None
    only_a = sum(x.count.c > y.count.c for _, x, y in both)
    only_b = sum(y.count.c > x.count.c for _, x, y in both)
    return mcnemar(only_a, only_b)


def _failures(both: Both) -> FailureSets:
    solved_a = {t for t, x, _ in both if x.count.c == x.count.n}
    solved_b = {t for t, _, y in both if y.count.c == y.count.n}
    failed_a = {t for t, x, _ in both if x.count.c == 0}
    failed_b = {t for t, _, y in both if y.count.c == 0}
    never = failed_a | failed_b
    return FailureSets(
        both_solved=_sorted(solved_a & solved_b),
        both_failed=_sorted(failed_a & failed_b),
        only_a_failed=_sorted(failed_a - failed_b),
        only_b_failed=_sorted(failed_b - failed_a),
        intermittent=_sorted({t for t, _, _ in both} - never - (solved_a & solved_b)),
        failed=overlap(failed_a, failed_b),
        solved=overlap(solved_a, solved_b),
    )


def _sorted(tasks: set[TaskKey]) -> tuple[TaskKey, ...]:
    return tuple(sorted(tasks))


def sentences(one: Comparison) -> list[str]:
    """What the comparison says, and what may not be claimed from it."""
    return [*_difference(one), *_verdicts(one), *_reservations(one)]


def _difference(one: Comparison) -> list[str]:
    if isinstance(one.paired, Undefined):
        return [f"There is no comparison of {one.a} and {one.b}: {one.paired.reason}."]
    return [
        f"{one.a} - {one.b}: {_points(one.paired.diff)} of success over {len(one.shared)} tasks "
        "that both were measured at."
    ]


def _verdicts(one: Comparison) -> list[str]:
    interval = one.composition
    if interval is None:
        return []
    found = [_verdict(one, one.over_tasks, interval, "with other tasks like these")]
    if isinstance(one.run_noise, Undefined):
        found.append(f"Whether it is run noise cannot be said: {one.run_noise.reason}.")
    else:
        again = "if the same tasks were run again"
        found.append(_verdict(one, one.over_runs, one.run_noise.interval, again))
    return found


def _verdict(one: Comparison, finding: Finding, interval: Interval, when: str) -> str:
    beyond = max(-interval.low, interval.high) > 1
    span = (
        f"{interval.level:.0%} interval {_points(interval.low)} to {_points(interval.high)}, "
        f"{interval.uncertainty}{', not clipped at 100 points' if beyond else ''}"
    )
    if interval.degenerate:
        return f"Inconclusive {when}: no variation was observed ({span})."
    if finding == "inconclusive":
        return f"Inconclusive {when} ({span})."
    return f"{one.a if finding == 'a' else one.b} is ahead {when} ({span})."


def _reservations(one: Comparison) -> list[str]:
    found = []
    if one.dropped:
        found.append(f"{len(one.dropped)} tasks are left out: one of the two has no valid trial.")
    if one.shared and one.fewest < PUBLISHED_TRIALS:
        found.append(
            f"Not to be published: a task has {one.fewest} valid trial{'' if one.fewest == 1 else 's'}, and "
            f"{PUBLISHED_TRIALS} are needed ({CLOSE_TRIALS} for a close comparison)."
        )
    elif (
        one.shared
        and one.fewest < CLOSE_TRIALS
        and "inconclusive"
        in (
            one.over_tasks,
            one.over_runs,
        )
    ):
        found.append(f"A close comparison needs {CLOSE_TRIALS} valid trials of each task.")
    if one.clustered is not None and not isinstance(one.clustered, Undefined):
        found += [f"Clusters by {one.clustered_by}: {w}." for w in one.clustered.warnings]
    return found


def _points(value: float) -> str:
    return f"{100 * value:+.1f} points"
