"""Task directories of a checked-out repository, read as hostile."""

from collections.abc import Iterator
from pathlib import Path

from benchwright.tasks.errors import TaskError
from benchwright.tasks.layout import MAX_TASK_BYTES, beside

Files = dict[str, bytes]
MAX_BYTES = 4 * MAX_TASK_BYTES
"""Of all tasks together: they are in memory at once."""


def read(root: Path, path: str) -> dict[str, Files]:
    """Directory name → its files, of every directory right below `path` that has a task.yaml."""
    folders = [f for f in sorted(_inside(root, path).iterdir()) if _is_task(f)]
    total, found = 0, {}
    for folder in folders:
        files = list(_files(folder))
        total += sum(f.stat().st_size for f in files)
        if total > MAX_BYTES:
            text = f"the tasks are larger than {MAX_BYTES} bytes together"
            raise TaskError("PackTooLarge", "source.git", text)
        found[folder.name] = {f.relative_to(folder).as_posix(): f.read_bytes() for f in files}
    return found


def _inside(root: Path, path: str) -> Path:
    at = root
    for part in path.split("/"):
        at = at / part
        if part == ".." or at.is_symlink() or not at.is_dir():
            text = f"{path!r} is no folder of the repository"
            raise TaskError("NoTasks", "source.git.path", text)
    return at


def _is_task(folder: Path) -> bool:
    return not folder.is_symlink() and (folder / "task.yaml").is_file()


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if beside(name):
            continue
        if path.is_symlink():
            text = f"{folder.name}/{name} is a link: put the file itself there"
            raise TaskError("TaskInvalid", folder.name, text)
        if path.is_file():
            yield path
