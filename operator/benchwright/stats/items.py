"""What single tasks tell about configurations: discrimination, saturation, floor.

A configuration is an agent with its model. Matrices have a row for each configuration and a column
for each task. Flags are reasons to look at a task, never to retire it.
"""

from collections.abc import Sequence
from math import atanh, sqrt, tanh
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from benchwright.stats.values import (
    LEVEL,
    Count,
    Interval,
    Uncertainty,
    Undefined,
    upper_tail,
)

SATURATED_PERCENT, SATURATED_TRIALS, FLOOR_PERCENT = 95, 10, 5
_ROUNDING = 1e-12
_MISSING = Undefined("missing-cells", "a configuration has no rate for it")
_ONE_TASK = Undefined("one-task", "fewer than 2 tasks that all configurations share")
_FEW = Undefined("too-few-configurations", "fewer than 2 configurations")
_NO_VARIANCE = Undefined("no-variance", "it or the rest does not vary")

_Floats = NDArray[np.float64]


def item_rest(matrix: Sequence[Sequence[float | None]]) -> list[float | Undefined]:
    """Corrected item-total correlation of each task, over configurations.

    Pearson's correlation of a task's rates with the mean of the configurations' other tasks. None
    is a missing cell: a task that any configuration lacks is Undefined and in no rest, since a
    rest over different tasks is no common scale. Undefined too where the task or its rest does
    not vary. With 2 configurations all that is defined is ±1 and means nothing.
    Raises ValueError for rows of unequal length and NaN.
    """
    rates = _rates(matrix)
    return _of_shared(rates, np.ones_like(rates), trials=False)


def item_rest_observations(
    counts: Sequence[Sequence[Count]],
) -> list[float | Undefined]:
    """As `item_rest`, over single trials: success or not against the configuration's rest.

    Attenuated against `item_rest`: never mix the two. Its interval still uses the number of
    configurations (`fisher_interval`): the trials of one share their rest.
    """
    rates = _rates([[c.c / c.n if c.n else None for c in row] for row in counts])
    n = np.array([[c.n for c in row] for row in counts], float).reshape(rates.shape)
    return _of_shared(rates, n, trials=True)


def fisher_interval(r: float, n: int, level: float = LEVEL) -> Interval | Undefined:
    """Interval of a correlation of `n` configurations, by Fisher's z.

    Undefined for fewer than 4 configurations, and for a perfect correlation.
    """
    if not -1 <= r <= 1:
        raise ValueError(f"a correlation of {r}")
    tail = upper_tail(level)
    if n < 4:
        return Undefined("too-few-configurations", "fewer than 4 configurations")
    if abs(r) == 1:
        return Undefined("perfect-correlation", "the correlation is perfect")
    half = NormalDist().inv_cdf(tail) / sqrt(n - 3)
    ends = (tanh(atanh(r) - half), tanh(atanh(r) + half))
    return Interval(*ends, Uncertainty.CONFIGURATIONS, level)


def saturated(
    references: Sequence[Count],
    *,
    min_percent: int = SATURATED_PERCENT,
    min_trials: int = SATURATED_TRIALS,
) -> bool:
    """Whether every reference configuration has enough trials and enough successes.

    No reference configuration: no. In integers, so that 19 of 20 is 95 %.
    """
    return bool(references) and all(
        r.n >= min_trials and r.n > 0 and r.c * 100 >= min_percent * r.n for r in references
    )


def floor(counts: Sequence[Count], *, max_percent: int = FLOOR_PERCENT) -> bool:
    """Whether all configurations together succeed in less than `max_percent` of the trials.

    1 of 20 is not below 5 %. No trial: no.
    """
    n, c = sum(count.n for count in counts), sum(count.c for count in counts)
    return c * 100 < max_percent * n


def kr20(matrix: Sequence[Sequence[float | None]]) -> float | Undefined:
    """Kuder and Richardson's formula 20: consistency of a matrix of 0 and 1 without gaps."""
    scores = _rates(matrix)
    configurations, tasks = scores.shape
    if np.isnan(scores).any():
        return Undefined("missing-cells", "a configuration lacks a task")
    if not np.isin(scores, (0.0, 1.0)).all():
        raise ValueError("KR-20 is of 0 and 1 alone")
    if configurations < 2:
        return _FEW
    if tasks < 2:
        return _ONE_TASK
    p = scores.mean(axis=0)
    total = float(scores.sum(axis=1).var())  # population variance, as in p(1-p)
    if total <= _ROUNDING:
        return Undefined("no-variance", "all configurations have the same score")
    return float(tasks / (tasks - 1) * (1 - (p * (1 - p)).sum() / total))


def _rates(matrix: Sequence[Sequence[float | None]]) -> _Floats:
    """With NaN, here alone, for what is missing."""
    if len({len(row) for row in matrix}) > 1:
        raise ValueError("rows of unequal length: each configuration has a cell for each task")
    given = [v for row in matrix for v in row if v is not None]
    if not np.isfinite(np.array(given, float)).all():
        raise ValueError("a rate that is NaN or infinite: a missing one is None")
    rates = np.array([[np.nan if v is None else v for v in row] for row in matrix], float)
    return rates.reshape(len(matrix), len(matrix[0]) if matrix else 0)


def _of_shared(rates: _Floats, weights: _Floats, *, trials: bool) -> list[float | Undefined]:
    """Correlations of the tasks that all configurations have; the others are Undefined."""
    shared = [not np.isnan(column).any() for column in rates.T]
    few = _FEW if len(rates) < 2 else _ONE_TASK if sum(shared) < 2 else None
    if few is not None:
        return [few if has else _MISSING for has in shared]
    found = iter(_correlations(rates[:, shared], weights[:, shared], trials))
    return [next(found) if has else _MISSING for has in shared]


def _correlations(x: _Floats, weights: _Floats, trials: bool) -> list[float | Undefined]:
    """Weighted correlation of each column with the mean of the others, all columns at once."""
    rest = (x.sum(axis=1, keepdims=True) - x) / (x.shape[1] - 1)
    w = weights / weights.sum(axis=0)
    mean = (w * x).sum(axis=0)
    dx, dy = x - mean, rest - (w * rest).sum(axis=0)
    # Single trials are 0 or 1, so they vary more than the rates that they make up.
    var_x = mean * (1 - mean) if trials else (w * dx * dx).sum(axis=0)
    var_y = (w * dy * dy).sum(axis=0)
    varies = (var_x > _ROUNDING**2) & (var_y > _ROUNDING**2)
    r = (w * dx * dy).sum(axis=0) / np.sqrt(np.where(varies, var_x * var_y, 1.0))
    bounded = np.clip(r, -1.0, 1.0)
    return [float(v) if ok else _NO_VARIANCE for v, ok in zip(bounded, varies, strict=True)]
