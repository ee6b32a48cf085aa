"""Reading an evaluator's facts: reports, changes, and what is wrong with them (pure)."""

from benchwright.api.facts import ReportProblem, StageFacts
from benchwright.api.measurements import ChangeNumbers
from benchwright.changes.classify import TESTS
from benchwright.changes.model import Changes
from benchwright.changes.overlay import tests_may_cross
from benchwright.core.verdict import Evidence
from benchwright.coverage.codec import from_json
from benchwright.coverage.model import CoverageReport
from benchwright.testreports.model import Status, TestCase, TestReport, collect


def coverage_of(facts: StageFacts) -> CoverageReport | None:
    """The stored line sets."""
    return from_json(facts.coverage.encode()) if facts.coverage else None


def tests_of(facts: StageFacts) -> TestReport | None:
    """The stored test cases."""
    if facts.tests is None:
        return None
    return collect([TestCase(id=c.id, status=Status(c.status)) for c in facts.tests.cases])


def changes_of(evidence: Evidence, stages: tuple[str, ...]) -> ChangeNumbers | None:
    """Sizes of the modifications of all stages together; None where one is not known."""
    parts = _parts(evidence, stages)
    if parts is None:
        return None
    dropped = evidence.stages["evaluate"].dropped_files if "evaluate" in evidence.stages else None
    return ChangeNumbers(
        files=sum(p.files for p in parts),
        added=sum(p.added for p in parts),
        removed=sum(p.removed for p in parts),
        test_files=sum(p.test_files for p in parts),
        other_files=sum(p.other_files for p in parts),
        test_lines_added=sum(_lines_added(p, test=True) for p in parts),
        other_lines_added=sum(_lines_added(p, test=False) for p in parts),
        dropped_files=dropped or 0,
        truncated=any(p.truncated for p in parts),
    )


def nothing_crossed(evidence: Evidence, stages: tuple[str, ...]) -> bool:
    """Whether the evaluator's tree is known to have been the base's: no stage left a test, and
    nothing else crosses over."""
    parts = _parts(evidence, stages)
    return parts is not None and not any(map(tests_may_cross, parts))


def untouched(evidence: Evidence, stages: tuple[str, ...]) -> bool:
    """Whether the agent is known to have left the repository as it was."""
    parts = _parts(evidence, stages)
    return parts is not None and not any(p.files or p.excluded.files or p.truncated for p in parts)


def _parts(evidence: Evidence, stages: tuple[str, ...]) -> list[Changes] | None:
    documents = [evidence.stages[s].changes for s in stages if s in evidence.stages]
    known = [Changes.from_json(d.encode()) for d in documents if d is not None]
    return known if len(known) == len(stages) else None


def _lines_added(changes: Changes, *, test: bool) -> int:
    return sum(t.added for cls, t in changes.by_class.items() if (cls in TESTS) == test)


def report_problem(facts: StageFacts) -> ReportProblem | None:
    """The first thing that is wrong with the reports, with what the command printed."""
    for what, problem, there in (
        ("test report", facts.tests_problem, facts.tests),
        ("coverage report", facts.coverage_problem, facts.coverage),
    ):
        if there is None:
            reason = problem.reason if problem else "missing"
            detail = problem.message if problem else "the command wrote none"
            return ReportProblem(reason=reason, message=f"{what}: {detail}{_printed(facts)}"[:4000])
    return None


def _printed(facts: StageFacts) -> str:
    step = facts.step("measure") or facts.step("test")
    if step is None:
        return ""
    end = "ran past its limit" if step.timed_out else f"exit {step.exit_code}"
    return f". The command: {end}; it printed: {step.log_tail[-400:]}"
