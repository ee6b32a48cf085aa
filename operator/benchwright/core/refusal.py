"""What the API server refuses to create, told on the object that asked for it (pure).

Nothing is retried in silence: what can never be taken ends the trial or stops the run, everything
else is a condition in the API server's own words that goes when it works again.
"""

from dataclasses import dataclass
from datetime import datetime

from benchwright.api.conditions import Condition, drop_condition, set_condition, truncate
from benchwright.api.run import BenchmarkRunStatus
from benchwright.core.clock import format_time
from benchwright.core.runview import RunView

TRIALS_REFUSED = "TrialsRefused"
POD_REFUSED = "PodRefused"
INVALID = "TrialInvalid"


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refused creation. `final`: this object will never be taken."""

    what: str
    words: str
    final: bool = False
    quota: bool = False
    forbidden: bool = False

    @property
    def reason(self) -> str:
        return "QuotaExceeded" if self.quota else "Forbidden" if self.forbidden else "Refused"

    def message(self, tried: str) -> str:
        """What is wrong, in the API server's words, and what to do."""
        return truncate(f"{self.what} is refused: {self.words}. {self._advice()}; {tried}")

    def _advice(self) -> str:
        if self.quota:
            return "Raise the quota, or lower spec.parallelism"
        if self.forbidden:
            return "Mend the policy, webhook or role that forbids it"
        return "See what fails there, such as an admission webhook that does not answer"


def stop_words(refusal: Refusal) -> str:
    """For a run that can make no trial."""
    return truncate(
        f"{refusal.what} will never be taken: {refusal.words}. No further trial is made. Make a new "
        "BenchmarkRun with what fits, or mend what refuses it (an admission webhook, CRDs of another "
        "version) and change spec.parallelism to have it tried again"
    )


def stopped_by_refusal(run: RunView) -> tuple[str, str] | None:
    """Reason and message of the Resolved condition where this generation of the spec was refused."""
    for condition in run.status.conditions:
        same = condition.observed_generation == run.generation
        if condition.type == "Resolved" and condition.reason == INVALID and same:
            return condition.reason, condition.message
    return None


def with_refusal(
    status: BenchmarkRunStatus, refusal: Refusal, run: RunView, again: float, now: datetime
) -> BenchmarkRunStatus:
    """The status, telling of trials that were refused and are tried again."""
    tried = f"it is tried again every {again:.0f} s at least"
    new = Condition(
        type=TRIALS_REFUSED, status="True", reason=refusal.reason, message=refusal.message(tried),
        observed_generation=run.generation, last_transition_time=format_time(now),
    )  # fmt: skip
    return status.model_copy(update={"conditions": told(status.conditions, new)})


def told(conditions: tuple[Condition, ...], new: Condition) -> tuple[Condition, ...]:
    """Said once for each reason: the words of a quota differ each time, and each change is a write.
    The transition time is since when this reason holds."""
    if any((c.type, c.reason) == (new.type, new.reason) for c in conditions):
        return conditions
    return set_condition(drop_condition(conditions, new.type), new)


def without_refusal(status: BenchmarkRunStatus) -> BenchmarkRunStatus:
    rest = drop_condition(status.conditions, TRIALS_REFUSED)
    return status.model_copy(update={"conditions": rest})
