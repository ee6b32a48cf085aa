"""Overlap of two sets of tasks, such as those that two agents solve.

With several trials a task, the caller says what "solved" means (any, most or all of them).
"""

from collections.abc import Hashable, Set
from dataclasses import dataclass

from benchwright.stats.values import Undefined


@dataclass(frozen=True, slots=True)
class Overlap:
    """Sizes, and Jaccard's index |A∩B| / |A∪B|."""

    both: int
    only_a: int
    only_b: int
    jaccard: float | Undefined
    """Undefined for two empty sets; sklearn says 0 there and others 1."""


def overlap(a: Set[Hashable], b: Set[Hashable]) -> Overlap:
    both, only_a, only_b = len(a & b), len(a - b), len(b - a)
    union = both + only_a + only_b
    jaccard = both / union if union else Undefined("empty-union", "both sets are empty")
    return Overlap(both, only_a, only_b, jaccard)
