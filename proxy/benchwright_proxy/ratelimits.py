"""Providers at their limits: told to whoever starts trials, so that it starts fewer."""

from collections.abc import Mapping

from .clock import Clock
from .journal.records import Dispatch, Settle

#: 529 is Anthropic's "overloaded".
LIMITING = frozenset({429, 503, 529})
#: Where a provider does not say for how long, and the most that is believed (seconds).
DEFAULT_SECONDS, MOST_SECONDS = 10.0, 600.0
#: How long a limit is remembered as recent.
WINDOW_SECONDS = 60.0


def retry_after(status: int, headers: Mapping[str, str]) -> float | None:
    """How many seconds a provider that limits asks to be left alone; None if it does not limit.

    Dates are not read: they would be another machine's clock.
    """
    if status not in LIMITING:
        return None
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if seconds >= 0:
            return min(seconds, MOST_SECONDS)
    return DEFAULT_SECONDS


class RateLimits:
    """By model: until when its provider wants to be left alone, and how often it said so lately."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}
        self._lately: dict[str, list[float]] = {}

    def settled(self, dispatch: Dispatch, settle: Settle) -> None:
        """Look at a call that ended."""
        if settle.retry_after_seconds is None:
            return
        now, model = self._clock.now(), dispatch.model
        self._until[model] = max(self._until.get(model, 0.0), now + settle.retry_after_seconds)
        self._lately[model] = [*self._recent(model), now]

    def seconds_left(self, model: str) -> float:
        """How long its provider wants to be left alone still; 0 if it does not."""
        return max(0.0, self._until.get(model, 0.0) - self._clock.now())

    def recent(self, model: str) -> int:
        """How many calls were limited in the last WINDOW_SECONDS."""
        return len(self._recent(model))

    def _recent(self, model: str) -> list[float]:
        start = self._clock.now() - WINDOW_SECONDS
        return [at for at in self._lately.get(model, []) if at >= start]
