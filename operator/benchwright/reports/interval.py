"""Wilson's score interval of a success rate."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A rate's interval; both ends are within 0 and 1."""

    low: float
    high: float


def wilson(successes: int, trials: int, confidence: float = CONFIDENCE) -> Interval | None:
    """Interval of `successes` out of `trials`; None where there is no trial to learn from."""
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes of {trials} trials")
    if trials == 0:
        return None
    # Not scipy here: its import would cost each command and each results pod half a second.
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate, z2 = successes / trials, z * z
    scale = 1 + z2 / trials
    centre = (rate + z2 / (2 * trials)) / scale
    half = z * sqrt(rate * (1 - rate) / trials + z2 / (4 * trials * trials)) / scale
    # Exact at the ends: rounding must not make a rate of 0 or 1 lie outside its own interval.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return Interval(low, high)
