"""What the harness says of a stage: `facts.StageFacts` as plain typed dictionaries, in JSON's names.

The harness writes these without pydantic, whose import costs each pod more CPU than all that it
does besides; the results service reads them with pydantic, since they are hostile. A test keeps
both alike.
"""

from typing import Literal, TypedDict


class StepFactsDoc(TypedDict):
    """One command that the runner ran."""

    name: str
    exitCode: int | None
    timedOut: bool
    seconds: float | None
    logBytes: int
    logTail: str


class ProblemDoc(TypedDict):
    """A reason in one word, and what happened."""

    reason: str
    message: str


class TestCaseDoc(TypedDict):
    """One test case of a report."""

    id: str
    status: Literal["passed", "failed", "error", "skipped"]


class TestFactsDoc(TypedDict):
    """A JUnit report, read."""

    cases: list[TestCaseDoc]


class ObservedDoc(TypedDict, total=False):
    """What a stage left, by its role."""

    changes: str
    droppedFiles: int | None
    answers: dict[str, str]
    coverage: str
    coverageProblem: ProblemDoc
    tests: TestFactsDoc
    testsProblem: ProblemDoc


class StageFactsDoc(ObservedDoc, total=False):
    """All facts of one stage."""

    version: Literal[1]
    steps: list[StepFactsDoc]
    runnerFinished: bool
    prepareSeconds: float | None
    collectSeconds: float | None
    error: ProblemDoc
