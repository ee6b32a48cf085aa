"""Which files a task directory may hold, and what is wrong with others (pure)."""

from collections.abc import Mapping
from difflib import get_close_matches

from benchwright.api.task import Task
from benchwright.tasks.errors import TaskError

Files = Mapping[str, bytes]
TASK_FILE, PROMPT_FILE = "task.yaml", "prompt.md"
PROMPTS, WORKSPACE, EVALUATION = "prompts/", "workspace/", "evaluation/"
UNGRADED = ("solutions/", "mutants/")
"""Kept for certification: they cannot change a verdict."""
_FOLDERS = (PROMPTS, WORKSPACE, EVALUATION, *UNGRADED)
MAX_TASK_BYTES = 64 * 1024 * 1024


def beside(path: str) -> bool:
    """Whether a file is no part of the task: what people and tools put beside it, and hidden files."""
    hidden = path.startswith(".") and path.split("/")[0] not in {".", ".."}
    return hidden or path == "README.md" or (path.startswith("LICENSE") and "/" not in path)


def check(task: Task, files: Files) -> None:
    """Every file has a meaning: a misspelt folder would otherwise be left unread. Raises TaskError."""
    for path in files:
        problem = _bad_path(path) or _unknown(path) or _unread_prompt(task, path)
        if problem:
            raise TaskError("TaskInvalid", task.name, f"file {path!r} {problem}", file=path)
    strange = next((stage for stage in task.prompts if stage not in task.stages), None)
    if strange is not None:
        raise TaskError("TaskInvalid", task.name, f"prompts.{strange} {_no_stage(task)}")
    both = next((p for p in files if any(q.startswith(f"{p}/") for q in files)), None)
    if both:
        text = f"{both!r} is both a file and a folder: rename one"
        raise TaskError("TaskInvalid", task.name, text, file=both)
    if sum(map(len, files.values())) > MAX_TASK_BYTES:
        raise TaskError(
            "TaskInvalid", task.name, f"its files are larger than {MAX_TASK_BYTES} bytes"
        )


def _bad_path(path: str) -> str | None:
    parts = path.split("/")
    if path.startswith("/") or any(p in {"", ".", ".."} for p in parts) or "\0" in path:
        return "has no place: a relative path without .. is needed"
    return None


def _unknown(path: str) -> str | None:
    if path == PROMPT_FILE or path.startswith(_FOLDERS):
        return None
    top, slash, _ = path.partition("/")
    close = get_close_matches(top + slash, (PROMPT_FILE, *_FOLDERS), n=1)
    meant = f"did you mean {close[0]}? A" if close else "a"
    return (
        f"belongs nowhere: {meant} task directory has {TASK_FILE}, {PROMPT_FILE}, {PROMPTS}, "
        f"{WORKSPACE} (the agent sees it), {EVALUATION} (hidden), {' and '.join(UNGRADED)}; "
        "README.md, LICENSE and hidden files may stand beside them"
    )


def _unread_prompt(task: Task, path: str) -> str | None:
    """A misspelt stage would leave the agent with another prompt than its author meant."""
    read = {f"{PROMPTS}{stage}.md" for stage in task.stages}
    return _no_stage(task) if path.startswith(PROMPTS) and path not in read else None


def _no_stage(task: Task) -> str:
    stages = " and ".join(task.stages)
    return f"is the prompt of no stage: a task of kind {task.kind} has {stages}"
