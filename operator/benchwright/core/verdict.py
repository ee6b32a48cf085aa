"""Verdicts: facts → outcome and measurements (pure, so that it can be computed again at any time).

A verdict is invalid only where nothing was learnt about the agent. Where the same command wrote a
report for the untouched base and writes none after the agent's work, that is the agent's doing:
otherwise a test that kills the test runner would buy a second chance.
"""

from dataclasses import dataclass, replace
from typing import Protocol

from benchwright.api.facts import StageFacts, StepFacts
from benchwright.api.measurements import Measurements, Outcome
from benchwright.api.task import Task


@dataclass(frozen=True, slots=True)
class Verdict:
    """Outcome of an attempt. `retry`: whether an invalid one may be repeated."""

    outcome: Outcome
    reason: str
    message: str
    measurements: Measurements | None = None
    retry: bool = True

    @classmethod
    def invalid(cls, reason: str, message: str, *, retry: bool = True) -> "Verdict":
        return cls("invalid", reason, message, retry=retry)

    @classmethod
    def failure(cls, reason: str, message: str, measured: Measurements | None = None) -> "Verdict":
        return cls("failure", reason, message, measured)

    @classmethod
    def success(cls, reason: str, message: str, measured: Measurements) -> "Verdict":
        return cls("success", reason, message, measured)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Facts of one attempt, by stage, and of the good baselines of its task."""

    stages: dict[str, StageFacts]
    baselines: tuple[StageFacts, ...] = ()

    @property
    def evaluate(self) -> StageFacts:
        return self.stages["evaluate"]


class Grader(Protocol):
    """Grades what was left, without regard to how the agent ended."""

    def __call__(self, task: Task, evidence: Evidence) -> Verdict: ...


def with_agent_end(task: Task, evidence: Evidence, grade: Grader) -> Verdict:
    """The grade of what was left, and how the agent ended, as one verdict."""
    verdict = grade(task, evidence)
    if verdict.outcome == "invalid":
        return verdict
    ends = [evidence.stages[s].step("agent") for s in task.stages if s in evidence.stages]
    late = next((s for s in ends if s and s.timed_out), None)
    if late:
        return _timeout(verdict, late)
    missing = next((s for s in ends if s and s.exit_code in {126, 127}), None)
    if missing and verdict.outcome == "failure":
        return replace(
            verdict,
            reason="AgentCommandNotFound",
            message=f"the agent's script ended with {missing.exit_code} (command not found or not "
            f"executable): check spec.run and the bundle of the Agent. It printed: {missing.log_tail[-400:]}",
        )
    crashed = next((s for s in ends if s and s.exit_code), None)
    if crashed:
        return replace(
            verdict, message=f"{verdict.message} (the agent ended with {crashed.exit_code})"
        )
    return verdict


def _timeout(verdict: Verdict, step: StepFacts) -> Verdict:
    would = verdict.outcome == "success"
    measured = verdict.measurements or Measurements()
    text = "would have passed" if would else f"would not have passed: {verdict.message}"
    return Verdict(
        "timeout",
        "AgentTimeout",
        f"the agent ran past its limit and was ended after {step.seconds or 0:.0f} s; what it left {text}",
        measured.model_copy(update={"would_pass": would}),
    )
