"""Which rules grade which kind of task."""

from benchwright.api.task import Task
from benchwright.core import repair, testrunning, testwriting
from benchwright.core.verdict import Evidence, Grader, Verdict, with_agent_end

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
