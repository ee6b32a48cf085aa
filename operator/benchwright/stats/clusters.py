"""A mean over tasks that come in clusters, such as repositories.

    CR0 = sqrt(Σ_g (Σ_{i∈g} e_i)²) / N      e_i = value - mean
    CR1 = CR0 · sqrt(G / (G - 1))           t with G-1; what statsmodels and Inspect AI give

With one task a cluster CR1 is the plain SE. Miller's formula (arXiv 2411.00640) has no G/(G-1) and
is a third number; it is given for comparison.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from statistics import fmean

from benchwright.stats.runs import t_interval
from benchwright.stats.spread import sample_sd
from benchwright.stats.values import LEVEL, NO_TASKS, Interval, Uncertainty, Undefined, finite

FEW_CLUSTERS = 20
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class ClusterMean:
    """A mean with its standard errors."""

    mean: float
    n: int
    clusters: int
    se_clt: float
    """Without clusters: sd/√n."""
    se_cr0: float
    se_miller: float
    se: float
    """CR1: the one that the interval uses."""
    df: int
    """Clusters - 1."""
    interval: Interval
    """Not clipped; degenerate where the clusters' sums do not vary."""
    largest_share: float
    """Tasks of the largest cluster / all tasks."""
    warnings: tuple[str, ...]
    """Why the interval is too narrow: sentences."""


def cluster_mean(
    values: Sequence[float], clusters: Sequence[Hashable], level: float = LEVEL
) -> ClusterMean | Undefined:
    """Mean of `values`, one for each task, whose clusters are given in the same order.

    Pass rates or paired differences of tasks. Undefined for fewer than 2 clusters, where others
    give 0 or NaN. Raises ValueError for unequal lengths and NaN.
    """
    checked = finite(values)
    n, mean = len(checked), fmean(checked) if checked else 0.0
    by: defaultdict[Hashable, list[float]] = defaultdict(list)
    for value, cluster in zip(checked, clusters, strict=True):
        by[cluster].append(value - mean)
    groups = list(by.values())
    if not groups:
        return NO_TASKS
    if len(groups) == 1:
        return Undefined("one-cluster", "fewer than 2 clusters")
    g, share = len(groups), max(map(len, groups)) / n
    squares = fsum(fsum(errors) ** 2 for errors in groups)
    se_clt, cr0 = sample_sd(checked) / sqrt(n), _root(squares / n**2)
    within = squares - fsum(e * e for errors in groups for e in errors)
    se = cr0 * sqrt(g / (g - 1))
    return ClusterMean(
        mean=mean,
        n=n,
        clusters=g,
        se_clt=se_clt,
        se_cr0=cr0,
        se_miller=_root(se_clt**2 + within / n**2),
        se=se,
        df=g - 1,
        interval=t_interval(mean, se, g - 1, Uncertainty.CLUSTERED, level),
        largest_share=share,
        warnings=_warnings(g, max(map(len, groups)), n),
    )


def _root(variance: float) -> float:
    """Its root; what is only rounding is 0."""
    return sqrt(variance) if variance > _ROUNDING**2 else 0.0


def _warnings(clusters: int, largest: int, n: int) -> tuple[str, ...]:
    """Few or uneven clusters make the interval too narrow."""
    found = []
    if clusters < FEW_CLUSTERS:
        found.append(f"only {clusters} clusters: the interval is too narrow below {FEW_CLUSTERS}")
    if 3 * largest > n:
        found.append(f"one cluster holds {largest} of {n} tasks: the interval is too narrow")
    return tuple(found)
