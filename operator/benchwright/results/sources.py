"""A task's source → one git bundle that holds one commit.

Agents must not find the future in the history (SWE-bench#465 and many more): only a tree is
taken, and it becomes a repository of one commit without remotes, tags or other objects. The commit
is deterministic, so the same tree is the same commit on every machine.
"""

import shutil
import tempfile
from pathlib import Path

from git import Repo
from git.exc import GitError

from benchwright.results.archives import BROKEN, unpack
from benchwright.tasks.errors import TaskError
from benchwright.tasks.load import LoadedTask

_WHEN = "2000-01-01T00:00:00+0000"


def make_bundle(task: LoadedTask, archive: Path | None, out: Path) -> None:
    """Write the bundle of `task` to `out`; blocking, so call it in a thread."""
    with tempfile.TemporaryDirectory(prefix="bw-source-") as folder:
        tree = Path(folder) / "tree"
        tree.mkdir()
        source = task.task.source
        if source.archive:
            assert archive is not None
            extract(archive, tree, source.archive.strip_components, task.task.name)
        if source.git:
            checkout(source.git.url, source.git.commit, tree, task.task.name)
        for path, data in task.starter.items():
            target = tree / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        _bundle(tree, out)


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


def checkout(url: str, commit: str, into: Path, task: str) -> None:
    """The tree of one commit, without its repository."""
    with tempfile.TemporaryDirectory(prefix="bw-clone-") as folder:
        try:
            repo = Repo.init(folder)
            repo.git.fetch("--depth=1", "--no-tags", "--", url, commit)
            repo.git.checkout("--quiet", "FETCH_HEAD")
        except GitError as error:
            said = str(error).strip().splitlines()[-1]
            message = f"source.git: commit {commit} of {url} cannot be fetched: {said}"
            raise TaskError("GitFetchFailed", task, message) from error
        if repo.git.ls_files("--stage").find("160000 ") == 0:
            raise TaskError(
                "Submodules", task, "source.git has submodules, which are not supported yet"
            )
        shutil.rmtree(Path(folder) / ".git")
        shutil.copytree(folder, into, symlinks=True, dirs_exist_ok=True)


def _bundle(tree: Path, out: Path) -> None:
    shutil.rmtree(tree / ".git", ignore_errors=True)
    repo = Repo.init(tree, initial_branch="main")
    env = {
        "GIT_AUTHOR_DATE": _WHEN, "GIT_COMMITTER_DATE": _WHEN,
        "GIT_AUTHOR_NAME": "Benchwright", "GIT_AUTHOR_EMAIL": "benchwright@localhost",
        "GIT_COMMITTER_NAME": "Benchwright", "GIT_COMMITTER_EMAIL": "benchwright@localhost",
        "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
    }  # fmt: skip
    with repo.git.custom_environment(**env):
        # Ignored files of an archive belong to the base too; attributes must not rewrite bytes.
        repo.git.execute(
            [
                "git",
                "-c",
                "core.autocrlf=false",
                "-c",
                "core.attributesFile=/dev/null",
                "add",
                "--all",
                "--force",
            ]
        )
        repo.git.execute(["git", "commit", "--quiet", "--allow-empty", "--no-verify", "-m", "Base"])
        repo.git.execute(["git", "bundle", "create", "--quiet", str(out), "main", "HEAD"])
