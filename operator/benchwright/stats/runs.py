"""Student's t over the means of complete runs: run noise on the fixed corpus."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from scipy.special import stdtr, stdtrit

from benchwright.stats.spread import sample_sd
from benchwright.stats.values import (
    LEVEL,
    Interval,
    Uncertainty,
    Undefined,
    finite,
    upper_tail,
)


@dataclass(frozen=True, slots=True)
class RunMeans:
    """Mean of run means with its t interval, which is not clipped to 0 and 1."""

    mean: float
    sd: float
    """With n-1."""
    se: float
    df: int
    interval: Interval


def t_quantile(p: float, df: float) -> float:
    """Quantile of Student's t. Raises ValueError unless 0 < p < 1 and df > 0."""
    if not (0 < p < 1 and df > 0):
        raise ValueError(f"quantile {p} with {df} degrees of freedom")
    return float(stdtrit(df, p))


def t_two_sided(t: float, df: float) -> float:
    """Probability of a t at least as far from 0."""
    return float(2 * stdtr(df, -abs(t)))


def t_interval(
    mean: float, se: float, df: int, uncertainty: Uncertainty, level: float = LEVEL
) -> Interval:
    """mean ± t·se; degenerate where the standard error is 0."""
    half = t_quantile(upper_tail(level), df) * se
    return Interval(mean - half, mean + half, uncertainty, level, degenerate=se == 0)


def over_runs(means: Sequence[float], level: float = LEVEL) -> RunMeans | Undefined:
    """Mean of `means`, one for each complete run.

    A run that misses a valid cell is not complete: leave it out. Undefined for fewer than 2 runs.
    """
    values = finite(means)
    if not values:
        return Undefined("no-runs", "no complete run")
    if len(values) == 1:
        return Undefined("one-run", "fewer than 2 complete runs")
    mean, sd, df = fmean(values), sample_sd(values), len(values) - 1
    se = sd / sqrt(len(values))
    return RunMeans(mean, sd, se, df, t_interval(mean, se, df, Uncertainty.RUN_NOISE, level))
