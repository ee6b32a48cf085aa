"""Which rules grade which kind of task, and whether there is anything to evaluate at all."""

from benchwright.api.task import Task
from benchwright.core import repair, testrunning, testwriting
from benchwright.core.verdict import Evidence, Grader, Verdict, with_agent_end

_NOTHING_LEFT = {
    "testWriting": testwriting.nothing_left,
    "testRunning": testrunning.nothing_left,
}
_GRADERS: dict[str, Grader] = {
    "testWriting": testwriting.grade,
    "testRunning": testrunning.grade,
    "repair": repair.grade,
}


def grade(task: Task, purpose: str, evidence: Evidence) -> Verdict:
    """The verdict of a complete attempt."""
    if purpose == "baseline":
        return testwriting.grade_baseline(task, evidence)
    return with_agent_end(task, evidence, _GRADERS[task.kind])


def evaluator_needed(task: Task, evidence: Evidence) -> bool:
    """Whether an evaluator would see anything but the untouched base, once all stages have facts.

    Where it would not, a pod costs time and money, and what it measured could only be noise.
    """
    nothing_left = _NOTHING_LEFT.get(task.kind)
    return nothing_left is None or not nothing_left(task, evidence)
