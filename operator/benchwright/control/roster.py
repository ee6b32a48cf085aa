"""What runs look at of their trials, kept up trial by trial.

A run is looked at when that changes, not at every step of a trial; and a run of 10,000 trials is not
summed up anew each time.
"""

from benchwright.control.views import summary
from benchwright.core.runview import RunView, TrialSummary
from benchwright.core.trialview import TrialView


class Roster:
    """Run name → trial name → UID of the run and summary of the trial."""

    def __init__(self) -> None:
        self._runs: dict[str, dict[str, tuple[str, TrialSummary]]] = {}
        self._expected: set[str] = set()

    def of(self, run: RunView) -> list[TrialSummary]:
        return [known for uid, known in self._runs.get(run.name, {}).values() if uid == run.uid]

    def expect(self, trial: str) -> None:
        """Its run is creating it: that it appears is no news to the run."""
        self._expected.add(trial)

    def take(self, trial: TrialView) -> bool:
        """Whether anything changed that its run looks at."""
        expected = trial.name in self._expected
        self._expected.discard(trial.name)
        mine = self._runs.setdefault(trial.spec.run_name, {})
        entry = (trial.run_uid, summary(trial))
        changed = mine.get(trial.name) != entry
        mine[trial.name] = entry
        return changed and not expected

    def drop(self, trial: TrialView) -> None:
        self._expected.discard(trial.name)
        mine = self._runs.get(trial.spec.run_name, {})
        mine.pop(trial.name, None)
        if not mine:
            self._runs.pop(trial.spec.run_name, None)
