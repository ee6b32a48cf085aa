"""p-values of several comparisons, adjusted. Not to rank anything by."""

from collections.abc import Callable, Sequence
from itertools import accumulate


def holm(p: Sequence[float]) -> list[float]:
    """Holm 1979: bounds the probability of any false finding. Order as given."""
    _check(p)
    rising = sorted(range(len(p)), key=p.__getitem__)
    scaled = [p[i] * (len(p) - rank) for rank, i in enumerate(rising)]
    return _adjusted(rising, scaled, max)


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg 1995: bounds the share of false findings. Order as given."""
    _check(p)
    falling = sorted(range(len(p)), key=p.__getitem__, reverse=True)
    scaled = [p[i] * len(p) / (len(p) - rank) for rank, i in enumerate(falling)]
    return _adjusted(falling, scaled, min)


def _adjusted(
    order: Sequence[int], scaled: Sequence[float], worst: Callable[[float, float], float]
) -> list[float]:
    """Monotone along `order`, at most 1, back at their places."""
    found = dict(zip(order, accumulate(scaled, worst), strict=True))
    return [min(1.0, found[i]) for i in range(len(order))]


def _check(p: Sequence[float]) -> None:
    for value in p:
        if not 0 <= value <= 1:
            raise ValueError(f"a p-value of {value}")
