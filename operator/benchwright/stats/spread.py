"""Standard deviations that know when nothing varies."""

from collections.abc import Sequence
from statistics import stdev

ROUNDING = 1e-12


def varies(values: Sequence[float]) -> bool:
    """Whether `values` differ by more than the rounding of floats.

    0.6 - 0.4, 0.4 - 0.2 and 0.8 - 0.6 are three floats: without this, equal differences would
    have a tiny deviation, and with it a p-value of 0.
    """
    low, high = min(values), max(values)
    return high - low > ROUNDING * max(1.0, abs(low), abs(high))


def sample_sd(values: Sequence[float]) -> float:
    """Standard deviation with n-1, of at least 2 values; exactly 0 where nothing varies."""
    return stdev(values) if varies(values) else 0.0
