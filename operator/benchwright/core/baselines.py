"""Measurements of the untouched base: which to make, and when to give up (pure).

They count by what the results store has, for agents are judged against their facts. One that a
Trial tells of and the store has not was lost with the store's volume: it is made again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchwright.api import labels
from benchwright.api.conditions import truncate
from benchwright.api.task import TaskSnapshot
from benchwright.api.trial import BaselineFailure
from benchwright.core.runview import TrialSummary

REPLACEMENTS = 2
"""How often a measurement that was lost is made again before the run stops."""


def wanted(task: TaskSnapshot) -> int:
    """How many measurements there must be before an agent works at the task."""
    if task.spec.kind != "testWriting" or task.spec.measurement is None:
        return 0
    return task.spec.measurement.baseline_runs


@dataclass(frozen=True, slots=True)
class Baselines:
    """The baselines of one run, by what its trials and the store tell."""

    run: str
    stored: Mapping[str, int]
    """Task digest → good measurements in the store, of any run."""
    mine: Mapping[str, Sequence[TrialSummary]]
    """Task name → this run's baseline trials."""

    def complete(self, task: TaskSnapshot) -> bool:
        return self.stored.get(task.digest, 0) >= wanted(task)

    def failure(self, task: TaskSnapshot) -> BaselineFailure | None:
        """Why the task cannot be judged in this run; None where nothing is known against it."""
        for trial in self.mine.get(task.name, ()):
            if trial.outcome and trial.outcome != "success":
                text = f"the untouched base of task {task.name} cannot be measured: {trial.message}"
                reason = f"Baseline{trial.reason}"[:64]
                return BaselineFailure(reason=reason, message=truncate(text))
        return None

    def missing(self, task: TaskSnapshot) -> list[int]:
        """Repetitions to make now: the next indices that are free, and allowed."""
        lacking = self._lacking(task)
        return self._free(task)[:lacking] if lacking else []

    def lost(self, task: TaskSnapshot) -> bool:
        """Whether all that may be made were made, and the store still has too few."""
        return bool(self._lacking(task)) and not self._free(task) and not self.failure(task)

    def _lacking(self, task: TaskSnapshot) -> int:
        running = sum(t.outcome is None for t in self.mine.get(task.name, ()))
        return max(0, wanted(task) - self.stored.get(task.digest, 0) - running)

    def _free(self, task: TaskSnapshot) -> list[int]:
        there = {t.name for t in self.mine.get(task.name, ())}
        most = wanted(task) * (1 + REPLACEMENTS)
        return [n for n in range(most) if labels.baseline_name(self.run, task.name, n) not in there]


def baselines_of(run: str, stored: Mapping[str, int], trials: Iterable[TrialSummary]) -> Baselines:
    mine: dict[str, list[TrialSummary]] = {}
    for trial in trials:
        if trial.purpose == "baseline":
            mine.setdefault(trial.task, []).append(trial)
    for found in mine.values():
        found.sort(key=lambda t: t.name)
    return Baselines(run, stored, mine)


def lost_problem(task: TaskSnapshot, baselines: Baselines) -> tuple[str, str]:
    """Reason and message of a run that cannot go on."""
    made = len(baselines.mine.get(task.name, ()))
    text = (
        f"{made} measurements of the untouched base of task {task.name} succeeded, and of the "
        f"{wanted(task)} that are needed the results store has {baselines.stored.get(task.digest, 0)}: "
        "was its volume lost or replaced? Make the store keep what it is given, then make a new "
        "BenchmarkRun"
    )
    return "BaselinesLost", text
