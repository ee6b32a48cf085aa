"""Wilson's score interval of one success rate (Wilson 1927; Newcombe 1998, method 3)."""

from math import sqrt
from statistics import NormalDist

from benchwright.stats.values import (
    LEVEL,
    NO_TRIALS,
    Count,
    Interval,
    Uncertainty,
    Undefined,
    upper_tail,
)


def wilson(count: Count, level: float = LEVEL) -> Interval | Undefined:
    """Interval of `count`'s rate, within 0 and 1.

    Only for one agent at one task: trials of several tasks are no sample of one binomial, so
    their pooled counts must not be passed. Undefined where there is no trial.
    """
    # Not scipy here: its import would cost each command and each results pod half a second.
    z = NormalDist().inv_cdf(upper_tail(level))
    n, c = count.n, count.c
    if n == 0:
        return NO_TRIALS
    rate, z2 = c / n, z * z
    scale = 1 + z2 / n
    centre = (rate + z2 / (2 * n)) / scale
    half = z * sqrt(rate * (1 - rate) / n + z2 / (4 * n * n)) / scale
    # Exact at the ends, else a rate of 0 or 1 lies outside its own interval (statsmodels#7386).
    low = 0.0 if c == 0 else max(0.0, centre - half)
    high = 1.0 if c == n else min(1.0, centre + half)
    return Interval(low, high, Uncertainty.CELL, level)
