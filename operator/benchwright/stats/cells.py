"""One agent at one task: which of its trials count.

Invalid, failed and missing are three things. A timeout is a valid failure; an invalid trial is in
no rate; a missing one was planned and not observed.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from benchwright.stats.values import Count

Outcome = Literal["success", "failure", "timeout", "invalid"]
_OUTCOMES = get_args(Outcome)


@dataclass(frozen=True, slots=True)
class Cell:
    """Counts of trials."""

    n_valid: int
    """success, failure or timeout."""
    successes: int
    timeouts: int
    """Among the valid ones, not among the successes."""
    invalid: int
    missing: int
    """Required and not observed in any way."""
    complete: bool
    """Has as many valid trials as required."""

    @property
    def count(self) -> Count:
        return Count(self.n_valid, self.successes)


def tally(outcomes: Iterable[Outcome], required: int) -> Cell:
    """The cell of `outcomes` where `required` valid trials are wanted.

    Raises ValueError for an unknown outcome, and for fewer than one required trial.
    """
    if required < 1:
        raise ValueError(f"{required} required trials: at least 1 is")
    by = Counter(outcomes)
    if unknown := sorted(str(o) for o in by if o not in _OUTCOMES):
        raise ValueError(f"unknown outcome {unknown[0]!r}: one of {', '.join(_OUTCOMES)}")
    valid = by["success"] + by["failure"] + by["timeout"]
    return Cell(
        n_valid=valid,
        successes=by["success"],
        timeouts=by["timeout"],
        invalid=by["invalid"],
        missing=max(0, required - valid - by["invalid"]),
        complete=valid >= required,
    )
