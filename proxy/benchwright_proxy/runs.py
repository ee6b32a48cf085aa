"""What the trials of a run have spent together, in this process, and what they may."""

from dataclasses import dataclass, field

from .bell import Bell
from .journal.fold import Movement
from .limits import RUN, Purse, Spent
from .refusal import RefusalError
from .token import Claims, Limits


@dataclass(slots=True)
class Run:
    """A run's money and tokens. `limits` is None until somebody said what they are; `limit_hit` is
    the first of them that refused a call."""

    spent: Spent = field(default_factory=Spent)
    limits: Limits | None = None
    limit_hit: str | None = None
    changed: Bell = field(default_factory=Bell)

    def move(self, movement: Movement) -> None:
        """Count what one record did."""
        if movement.used is None:
            self.spent.hold(movement.held)
        else:
            self.spent.release(movement.held, movement.used)
            self.changed.ring()

    def limit(self, limits: Limits) -> None:
        """From now on these limits hold; what was hit was one of the old ones."""
        if limits != self.limits:
            self.limits, self.limit_hit = limits, None
            self.changed.ring()

    def restore(self, limits: Limits, limit_hit: str | None) -> None:
        """As it was before a restart."""
        self.limits, self.limit_hit = limits, limit_hit


class Runs:
    """All runs, by UID."""

    def __init__(self) -> None:
        self._runs: dict[str, Run] = {}

    def get(self, uid: str) -> Run:
        """A run, made if need be."""
        run = self._runs.get(uid)
        if run is None:
            run = self._runs[uid] = Run()
        return run

    def waiting(self) -> int:
        """How many calls wait for a reservation of their run to be released."""
        return sum(run.changed.awaited for run in self._runs.values())

    def move(self, movement: Movement | None) -> None:
        """Count what one record did, if its trial is of a run that is known by UID."""
        if movement is not None and movement.run_uid:
            self.get(movement.run_uid).move(movement)

    def purse(self, claims: Claims) -> Purse | None:
        """The limits of the caller's run and what was used of them. Raises RefusalError (503) where
        it must have some and nobody has said which: no row is no permission (litellm#40095)."""
        run = self.get(claims.run_uid) if claims.run_uid else None
        if claims.run_limited and (run is None or run.limits is None):
            message = "the budget of this run is not known yet: try again in a moment"
            raise RefusalError(503, "api_error", message, "run_unknown", retry=2)
        return Purse(run.limits, run.spent, RUN) if run and run.limits else None
