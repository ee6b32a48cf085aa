"""Hand-made facts: what a harness would have uploaded of a stage."""

from collections.abc import Iterable, Mapping
from typing import Any

from benchwright.api.facts import (
    HarnessError,
    ReportProblem,
    StageFacts,
    StepFacts,
    TestCaseFact,
    TestFacts,
)
from benchwright.api.measurements import StageUsage, Usage
from benchwright.changes.classify import PathClass
from benchwright.changes.model import Changes, FileChange, Kind
from benchwright.changes.numbers import Counted, is_counted, summarise
from benchwright.core.trialview import ProxyUsage
from benchwright.coverage.codec import to_json
from benchwright.coverage.model import CoverageReport, FileCoverage

BASE_TESTS = {"tests.test_a::one": "passed", "tests.test_a::two": "passed"}
LINES = range(1, 11)
"""Measurable lines of pkg/a.py, the only source."""
BASE_COVERED = range(1, 5)


def step(name: str, code: int | None = 0, **more: Any) -> StepFacts:
    return StepFacts(name=name, exit_code=code, **{"seconds": 2.0, **more})


def changed(*files: tuple[str, PathClass, Kind]) -> str:
    """A modification of these files, by the code that counts real ones."""
    primary = [FileChange(p.encode(), kind, cls, 5, 0) for p, cls, kind in files if is_counted(cls)]
    others = [
        FileChange(p.encode(), kind, cls, 5, 0) for p, cls, kind in files if not is_counted(cls)
    ]
    return summarise(Counted(primary, primary, others)).to_json().decode()


def changes(files: int = 1, **more: Any) -> str:
    numbers: dict[str, Any] = {"files": files, "added": 5 * files, "test_files": files, **more}
    return Changes(**numbers).to_json().decode()


def worked(
    code: int | None = 0, *, files: int = 1, setup: StepFacts | None = None, **more: Any
) -> StageFacts:
    """A stage in which the agent worked and ended with `code`."""
    late = bool(more.pop("timed_out", False))
    tail = more.pop("log_tail", "")
    agent = step("agent", code, timed_out=late, log_tail=tail)
    steps = (agent,) if setup is None else (setup, agent)
    values: dict[str, Any] = {
        "steps": steps,
        "prepare_seconds": 1.0,
        "changes": changes(files),
        **more,
    }
    return StageFacts(**values)


def coverage(
    covered: Iterable[int], measured: Iterable[int] = LINES, path: str = "pkg/a.py"
) -> str:
    file = FileCoverage(frozenset(measured), frozenset(covered))
    return to_json(CoverageReport("coveragepy-json", {path: file})).decode()


def cases(statuses: Mapping[str, str]) -> TestFacts:
    return TestFacts(cases=tuple(TestCaseFact(id=i, status=s) for i, s in statuses.items()))


def measured(
    tests: Mapping[str, str] | None = None, covered: Iterable[int] = BASE_COVERED, **more: Any
) -> StageFacts:
    """An evaluator that measured: the base's tests and `tests`, and the covered lines."""
    values: dict[str, Any] = {
        "steps": (step("measure", seconds=3.0),),
        "prepare_seconds": 1.5,
        "dropped_files": 0,
        "coverage": coverage(covered),
        "tests": cases({**BASE_TESTS, **(tests or {})}),
        **more,
    }
    return StageFacts(**values)


def unmeasured(what: str = "missing", **more: Any) -> StageFacts:
    """An evaluator whose command left no report."""
    problem = ReportProblem(reason=what, message="no regular file at junit.xml")
    return measured(
        tests=None,
        **{"coverage": None, "coverage_problem": problem, "tests_problem": problem, **more},
    ).model_copy(update={"tests": None})


def broken(reason: str = "FetchFailed") -> StageFacts:
    """The harness could not do its part."""
    return StageFacts(runner_finished=False, error=HarnessError(reason=reason, message="no route"))


def killed(**more: Any) -> StageFacts:
    """The runner left no closing record: something killed the main container."""
    values: dict[str, Any] = {"steps": (step("agent", None, seconds=None),), **more}
    return StageFacts(runner_finished=False, **values)


def tokens(**more: Any) -> StageUsage:
    values: dict[str, Any] = {
        "requests": 3,
        "input_tokens": 900,
        "cached_input_tokens": 100,
        "output_tokens": 60,
        "reasoning_tokens": 10,
        **more,
    }
    return StageUsage(**values)


def spent(interrupted: int = 0, **more: Any) -> ProxyUsage:
    return ProxyUsage(Usage(total=tokens(**more)), interrupted=interrupted)
