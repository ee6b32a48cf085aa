"""Repair: criteria, each a command in the evaluator."""

from benchwright.api.measurements import CriterionResult, Finding, Measurements
from benchwright.api.task import Criterion, Task
from benchwright.core.evaluation import changes_of, untouched
from benchwright.core.verdict import Evidence, Verdict

_SOLVED = Finding(
    reason="SolvedWithoutChange",
    message="passes without any change: the task may be solved already; check its criteria",
)


def grade(task: Task, evidence: Evidence) -> Verdict:
    """Success: every required criterion passes. The weighted score is secondary."""
    results = tuple(_result(c, evidence) for c in task.criteria)
    whole = sum(r.weight for r in results)
    missed = [r.name for r in results if r.required and not r.passed]
    measured = Measurements(
        criteria=results,
        criterion_score=sum(r.weight for r in results if r.passed) / whole if whole else None,
        changes=changes_of(evidence, task.stages),
        findings=(_SOLVED,) if not missed and untouched(evidence, task.stages) else (),
    )
    passed = sum(r.passed for r in results)
    text = f"{passed} of {len(results)} criteria pass"
    if missed:
        return Verdict.failure(
            "CriteriaFailed", f"{text}; required but failed: {', '.join(missed)}", measured
        )
    return Verdict.success("CriteriaPassed", text, measured)


def _result(criterion: Criterion, evidence: Evidence) -> CriterionResult:
    step = evidence.evaluate.step(f"criterion-{criterion.name}")
    passed = step is not None and step.exit_code == 0 and not step.timed_out
    return CriterionResult(
        name=criterion.name, passed=passed, required=criterion.required, weight=criterion.weight
    )
