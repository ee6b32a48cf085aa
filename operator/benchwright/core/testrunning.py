"""Test running: is the tooling recognised, and do the delivered script and command really work."""

import json

from benchwright.api.facts import StageFacts
from benchwright.api.measurements import DetectResult, Measurements, ReplayResult
from benchwright.api.task import Task, Truth
from benchwright.core.evaluation import coverage_of, tests_of
from benchwright.core.verdict import Evidence, Verdict


def nothing_left(task: Task, evidence: Evidence) -> bool:
    """Whether no test command was delivered, so that there is nothing to replay."""
    return "test.sh" not in evidence.stages["setup"].answers


def grade(task: Task, evidence: Evidence) -> Verdict:
    """Success: the answer is right and, where there is tooling, so is the replay."""
    assert task.truth is not None
    found = detect(task.truth, evidence.stages["detect"].answers.get("tooling.json"))
    again = replay(task.truth, evidence.stages["setup"].answers, evidence.stages.get("evaluate"))
    measured = Measurements(detect=found, replay=again)
    problem = _detect_problem(task.truth, found) or _replay_problem(task.truth, again, evidence)
    if problem:
        return Verdict.failure(*problem, measured)
    return Verdict.success("ToolingRight", _summary(again), measured)


_LONGEST_ANSWER = 64


def detect(truth: Truth, answer: str | None) -> DetectResult:
    """The answer is data: {"tooling": "none|partial|full", "runners": ["pytest"]}."""
    try:
        data = json.loads(answer or "")
        tooling = data["tooling"]
        runners = [r for r in data.get("runners", []) if isinstance(r, str)]
        if len(tooling) > _LONGEST_ANSWER:
            return DetectResult(answered=False)
        right = bool(set(runners) & set(truth.runners)) if truth.runners else None
        return DetectResult(
            answered=True,
            tooling=tooling,
            tooling_right=tooling == truth.tooling,
            runner_right=right,
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # pydantic's error is a ValueError: no text, too long, or half a surrogate.
        return DetectResult(answered=False)


def replay(truth: Truth, answers: dict[str, str], facts: StageFacts | None) -> ReplayResult:
    """What the delivered commands did in a fresh pod from the clean source; None: there was none."""
    if facts is None:
        return ReplayResult(delivered="test.sh" in answers)
    setup, test = facts.step("setup"), facts.step("test")
    report, coverage = tests_of(facts), coverage_of(facts)
    ran = report.counts.total - report.counts.skipped if report else None
    covered = sum(len(f.covered) for f in coverage.files.values()) if coverage else None
    return ReplayResult(
        delivered="test.sh" in answers,
        setup_exit=setup.exit_code if setup else None,
        test_exit=test.exit_code if test else None,
        tests=ran,
        tests_right=_within(ran, truth.tests, truth.tests_tolerance),
        covered_lines=covered,
        covered_lines_right=_within(covered, truth.covered_lines, truth.covered_lines_tolerance),
    )


def _within(value: int | None, wanted: int | None, tolerance: int) -> bool | None:
    if wanted is None:
        return None
    return value is not None and abs(value - wanted) <= tolerance


def _detect_problem(truth: Truth, found: DetectResult) -> tuple[str, str] | None:
    if not found.answered:
        return "NoAnswer", "no tooling.json of the right form was left in $BENCHWRIGHT_ANSWER_DIR"
    if not found.tooling_right:
        return (
            "ToolingWrong",
            f"the agent says tooling {found.tooling}, the truth is {truth.tooling}",
        )
    if found.runner_right is False:
        return "RunnerWrong", f"none of the runners named is one of {', '.join(truth.runners)}"
    return None


def _replay_problem(
    truth: Truth, again: ReplayResult, evidence: Evidence
) -> tuple[str, str] | None:
    if truth.tooling == "none":
        return ("InventedTests", "the project has no tests") if again.delivered else None
    if not again.delivered:
        return "NoTestCommand", "no test.sh was left in $BENCHWRIGHT_ANSWER_DIR"
    for name in ("setup", "test"):
        step = evidence.evaluate.step(name)
        if step and (step.timed_out or step.exit_code != 0):
            end = "ran past its limit" if step.timed_out else f"ended with {step.exit_code}"
            text = f"replayed in a fresh pod, {name}.sh {end}: {step.log_tail[-400:]}"
            return f"{name.title()}Failed", text
    if not again.tests:
        return "NoTestsRan", "the replay's test report names no test that ran"
    if again.tests_right is False:
        return "TestCountWrong", f"{again.tests} tests ran where the suite has {truth.tests}"
    if again.covered_lines_right is False:
        text = (
            f"{again.covered_lines} lines were covered where the suite covers {truth.covered_lines}"
        )
        return "CoverageWrong", text
    return None


def _summary(again: ReplayResult) -> str:
    if not again.delivered:
        return "the project has no tests, and the agent says so"
    return f"replayed: {again.tests} tests ran, {again.covered_lines} lines covered"
