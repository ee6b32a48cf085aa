"""Pauses after refusals: twice as long each time up to a cap, and forgotten when it works again.

The queue's own backoff is for failures, and any event goes past it; a refused creation is not
asked for again because some other pod has started.
"""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class Backoff(Generic[K]):
    """One pause a key."""

    def __init__(self, monotonic: Callable[[], float], first: float, cap: float):
        self._monotonic, self._first, self.cap = monotonic, first, cap
        self._pauses: dict[K, tuple[float, float]] = {}
        """Key → length of its pause, and when it is over."""

    def refused(self, key: K) -> float:
        """Seconds until it may be tried again."""
        before, _ = self._pauses.get(key, (self._first / 2, 0.0))
        pause = min(self.cap, before * 2)
        self._pauses[key] = (pause, self._monotonic() + pause)
        return pause

    def left(self, key: K) -> float:
        """0 where it may be tried now."""
        _, over = self._pauses.get(key, (0.0, 0.0))
        return max(0.0, over - self._monotonic())

    def waits(self, key: K) -> bool:
        """Whether it was refused the last time."""
        return key in self._pauses

    def works(self, key: K) -> None:
        self._pauses.pop(key, None)
