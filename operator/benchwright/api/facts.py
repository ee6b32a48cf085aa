"""Facts: what was observed in a stage's pod, as the harness uploads it. Hostile until validated."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from benchwright.api.base import Count, Model, ShortText, Text
from benchwright.api.measurements import Number

FACTS_VERSION = 1
Document = Annotated[str, StringConstraints(max_length=32 * 1024 * 1024)]
Log = Annotated[str, StringConstraints(max_length=16384)]


class StepFacts(Model):
    """One command that the runner ran."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][-a-z0-9]{0,62}$", max_length=63)]
    """setup, agent, measure, or criterion-<name>."""
    exit_code: int | None = None
    """None where it was killed by its time limit or never ran."""
    timed_out: bool = False
    """Killed by its time limit."""
    seconds: Number | None = None
    """How long it ran, by the pod's own clock."""
    log_bytes: Count = 0
    """Bytes printed, kept or not."""
    log_tail: Log = ""
    """Its last lines, for messages; the whole (bounded) log is in the evidence."""


class HarnessError(Model):
    """Why the harness could not do its part; the attempt is invalid."""

    reason: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z0-9]*$", max_length=64)]
    """One word, such as FetchFailed."""
    message: Text
    """What happened and what to do."""


class ReportProblem(Model):
    """Why a report could not be used."""

    reason: ShortText
    """One word, such as missing or malformed."""
    message: Text = ""
    """What was wrong, where."""


class TestCaseFact(Model):
    """One test case of a report."""

    __test__ = False

    id: Annotated[str, StringConstraints(max_length=1024)]
    """Stable identity."""
    status: Literal["passed", "failed", "error", "skipped"]
    """How it ended."""


class TestFacts(Model):
    """A JUnit report, read."""

    __test__ = False

    cases: Annotated[tuple[TestCaseFact, ...], Field(max_length=200000)]
    """All test cases."""


class StageFacts(Model):
    """All facts of one stage; written once."""

    version: Literal[1] = 1
    """Version of this format."""
    steps: Annotated[tuple[StepFacts, ...], Field(max_length=32)] = ()
    """Commands in the order in which they ran."""
    runner_finished: bool = True
    """Whether the runner's closing record was there; if not, the main container was killed."""
    prepare_seconds: Number | None = None
    """From the harness's start until the main container could go."""
    collect_seconds: Number | None = None
    """From the main container's end until the facts were complete."""
    error: HarnessError | None = None
    """Set where the harness failed."""
    changes: Document | None = None
    """Numbers of the modification: JSON as benchwright.changes writes it (workspace stages)."""
    dropped_files: Count | None = None
    """Changed files that did not cross into the evaluator (evaluator)."""
    answers: Annotated[dict[ShortText, Text], Field(max_length=8)] = {}
    """Files that the agent was asked to leave as an answer (testRunning)."""
    coverage: Document | None = None
    """Line sets: JSON as benchwright.coverage writes it (evaluator)."""
    coverage_problem: ReportProblem | None = None
    """Why there is no coverage."""
    tests: TestFacts | None = None
    """The test report (evaluator)."""
    tests_problem: ReportProblem | None = None
    """Why there is no test report."""

    def step(self, name: str) -> StepFacts | None:
        return next((s for s in self.steps if s.name == name), None)
