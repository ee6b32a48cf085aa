"""All pairs of configurations at once: what `compare` says of each, in numbers.

A hundred configurations are 4,950 pairs, which is too many for one comparison after the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from benchwright.analysis.comparison import Finding, finding, wider
from benchwright.analysis.grid import Grid
from benchwright.analysis.observations import ConfigKey
from benchwright.analysis.standings import clusters_of
from benchwright.stats.multiple import holm
from benchwright.stats.pairs import mcnemar
from benchwright.stats.spread import ROUNDING
from benchwright.stats.values import LEVEL, Interval, Uncertainty, Undefined, upper_tail

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_ONE_TASK = Undefined("one-task", "fewer than 2 shared tasks")
_ONE_CLUSTER = Undefined("one-cluster", "fewer than 2 clusters")
_ONE_TRIAL = Undefined("one-trial-tasks", "a task has only one valid trial")
_NO_VARIANCE = Undefined("no-variance", "the differences do not vary")
_SEVERAL = Undefined("several-trials", "a task has several valid trials")


@dataclass(frozen=True, slots=True)
class Pair:
    """A minus B over the tasks at which both have a valid trial."""

    a: ConfigKey
    b: ConfigKey
    shared: int
    dropped: int
    fewest: int
    """Valid trials of the shared task and side that has the fewest."""
    difference: float | Undefined
    composition: Interval | Undefined
    """Over tasks, or by clusters where that is wider."""
    p_value: float | Undefined
    """Two-sided, of the interval above."""
    holm: float | Undefined
    """The same, adjusted for all pairs that have one (Holm 1979). Not to rank by."""
    run_noise: Interval | Undefined
    mcnemar: float | Undefined
    """Exact p, where every shared task has one trial of each."""
    both_solved: int
    both_failed: int
    only_a_failed: int
    only_b_failed: int
    intermittent: int
    jaccard_failed: float | Undefined
    """Of the tasks that always failed."""

    @property
    def over_tasks(self) -> Finding:
        return finding(None if isinstance(self.composition, Undefined) else self.composition)

    @property
    def over_runs(self) -> Finding:
        return finding(None if isinstance(self.run_noise, Undefined) else self.run_noise)


def pairwise(grid: Grid, order: Sequence[ConfigKey]) -> list[Pair]:
    """Each two of `order`, the earlier one as A."""
    tables = _tables(grid, order)
    found = [pair for i in range(len(order) - 1) for pair in _row(tables, order, i)]
    known = [p for p in found if not isinstance(p.p_value, Undefined)]
    adjusted = holm([p.p_value for p in known if not isinstance(p.p_value, Undefined)])
    holms = dict(zip((id(p) for p in known), adjusted, strict=True))
    return [_with_holm(p, holms.get(id(p), _NO_VARIANCE)) for p in found]


def _with_holm(pair: Pair, value: float | Undefined) -> Pair:
    if isinstance(pair.p_value, Undefined):
        value = pair.p_value
    fields = {name: getattr(pair, name) for name in pair.__slots__}
    return Pair(**{**fields, "holm": value})


@dataclass(frozen=True)
class _Tables:
    """Configurations × tasks."""

    n: Floats
    rate: Floats
    """0 where there is no valid trial."""
    known: Flags
    single: Flags
    variance: Floats
    """Of a task's rate, by its own trials."""
    solved: Flags
    failed: Flags
    clusters: Floats | None
    """Tasks × clusters, 1 where the task belongs to it."""


def _tables(grid: Grid, order: Sequence[ConfigKey]) -> _Tables:
    counts = [grid.counts(key) for key in order]
    shape = (len(order), len(grid.data.tasks))
    n = np.array([[c.n for c in row] for row in counts], dtype=float).reshape(shape)
    c = np.array([[c.c for c in row] for row in counts], dtype=float).reshape(shape)
    known = n > 0
    safe, several = np.where(known, n, 1), np.where(n > 1, n, 2)
    return _Tables(
        n=n,
        rate=c / safe,
        known=known,
        single=n == 1,
        variance=np.where(n > 1, c * (n - c) / (several**2 * (several - 1)), 0),
        solved=known & (c == n),
        failed=known & (c == 0),
        clusters=_memberships(grid),
    )


def _memberships(grid: Grid) -> Floats | None:
    by, clusters = clusters_of(grid)
    if by is None:
        return None
    names = sorted(set(clusters))
    return np.array([[float(c == name) for name in names] for c in clusters])


def _row(of: _Tables, order: Sequence[ConfigKey], i: int) -> list[Pair]:
    """Configuration i with every later one."""
    rest = slice(i + 1, None)
    both = of.known[i] & of.known[rest]
    shared = both.sum(axis=1)
    differences = np.where(both, of.rate[i] - of.rate[rest], 0.0)
    mean = differences.sum(axis=1) / np.maximum(shared, 1)
    spans = _compositions(of, both, differences, mean)
    noise = _run_noise(of, i, both, mean)
    tests = _mcnemars(of, i, both, differences)
    sets = _sets(of, i, both)
    n_both = np.where(both, np.minimum(of.n[i], of.n[rest]), np.inf)
    fewest = n_both.min(axis=1, initial=np.inf)
    return [
        Pair(
            a=order[i],
            b=order[i + 1 + j],
            shared=int(shared[j]),
            dropped=int(both.shape[1] - shared[j]),
            fewest=int(fewest[j]) if shared[j] else 0,
            difference=float(mean[j]) if shared[j] > 1 else _ONE_TASK,
            composition=spans[j][0],
            p_value=spans[j][1],
            holm=_NO_VARIANCE,
            run_noise=noise[j],
            mcnemar=tests[j],
            **{name: int(values[j]) for name, values in sets.items()},
            jaccard_failed=_jaccard(sets, j),
        )
        for j in range(both.shape[0])
    ]


Span = tuple[Interval | Undefined, float | Undefined]


def _compositions(of: _Tables, both: Flags, differences: Floats, mean: Floats) -> list[Span]:
    """The wider of the two intervals, with its p-value."""
    shared = both.sum(axis=1)
    plain = _plain_errors(both, differences, mean)
    found = _spans(mean, plain, shared - 1, Uncertainty.COMPOSITION, shared > 1, _ONE_TASK)
    if of.clusters is None:
        return found
    se, groups = _clustered_errors(both, differences, mean, of.clusters)
    enough = (groups > 1) & (shared > 1)
    other = _spans(mean, se, groups - 1, Uncertainty.CLUSTERED, enough, _ONE_CLUSTER)
    return [_wider(a, b) for a, b in zip(found, other, strict=True)]


def _wider(a: Span, b: Span) -> Span:
    if isinstance(a[0], Undefined) or isinstance(b[0], Undefined):
        return a
    return a if wider(a[0], b[0]) is a[0] else b


def _plain_errors(both: Flags, differences: Floats, mean: Floats) -> Floats:
    """sd/√n of the differences; exactly 0 where they do not vary."""
    shared = np.maximum(both.sum(axis=1), 2)
    low = np.where(both, differences, np.inf).min(axis=1, initial=np.inf)
    high = np.where(both, differences, -np.inf).max(axis=1, initial=-np.inf)
    errors = np.where(both, differences - mean[:, None], 0.0)
    se = np.sqrt((errors**2).sum(axis=1) / (shared - 1) / shared)
    return np.where(high - low > ROUNDING, se, 0.0)


def _clustered_errors(
    both: Flags, differences: Floats, mean: Floats, clusters: Floats
) -> tuple[Floats, NDArray[np.int64]]:
    """CR1 (see stats.clusters), and the number of clusters that any shared task is of."""
    errors = np.where(both, differences - mean[:, None], 0.0)
    squares = ((errors @ clusters) ** 2).sum(axis=1)
    groups = ((both.astype(float) @ clusters) > 0).sum(axis=1)
    shared = np.maximum(both.sum(axis=1), 1)
    cr0 = np.sqrt(squares) / shared
    few = np.maximum(groups, 2)
    return np.where(cr0 > ROUNDING, cr0 * np.sqrt(few / (few - 1)), 0.0), groups


def _spans(
    mean: Floats, se: Floats, df: NDArray[np.int64], uncertainty: Uncertainty, enough: Flags,
    reason: Undefined,
) -> list[Span]:  # fmt: skip
    safe = np.maximum(df, 1)
    half = stdtrit(safe, upper_tail(LEVEL)) * se
    t = np.abs(mean) / np.where(se > 0, se, 1.0)
    p = 2 * stdtr(safe, -t)
    return [
        (
            _interval(mean[j], half[j], uncertainty),
            float(p[j]) if se[j] > 0 else _NO_VARIANCE,
        )
        if enough[j]
        else (reason, reason)
        for j in range(len(mean))
    ]


def _interval(mean: float, half: float, uncertainty: Uncertainty) -> Interval:
    low, high = float(mean - half), float(mean + half)
    return Interval(low, high, uncertainty, LEVEL, degenerate=not half)


def _run_noise(of: _Tables, i: int, both: Flags, mean: Floats) -> list[Interval | Undefined]:
    rest = slice(i + 1, None)
    single = ((of.single[i] | of.single[rest]) & both).any(axis=1)
    variance = np.where(both, of.variance[i] + of.variance[rest], 0.0).sum(axis=1)
    shared = both.sum(axis=1)
    half = NormalDist().inv_cdf(upper_tail(LEVEL)) * np.sqrt(variance) / np.maximum(shared, 1)
    return [
        (_ONE_TRIAL if single[j] else _interval(mean[j], half[j], Uncertainty.RUN_NOISE))
        if shared[j]
        else _ONE_TASK
        for j in range(len(mean))
    ]


def _mcnemars(of: _Tables, i: int, both: Flags, differences: Floats) -> list[float | Undefined]:
    once = ((of.single[i] & of.single[i + 1 :]) | ~both).all(axis=1) & both.any(axis=1)
    only_a, only_b = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    return [
        _exact(*sorted((int(only_a[j]), int(only_b[j])))) if once[j] else _SEVERAL
        for j in range(len(once))
    ]


@lru_cache(maxsize=100_000)
def _exact(few: int, many: int) -> float:
    return mcnemar(few, many).exact_p


def _sets(of: _Tables, i: int, both: Flags) -> dict[str, NDArray[np.int64]]:
    rest = slice(i + 1, None)
    never = (of.failed[i] | of.failed[rest]) & both
    solved = of.solved[i] & of.solved[rest]
    return {
        "both_solved": solved.sum(axis=1),
        "both_failed": (of.failed[i] & of.failed[rest]).sum(axis=1),
        "only_a_failed": (of.failed[i] & ~of.failed[rest] & both).sum(axis=1),
        "only_b_failed": (~of.failed[i] & of.failed[rest] & both).sum(axis=1),
        "intermittent": (both & ~never & ~solved).sum(axis=1),
    }


def _jaccard(sets: dict[str, NDArray[np.int64]], j: int) -> float | Undefined:
    both = int(sets["both_failed"][j])
    union = both + int(sets["only_a_failed"][j]) + int(sets["only_b_failed"][j])
    return both / union if union else Undefined("empty-union", "both sets are empty")
