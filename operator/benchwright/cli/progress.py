"""Where a run stands at one moment, and what keeps it from going on (pure)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from benchwright.cli.views import RunProgress, TrialProgress

EVALUATING = ("Evaluating", "Grading")
IDLE_IS_STRANGE = 10.0
"""Between two trials an operator that works needs a second or two."""
_UNSEEN = (
    "the operator has not looked at this run yet: is Benchwright installed, and does it watch this "
    "namespace?"
)
_STALLED = "no trial is active and none is being started: is the operator running?"


@dataclass(frozen=True, slots=True)
class Progress:
    """Everything at one moment."""

    run: RunProgress
    trials: tuple[TrialProgress, ...]
    starting: frozenset[str]
    """Trials whose current pod has not started its containers yet."""
    now: datetime
    idle: float = 0.0
    """Seconds for which no trial has been active."""

    def same_as(self, other: "Progress") -> bool:
        """Whether nothing has happened in between but time."""
        mine = self.run, self.trials, self.starting
        return mine == (other.run, other.trials, other.starting)

    @property
    def planned(self) -> tuple[TrialProgress, ...]:
        """Observations; baselines are none."""
        return tuple(t for t in self.trials if not t.baseline)

    @property
    def active(self) -> tuple[TrialProgress, ...]:
        """Trials without an outcome, baselines too."""
        return tuple(t for t in self.trials if not t.outcome)

    @property
    def overdue(self) -> tuple[TrialProgress, ...]:
        """Active trials that should have ended by their own limits: nobody looks after them."""
        late = (t for t in self.active if t.since)
        return tuple(t for t in late if self.seconds_in_stage(t) > t.allowed)

    def seconds_in_stage(self, trial: TrialProgress) -> float:
        return max(0.0, (self.now - trial.since).total_seconds()) if trial.since else 0.0

    def with_outcome(self, outcome: str) -> tuple[TrialProgress, ...]:
        return tuple(t for t in self.planned if t.outcome == outcome)

    @property
    def finished(self) -> int:
        return sum(bool(t.outcome) for t in self.planned)

    @property
    def elapsed(self) -> float:
        end = self.run.finished or self.now
        return max(0.0, (end - self.run.started).total_seconds()) if self.run.started else 0.0

    @property
    def settled(self) -> bool:
        """The run is complete, and all of its trials have been seen so."""
        return self.run.complete and self.finished >= (self.run.planned or 0)


def state(trial: TrialProgress, starting: Iterable[str]) -> str:
    """What a trial without an outcome is at: preparing, running or evaluating."""
    if trial.phase in EVALUATING:
        return "evaluating"
    if trial.phase == "Pending" or trial.name in starting:
        return "preparing"
    return "running"


def counts(progress: Progress) -> dict[str, int]:
    """Planned trials by what they are at."""
    out = dict.fromkeys(("queued", "preparing", "running", "evaluating"), 0)
    out |= dict.fromkeys(("success", "failure", "timeout", "invalid"), 0)
    for trial in progress.planned:
        out[trial.outcome or state(trial, progress.starting)] += 1
    out["queued"] = max(0, (progress.run.planned or 0) - len(progress.planned))
    return out


def problems(progress: Progress) -> list[str]:
    """What keeps the run from going on, in words."""
    run, found = progress.run, []
    if run.complete:
        return []
    status, reason, message = run.conditions.get("Resolved", ("", "", ""))
    if status == "False":
        found.append(f"Resolved is False, {reason}: {message}")
    refused, why, words = run.conditions.get("TrialsRefused", ("", "", ""))
    if refused == "True":
        found.append(f"TrialsRefused, {why}: {words}")
    if run.conditions.get("Suspended", ("",))[0] == "True":
        found.append("the run is suspended: set spec.suspend to false to go on")
    for trial in progress.overdue:
        found.append(
            f"trial {trial.name} is at stage {trial.stage or 'start'} for longer than its limits allow "
            f"({trial.allowed:.0f} s): see the log of the operator"
        )
    if not found and progress.idle >= IDLE_IS_STRANGE:
        found.append(_STALLED if run.seen else _UNSEEN)
    return found


def invalid_summary(trials: Sequence[TrialProgress]) -> str:
    """Reasons of invalid trials with the first message of each."""
    by: dict[str, list[TrialProgress]] = {}
    for trial in trials:
        by.setdefault(trial.reason, []).append(trial)
    parts = [f"{len(t)} × {r} (such as {t[0].name}: {t[0].message})" for r, t in by.items()]
    return "; ".join(parts)
