"""Test writing: tests that were added and pass, and lines of the base that only they cover."""

from benchwright.api.facts import StageFacts
from benchwright.api.measurements import (
    ChangeNumbers,
    CoverageNumbers,
    Measurements,
    TestNumbers,
)
from benchwright.api.task import Task
from benchwright.core.evaluation import (
    changes_of,
    coverage_of,
    nothing_crossed,
    report_problem,
    tests_of,
    untouched,
)
from benchwright.core.verdict import Evidence, Verdict
from benchwright.coverage.gain import gain
from benchwright.testreports.compare import TestDelta, compare


def grade_baseline(task: Task, evidence: Evidence) -> Verdict:
    """The untouched base must be measurable, and its tests must pass."""
    facts = evidence.evaluate
    step = facts.step("measure")
    if step and step.timed_out:
        return _bad_base(
            "TimedOut", "the measure command ran past limits.evaluateSeconds: raise it"
        )
    problem = report_problem(facts)
    if problem:
        return _bad_base("NoReport", f"{problem.message}. Check measurement.command and its paths")
    tests = tests_of(facts)
    assert tests is not None
    bad = [c.id for c in tests.cases if c.status in {"failed", "error"}]
    if bad:
        text = (
            f"{len(bad)} of {len(tests.cases)} tests of the untouched base fail, such as {bad[0]}"
        )
        return _bad_base("TestsFail", f"{text}: mend or deselect them in measurement.command")
    if not tests.cases:
        return _bad_base("NoTests", "the test report of the untouched base has no test case")
    return Verdict.success("BaselineMeasured", f"{len(tests.cases)} tests pass", Measurements())


def _bad_base(reason: str, message: str) -> Verdict:
    return Verdict.invalid(reason, message, retry=False)


def nothing_left(task: Task, evidence: Evidence) -> bool:
    """Whether no test crosses over to the evaluator, whose tree would then be the base's."""
    return nothing_crossed(evidence, task.stages)


def grade(task: Task, evidence: Evidence) -> Verdict:
    """Success: at least one test added, all added pass, none broken, at least one line gained."""
    changes = changes_of(evidence, task.stages)
    if not evidence.baselines:
        return Verdict.invalid("BaselineMissing", "the task has no good baseline measurement")
    if nothing_left(task, evidence):
        return _no_test_left(task, evidence, changes)
    facts = evidence.evaluate
    step, problem = facts.step("measure"), report_problem(facts)
    # Reports of a command that was killed are not believed: they may be from any moment of it.
    if problem or (step and step.timed_out):
        text = problem.message if problem else "raise limits.evaluateSeconds if that is unfair"
        return _unmeasured(step, text, Measurements(changes=changes))
    delta = _delta(evidence)
    coverage = _coverage(evidence, facts)
    tests = _numbers(delta, evidence)
    measured = Measurements(tests=tests, coverage=coverage, changes=changes)
    return _judge(measured, tests, coverage, delta)


def _no_test_left(task: Task, evidence: Evidence, changes: ChangeNumbers | None) -> Verdict:
    """The tree is the base's, measured already: what another run differed by would be noise."""
    base = evidence.baselines[0]
    seen = _coverage(evidence, base)
    coverage = seen.model_copy(
        update={"after_covered": seen.base_covered, "gained_lines": 0, "lost_lines": 0}
    )
    found = tests_of(base)
    tests = TestNumbers(added=0, passed=0, failed=0, total=len(found.cases) if found else 0)
    measured = Measurements(tests=tests, coverage=coverage, changes=changes)
    if untouched(evidence, task.stages):
        return Verdict.failure("NoChanges", "the agent left the repository as it was", measured)
    text = "no test was added or changed: of what the agent did nothing else crosses over"
    return Verdict.failure("NoTestsAdded", text, measured)


def _unmeasured(step: object, message: str, measured: Measurements) -> Verdict:
    late = getattr(step, "timed_out", False)
    reason = "MeasureTimedOut" if late else "NoReport"
    text = "with what the agent left, the measure command " + (
        "ran past its limit" if late else "wrote no usable report, though it does for the base"
    )
    return Verdict.failure(reason, f"{text}: {message}", measured)


def _delta(evidence: Evidence) -> TestDelta:
    base = [t for t in map(tests_of, evidence.baselines) if t]
    after = tests_of(evidence.evaluate)
    assert after is not None
    return compare(base, after)


def _numbers(delta: TestDelta, evidence: Evidence) -> TestNumbers:
    after = tests_of(evidence.evaluate)
    return TestNumbers(
        added=len(delta.added),
        passed=len(delta.added_passed),
        failed=len(delta.added_failed),
        skipped=len(delta.added_skipped),
        # A test that is skipped now hides a failure as well as one that was removed.
        broken=len(delta.broken) + len(delta.newly_skipped),
        total=len(after.cases) if after else 0,
    )


def _coverage(evidence: Evidence, measured: StageFacts) -> CoverageNumbers:
    base = [c for c in map(coverage_of, evidence.baselines) if c]
    after = coverage_of(measured)
    assert after is not None
    result = gain(base, after)
    return CoverageNumbers(
        base_covered=result.base_covered,
        base_total=result.base_total,
        after_covered=result.after_covered,
        gained_lines=result.gained_lines,
        lost_lines=result.lost_lines,
    )


def _judge(
    measured: Measurements, tests: TestNumbers, coverage: CoverageNumbers, delta: TestDelta
) -> Verdict:
    if tests.added == 0:
        return Verdict.failure("NoTestsAdded", "no test was added that ran", measured)
    if tests.failed:
        text = f"{tests.failed} of {tests.added} added tests fail, such as {delta.added_failed[0]}"
        return Verdict.failure("AddedTestsFail", text, measured)
    if tests.passed == 0:
        return Verdict.failure("AddedTestsSkipped", "every added test is skipped", measured)
    if tests.broken:
        first = (*delta.broken, *delta.newly_skipped)[0]
        text = f"{tests.broken} tests of the base do not pass any more, such as {first}"
        return Verdict.failure("BrokeTests", text, measured)
    if coverage.gained_lines == 0:
        text = f"{tests.passed} added tests pass and cover no line that was not covered before"
        return Verdict.failure("NoCoverageGained", text, measured)
    text = f"{tests.passed} added tests pass and cover {coverage.gained_lines} more lines"
    return Verdict.success("CoverageGained", text, measured)
