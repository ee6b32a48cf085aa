"""Two agents at the same tasks: paired differences, and McNemar's test for one trial a task.

Task-composition sensitivity: how far could the difference move with other tasks of the same kind?
An interval that holds 0 is inconclusive, never "equal".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, hypot, sqrt
from statistics import correlation, fmean

from benchwright.stats.runs import t_interval, t_two_sided
from benchwright.stats.spread import sample_sd, varies
from benchwright.stats.values import LEVEL, Interval, Uncertainty, Undefined, finite

_NO_VARIANCE = Undefined("no-variance", "the differences do not vary")


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Mean of a - b over shared tasks (Miller 2024, arXiv 2411.00640)."""

    diff: float
    sd: float
    """Of the differences, with n-1. Holds the trial noise of both."""
    se: float
    df: int
    interval: Interval
    """Student's t with n-1, not clipped; degenerate where all differences are equal."""
    t: float | Undefined
    p_value: float | Undefined
    """Two-sided. Undefined, not 0, where the differences do not vary."""
    se_unpaired: float
    """What it would be for independent tasks; for comparison only."""
    correlation: float | Undefined
    n: int
    """Tasks that both have."""
    dropped: int
    """Tasks that one of them lacks."""


@dataclass(frozen=True, slots=True)
class McNemar:
    """p-values of the hypothesis that both solve equally many tasks; one trial a task."""

    exact_p: float
    """Two-sided binomial."""
    chi2_p: float | Undefined
    """χ² with continuity correction, as SWE-bench#621 publishes it."""


def paired_difference(
    a: Sequence[float | None], b: Sequence[float | None], level: float = LEVEL
) -> PairedDifference | Undefined:
    """Difference of rates, task by task; position i is the same task in both.

    None is a task without a rate: complete pairs only count. Undefined for fewer than 2 of them.
    Raises ValueError for unequal lengths and NaN.
    """
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    n = len(pairs)
    if n < 2:
        return Undefined("one-task", "fewer than 2 shared tasks")
    first, second = finite(x for x, _ in pairs), finite(y for _, y in pairs)
    differences = [x - y for x, y in pairs]
    diff, sd, df = fmean(differences), sample_sd(differences), n - 1
    se = sd / sqrt(n)
    t = diff / se if se else _NO_VARIANCE
    return PairedDifference(
        diff=diff,
        sd=sd,
        se=se,
        df=df,
        interval=t_interval(diff, se, df, Uncertainty.COMPOSITION, level),
        t=t,
        p_value=t if isinstance(t, Undefined) else t_two_sided(t, df),
        se_unpaired=hypot(sample_sd(first), sample_sd(second)) / sqrt(n),
        correlation=_correlation(first, second),
        n=n,
        dropped=len(a) - n,
    )


def mcnemar(only_a: int, only_b: int) -> McNemar:
    """Of the tasks that exactly one of two agents solves, those of each."""
    if only_a < 0 or only_b < 0:
        raise ValueError(f"{only_a} and {only_b} tasks: neither is negative")
    n, few = only_a + only_b, min(only_a, only_b)
    exact = min(1.0, 2 * _at_most(few, n) / 2**n)
    if n == 0:
        return McNemar(exact, Undefined("no-discordant-task", "no task that only one solves"))
    chi2 = (abs(only_a - only_b) - 1) ** 2 / n
    return McNemar(exact, erfc(sqrt(chi2 / 2)))


def _at_most(few: int, n: int) -> int:
    """Number of ways to choose at most `few` of `n`."""
    ways, total = 1, 0
    for chosen in range(few + 1):
        total += ways
        ways = ways * (n - chosen) // (chosen + 1)
    return total


def _correlation(a: Sequence[float], b: Sequence[float]) -> float | Undefined:
    """Pearson's."""
    if not (varies(a) and varies(b)):
        return Undefined("no-variance", "the rates of one agent do not vary")
    return max(-1.0, min(1.0, correlation(a, b)))
