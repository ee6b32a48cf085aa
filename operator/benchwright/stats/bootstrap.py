"""The bootstrap over tasks: resample them with replacement, percentile interval.

Quantiles are those of the inverted distribution function: the least value x with F(x) >= p. With
up to 5 tasks (or clusters) all resamples are enumerated and nothing is random.

For paired agents pass the differences of tasks, so that a resample holds the same tasks of both.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil
from random import Random
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from benchwright.stats.spread import varies
from benchwright.stats.values import (
    LEVEL,
    NO_TASKS,
    ONE_TASK,
    Interval,
    Uncertainty,
    Undefined,
    finite,
    upper_tail,
)

ENUMERATED = 5
"""Units up to which all resamples are made: 5^5 = 3125."""
_CHUNK = 1_000_000
"""Draws held in memory at a time."""

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """A mean with its bootstrap standard error and percentile interval."""

    mean: float
    se: float
    interval: Interval
    resamples: int
    """As many as were made: those asked for, or all that there are."""
    exact: bool
    """All resamples were enumerated."""


def task_bootstrap(
    values: Sequence[float],
    *,
    resamples: int,
    rng: Random | np.random.Generator,
    clusters: Sequence[Hashable] | None = None,
    level: float = LEVEL,
) -> Bootstrap | Undefined:
    """Bootstrap of the mean of `values`, one for each task.

    With `clusters` whole clusters are drawn. The caller keeps the seed of `rng` and `resamples`.
    Undefined for fewer than 2 tasks or clusters. Raises ValueError for NaN and bad sizes.
    """
    checked, tail = finite(values), 1 - upper_tail(level)
    sums, sizes = _units(checked, clusters)
    if resamples < 1:
        raise ValueError(f"{resamples} resamples: at least 1 is needed")
    if not checked:
        return NO_TASKS
    if len(sums) < 2:
        return ONE_TASK if clusters is None else Undefined("one-cluster", "fewer than 2 clusters")
    mean = fmean(checked)
    kind = Uncertainty.COMPOSITION if clusters is None else Uncertainty.CLUSTERED
    exact = len(sums) <= ENUMERATED
    if not varies([float(v) for v in sums / sizes]):
        interval = Interval(mean, mean, kind, level, degenerate=True)
        return Bootstrap(mean, 0.0, interval, resamples, exact)
    means = _every(sums, sizes) if exact else _drawn(sums, sizes, resamples, _generator(rng))
    means.sort()
    interval = Interval(_quantile(means, tail), _quantile(means, 1 - tail), kind, level)
    se = float(means.std(ddof=0 if exact or resamples == 1 else 1))
    return Bootstrap(mean, se, interval, len(means), exact)


def _units(values: Sequence[float], clusters: Sequence[Hashable] | None) -> tuple[_Floats, _Floats]:
    """Sum and size of each thing that is drawn."""
    by: defaultdict[Hashable, list[float]] = defaultdict(list)
    for value, unit in zip(
        values, range(len(values)) if clusters is None else clusters, strict=True
    ):
        by[unit].append(value)
    groups = list(by.values())
    return np.array([sum(g) for g in groups], float), np.array([len(g) for g in groups], float)


def _every(sums: _Floats, sizes: _Floats) -> _Floats:
    drawn = np.array(list(product(range(len(sums)), repeat=len(sums))))
    return _means(sums, sizes, drawn)


def _drawn(sums: _Floats, sizes: _Floats, resamples: int, rng: np.random.Generator) -> _Floats:
    units = len(sums)
    rows = max(1, _CHUNK // units)
    parts = [
        _means(sums, sizes, rng.integers(units, size=(min(rows, resamples - at), units)))
        for at in range(0, resamples, rows)
    ]
    return np.concatenate(parts)


def _means(sums: _Floats, sizes: _Floats, drawn: NDArray[np.int64]) -> _Floats:
    means: _Floats = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    return means


def _quantile(ordered: _Floats, p: float) -> float:
    # Rounded first: 0.025000000000000022 · 40 must be 1, not the second value.
    return float(ordered[max(0, ceil(round(p * len(ordered), 6)) - 1)])


def _generator(rng: Random | np.random.Generator) -> np.random.Generator:
    return np.random.default_rng(rng.getrandbits(128)) if isinstance(rng, Random) else rng
