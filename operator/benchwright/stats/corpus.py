"""Run noise on a fixed corpus, from the trials of each task.

    SE = sqrt(Σ p_t (1 - p_t) / (n_t - 1)) / T

It answers: how far could the mean move if the same tasks were tried again? It says nothing about
other tasks. The same formula as in terminal-bench-experiments (sql/get_agent_scores.sql); it works
with unequal numbers of trials, where a t interval over runs does not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, hypot, sqrt
from statistics import NormalDist, fmean

from benchwright.stats.passes import success_rate
from benchwright.stats.values import (
    LEVEL,
    Count,
    Interval,
    Uncertainty,
    Undefined,
    upper_tail,
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its standard error and normal interval (not clipped)."""

    value: float
    se: float
    interval: Interval
    """Degenerate where every task was all right or all wrong: SE 0, and no certainty."""


def fixed_corpus(counts: Sequence[Count], level: float = LEVEL) -> Estimate | Undefined:
    """Mean success rate of a corpus; `counts` has one entry for each task.

    Undefined where a task has no valid trial, or only one: one trial shows no noise.
    """
    mean = success_rate(counts)
    noise = _variances(counts)
    if isinstance(mean, Undefined):
        return mean
    if isinstance(noise, Undefined):
        return noise
    per_task = fsum(v / count.n for v, count in zip(noise, counts, strict=True))
    return _estimate(mean, sqrt(per_task) / len(counts), level)


def fixed_corpus_difference(
    a: Sequence[Count], b: Sequence[Count], level: float = LEVEL
) -> Estimate | Undefined:
    """Difference a - b of two independent runs of the same tasks in the same order.

    The variances add. Trial 3 of one has nothing to do with trial 3 of the other, so trials are
    never paired. Raises ValueError where the numbers of tasks differ.
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} tasks: a fixed corpus is the same for both")
    first, second = fixed_corpus(a, level), fixed_corpus(b, level)
    if isinstance(first, Undefined):
        return first
    if isinstance(second, Undefined):
        return second
    return _estimate(first.value - second.value, hypot(first.se, second.se), level)


def within_task_variance(counts: Sequence[Count]) -> float | Undefined:
    """Mean over tasks of p(1-p)·n/(n-1): the variance of one trial around its task's rate."""
    variances = _variances(counts)
    return variances if isinstance(variances, Undefined) else fmean(variances)


def _variances(counts: Sequence[Count]) -> list[float] | Undefined:
    """Unbiased variance of single trials, task by task."""
    mean = success_rate(counts)
    if isinstance(mean, Undefined):
        return mean
    if single := sum(count.n == 1 for count in counts):
        reason = f"{single} of {len(counts)} tasks have only one valid trial"
        return Undefined("one-trial-tasks", reason)
    return [c.c * (c.n - c.c) / (c.n * (c.n - 1)) for c in counts]


def _estimate(value: float, se: float, level: float) -> Estimate:
    half = NormalDist().inv_cdf(upper_tail(level)) * se
    ends = (value - half, value + half)
    return Estimate(value, se, Interval(*ends, Uncertainty.RUN_NOISE, level, degenerate=se == 0))
