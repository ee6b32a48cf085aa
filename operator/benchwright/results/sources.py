"""A task's source → one git bundle that holds one commit.

Agents must not find the future in the history (SWE-bench#465 and many more): only a tree is
taken, and it becomes a repository of one commit without remotes, tags or other objects. The commit
is deterministic, so the same tree is the same commit on every machine.
"""

import io
import tempfile
from pathlib import Path

from git.exc import GitError

from benchwright.changes.paths import has_git_name
from benchwright.results.archives import BROKEN, unpack
from benchwright.results.repositories import bundle, checkout
from benchwright.results.tree import Tree
from benchwright.tasks.errors import TaskError
from benchwright.tasks.load import LoadedTask


def make_bundle(task: LoadedTask, archive: Path | None, out: Path) -> None:
    """Write the bundle of `task` to `out`; blocking, so call it in a thread. Raises TaskError."""
    with tempfile.TemporaryDirectory(prefix="bw-source-") as folder:
        tree, name, source = Path(folder), task.task.name, task.task.source
        if source.archive:
            assert archive is not None
            extract(archive, tree, source.archive.strip_components, name)
        if source.git:
            checkout(source.git.url, source.git.commit, tree, name)
        _lay_over(task, tree)
        try:
            bundle(tree, out)
        except GitError as error:
            message = f"its source cannot be made a repository: {error}"
            raise TaskError("SourceUnusable", name, message) from error


def extract(archive: Path, into: Path, strip: int, task: str) -> None:
    """Unpack an archive; links out of the tree, devices and absolute names are refused."""
    try:
        unpack(archive, into, strip)
    except BROKEN as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else error
        message = f"the source archive cannot be unpacked as tar or zip: {said}"
        raise TaskError("ArchiveUnreadable", task, message) from error
    if not any(into.iterdir()):
        message = f"the source archive is empty after stripComponents: {strip}"
        raise TaskError("ArchiveUnreadable", task, message)


def _lay_over(task: LoadedTask, root: Path) -> None:
    """The workspace/ files. The source may have links where they go: none is written through."""
    tree = Tree(root)
    for path, data in task.starter.items():
        try:
            if has_git_name(path.encode("utf-8", "surrogateescape")):
                raise ValueError("git's own metadata cannot be part of the base")
            tree.file(path, io.BytesIO(data), size=len(data), executable=None)
        except (ValueError, OSError) as error:
            message = f"workspace/{path} cannot be laid over the source: {error}"
            raise TaskError("TaskInvalid", task.task.name, message) from error
