"""Task directories on disk: read, check."""

from functools import cache
from pathlib import Path

from pydantic import BaseModel

from benchwright.api.schema import structural
from benchwright.api.task import TASK_RULES, Task
from benchwright.cli.check import check_part
from benchwright.cli.documents import Document, read
from benchwright.cli.findings import Finding
from benchwright.cli.wording import Schema
from benchwright.tasks.errors import TaskError
from benchwright.tasks.layout import MAX_TASK_BYTES, TASK_FILE, beside
from benchwright.tasks.load import LoadedTask, build


def is_task(folder: Path) -> bool:
    return (folder / TASK_FILE).is_file()


def read_files(folder: Path) -> tuple[dict[str, bytes], list[Finding]]:
    """Files of the task in a directory by relative path. Links lead outside and are refused."""
    files: dict[str, bytes] = {}
    total = 0
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if beside(name) or (path.is_dir() and not path.is_symlink()):
            continue
        if path.is_symlink() or not path.is_file():
            text = "is no plain file: links and devices have no place in a task directory"
            return {}, [Finding(str(path), "", "", text)]
        total += path.stat().st_size
        if total > MAX_TASK_BYTES:
            text = f"the task directory is larger than {MAX_TASK_BYTES} bytes: make it smaller"
            return {}, [Finding(str(folder), "", "", text)]
        files[name] = path.read_bytes()
    return files, []


def check_task(folder: Path) -> tuple[LoadedTask | None, list[Finding]]:
    """The task of a directory, or what is wrong with it."""
    try:
        files, findings = read_files(folder)
    except OSError as error:
        return None, [Finding(error.filename or str(folder), "", "", f"{error.strerror}")]
    documents, wrong = read(folder / TASK_FILE)
    findings += wrong
    if len(documents) != 1 and not findings:
        text = f"holds {len(documents)} YAML documents instead of one"
        findings.append(Finding(str(folder / TASK_FILE), "", "", text))
    if findings:
        return None, findings
    task, findings = _task(documents[0])
    if not isinstance(task, Task):
        return None, findings
    return load(folder, task, files, documents[0])


def _task(document: Document) -> tuple[BaseModel | None, list[Finding]]:
    name = document.data.get("name")
    subject = f"Task/{name if isinstance(name, str) else '?'}"
    return check_part(document, Task, (), _schema, subject=subject)


@cache
def _schema() -> Schema:
    return structural(Task, {"Task": TASK_RULES})


def load(
    folder: Path, task: Task, files: dict[str, bytes], document: Document
) -> tuple[LoadedTask | None, list[Finding]]:
    """Files, prompts and digest, by the rules of the results service."""
    rest = {path: data for path, data in files.items() if path != TASK_FILE}
    try:
        return build(task, rest), []
    except TaskError as error:
        where = str(folder / error.file) if error.file else document.where()
        return None, [Finding(where, f"Task/{task.name}", "", error.message)]
