"""Test cases of the evaluator's report, and what they are to the base: added, broken, as before."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchwright.api.facts import StageFacts
from benchwright.core.evaluation import tests_of
from benchwright.reports import words
from benchwright.testreports.compare import compare
from benchwright.testreports.model import Counts, Status, TestReport

MAX_CASES = 300
SIGNS = {"passed": "✓", "failed": "✗", "error": "✗", "skipped": "○"}
_NOTES = ("broken", "newly skipped", "added", "")
_WORST_FIRST = (Status.ERROR, Status.FAILED, Status.SKIPPED, Status.PASSED)


@dataclass(frozen=True, slots=True)
class CaseView:
    """One test. `note` is what it is to the base."""

    id: str
    status: str
    note: str


@dataclass(frozen=True, slots=True)
class CasesView:
    """What was broken or added first; `missing` says why there is none."""

    cases: Sequence[CaseView] = ()
    counts: Counts = field(default_factory=Counts)
    left_out: int = 0
    compared: bool = False
    missing: str = ""


def cases_view(
    baselines: Sequence[StageFacts], after: StageFacts | None, *, compared: bool
) -> CasesView:
    """`compared`: the report is of the base's own suite with the agent's tests (test writing)."""
    if after is None:
        return CasesView(missing="no evaluator ran in the attempt that counts, or it left no facts")
    report = tests_of(after)
    if report is None:
        problem = after.tests_problem
        said = f": {problem.reason}: {words.one_line(problem.message)}" if problem else ""
        return CasesView(missing=f"the evaluator's facts have no test report{said}")
    before = [t for t in map(tests_of, baselines) if t] if compared else []
    notes = _notes(before, report)
    ordered = sorted(
        report.cases,
        key=lambda c: (_NOTES.index(notes.get(c.id, "")), _WORST_FIRST.index(c.status), c.id),
    )
    shown = [
        CaseView(words.one_line(c.id, 400), c.status.value, notes.get(c.id, ""))
        for c in ordered[:MAX_CASES]
    ]
    left_out = max(0, len(ordered) - MAX_CASES)
    return CasesView(shown, report.counts, left_out, compared=bool(before))


def _notes(before: Sequence[TestReport], report: TestReport) -> dict[str, str]:
    if not before:
        return {}
    delta = compare(before, report)
    return {
        **dict.fromkeys(delta.added, "added"),
        **dict.fromkeys(delta.newly_skipped, "newly skipped"),
        **dict.fromkeys(delta.broken, "broken"),
    }
