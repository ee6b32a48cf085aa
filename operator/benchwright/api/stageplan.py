"""What the operator tells the harness of a pod: one JSON document in an environment variable.

Plain typed dictionaries: the harness reads this before the agent may start, where importing
pydantic would cost each trial a noticeable part of a second.
"""

from typing import Literal, NotRequired, TypedDict

PLAN_ENV = "BENCHWRIGHT_PLAN"
TOKEN_ENV = "BENCHWRIGHT_TOKEN"  # noqa: S105 - a variable's name

WORKSPACE = "/workspace"
REPOSITORY = f"{WORKSPACE}/repo"
ANSWERS = f"{WORKSPACE}/answer"
CONTROL = "/benchwright"
"""Written by the harness, read-only for the main container."""
GATE = f"{CONTROL}/gate"
"""Pipe: one word for the main container, `go` or another."""
EXCHANGE = "/benchwright-io"
"""Pipes and reports: written by the main container, so never believed."""
REPORTS = f"{EXCHANGE}/reports"
EVALUATION = f"{CONTROL}/evaluation"
PROMPT_FILE = f"{CONTROL}/prompt.md"
AGENT_DIR = "/agent"
BUNDLE_READY = f"{AGENT_DIR}/.benchwright-ready"
HOME = "/home/agent"

SelectionPolicy = Literal["tests_only", "everything", "none"]


class AnswerRef(TypedDict):
    """A file that the agent left as an answer in an earlier stage."""

    stage: str
    name: str


class StepPlan(TypedDict):
    """One command of the main container: a script, or one that an earlier stage's answer holds."""

    name: str
    seconds: int
    script: NotRequired[str]
    answer: NotRequired[AnswerRef]


class CoverageReport(TypedDict):
    """Path below the reports folder, and format."""

    path: str
    format: str


class StagePlan(TypedDict):
    """Everything that the harness does in one pod."""

    resultsUrl: str
    trialUid: str
    attempt: int
    stage: str
    role: Literal["workspace", "evaluator"]
    taskDigest: str
    steps: list[StepPlan]
    answers: list[str]
    """Names of files in the answer folder to collect."""
    overlays: list[str]
    """Earlier stages whose changes are laid over the base (evaluator)."""
    selection: SelectionPolicy
    coverage: NotRequired[CoverageReport]
    junit: NotRequired[str]
    sources: list[str]
    tests: list[str]
