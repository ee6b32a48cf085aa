"""What the trials of a run have spent together, in this process."""

from dataclasses import dataclass, field

from .bell import Bell
from .journal.fold import Movement
from .limits import RUN, Purse, Spent
from .token import Claims


@dataclass(slots=True)
class Run:
    """A run's money and tokens; `limit_hit` is the first of its limits that refused a call."""

    spent: Spent = field(default_factory=Spent)
    limit_hit: str | None = None
    changed: Bell = field(default_factory=Bell)

    def move(self, movement: Movement) -> None:
        """Count what one record did."""
        if movement.used is None:
            self.spent.hold(movement.held)
        else:
            self.spent.release(movement.held, movement.used)
            self.changed.ring()


class Runs:
    """All runs, by UID."""

    def __init__(self) -> None:
        self._runs: dict[str, Run] = {}

    def get(self, uid: str) -> Run:
        """A run, made if need be."""
        return self._runs.setdefault(uid, Run())

    def waiting(self) -> int:
        """How many calls wait for a reservation of their run to be released."""
        return sum(run.changed.awaited for run in self._runs.values())

    def move(self, movement: Movement | None) -> None:
        """Count what one record did, if its trial is of a run that is known by UID."""
        if movement is not None and movement.run_uid:
            self.get(movement.run_uid).move(movement)

    def purse(self, claims: Claims) -> Purse | None:
        """The limits of the caller's run and what was used of them."""
        if not claims.run_uid:
            return None
        return Purse(claims.run_limits, self.get(claims.run_uid).spent, RUN)
