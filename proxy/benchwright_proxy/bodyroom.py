"""How much of requests' bodies is here, by who sent it: all trials share one process's memory.

An agent that could fill it would end its own trial, and those of others, as the infrastructure's fault,
to be repeated: a way to throw the dice again.
"""


class BodyRoom:
    """Up to `limit` bytes anybody gets room. Past that only who holds less than a fair share of it
    does, up to twice the limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: dict[str, int] = {}
        #: Bytes that are here.
        self.total = 0

    def take(self, holder: str, size: int) -> bool:
        """Room for `size` bytes more of `holder`; whether there is any."""
        mine, total = self._held.get(holder, 0) + size, self.total + size
        if total > self._limit and not self._fair(holder, mine, total):
            return False
        self._held[holder] = mine
        self.total = total
        return True

    def _fair(self, holder: str, mine: int, total: int) -> bool:
        holders = len(self._held) + (holder not in self._held)
        return total <= 2 * self._limit and mine * holders <= self._limit

    def give(self, holder: str, size: int) -> None:
        """Bytes that were taken are here no more."""
        if not size:
            return
        self.total -= size
        left = self._held[holder] - size
        if left:
            self._held[holder] = left
        else:
            del self._held[holder]
