"""The frontier of cost and score: what nothing else beats in both.

q dominates p where q costs no more, scores no less, and one of the two strictly. Of equal points
all are kept. These are point estimates: a place on the frontier says nothing about noise.
"""

from collections.abc import Sequence
from math import inf

from benchwright.stats.values import Undefined, finite

UNKNOWN_COST = Undefined("unknown-cost", "its cost is unknown")


def frontier(points: Sequence[tuple[float, float]]) -> list[bool]:
    """For each (cost, score), whether it is on the frontier. O(n log n).

    Costs must be known: leave unknown ones out, or use `frontier_of_known`. A cost of 0 is taken
    as such, so the caller decides whether it means "free". Raises ValueError for NaN and infinity.
    """
    finite(value for point in points for value in point)
    on = [False] * len(points)
    best, best_cost = -inf, -inf
    for i in sorted(range(len(points)), key=lambda i: (points[i][0], -points[i][1])):
        cost, score = points[i]
        if score > best or (score == best and cost == best_cost):
            on[i], best, best_cost = True, score, cost
    return on


def frontier_of_known(points: Sequence[tuple[float | None, float]]) -> list[bool | Undefined]:
    """As `frontier`; points of unknown cost are Undefined and dominate nothing."""
    known = [(cost, score) for cost, score in points if cost is not None]
    on = iter(frontier(known))
    return [UNKNOWN_COST if cost is None else next(on) for cost, _ in points]
