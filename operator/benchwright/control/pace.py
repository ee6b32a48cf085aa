"""At most so often: what may wait a moment is written together with what comes next."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class Pace(Generic[K]):
    """When each key was last done."""

    def __init__(self, monotonic: Callable[[], float], seconds: float):
        self._monotonic, self._seconds = monotonic, seconds
        self._last: dict[K, float] = {}

    def left(self, key: K) -> float:
        """Seconds until it may be done again; 0 for now."""
        due = self._last.get(key, float("-inf")) + self._seconds
        return max(0.0, due - self._monotonic())

    def done(self, key: K) -> None:
        self._last[key] = self._monotonic()

    def forget(self, key: K) -> None:
        self._last.pop(key, None)
