"""What every statistic returns: a number, an interval, or why there is neither.

A statistic that cannot be computed is `Undefined`, never 0, never NaN, never [0, 1].
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

LEVEL = 0.95
"""Confidence level where none is asked for."""


@dataclass(frozen=True, slots=True)
class Undefined:
    """There is no such number, and why."""

    code: str
    """Stable, for programs: `no-trials`, `too-few-trials`, `one-run` …"""
    reason: str
    """Part of a sentence, for readers: "fewer than 2 complete runs"."""

    def __bool__(self) -> bool:
        # `if value:` takes a rate of 0 for an unknown one: so pass@k became pass@n (deepeval#2967).
        raise TypeError("ask isinstance(value, Undefined): a value of 0 is not an unknown one")


class Uncertainty(StrEnum):
    """What an interval is about. Two intervals of different kinds cannot be compared."""

    CELL = "trials of one agent at one task (Wilson)"
    RUN_NOISE = "run noise on the fixed corpus"
    COMPOSITION = "task-composition sensitivity"
    CLUSTERED = "task-composition sensitivity, clustered"
    CONFIGURATIONS = "choice of the reference configurations (Fisher z)"


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval. Not clipped to 0 and 1 where its method does not do so itself."""

    low: float
    high: float
    uncertainty: Uncertainty
    level: float = LEVEL
    degenerate: bool = False
    """No variation was observed: the width of 0 is an artefact, not certainty."""

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"an interval from {self.low} to {self.high}")

    def contains(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Count:
    """Valid trials and successes of one agent at one task. Invalid trials are in neither."""

    n: int
    c: int

    def __post_init__(self) -> None:
        if not 0 <= self.c <= self.n:
            raise ValueError(f"{self.c} successes of {self.n} trials")

    @property
    def rate(self) -> float | Undefined:
        """c/n."""
        return self.c / self.n if self.n else NO_TRIALS


NO_TRIALS = Undefined("no-trials", "no valid trial")
NO_TASKS = Undefined("no-tasks", "no task")
ONE_TASK = Undefined("one-task", "fewer than 2 tasks")


def upper_tail(level: float) -> float:
    """The probability whose quantile bounds a two-sided interval: .95 → .975."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level of {level}: it is between 0 and 1")
    return 0.5 + level / 2


def finite(values: Iterable[float]) -> list[float]:
    """The values as a list. Raises ValueError where one is NaN or infinite."""
    checked = list(values)
    for position, value in enumerate(checked):
        if not isfinite(value):
            raise ValueError(f"value {position} is {value}: missing values are not NaN here")
    return checked
