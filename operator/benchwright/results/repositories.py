"""Git as the results service uses it: the tree of one commit, and one tree as a bundle of one commit.

The repository is never in the tree, so that nothing in the tree (`.git`, a link of that name) can
speak for it; and attributes of the tree have no say in its bytes.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from git import Git
from git.exc import GitError

from benchwright.changes import paths
from benchwright.changes.verbatim import ATTRIBUTES
from benchwright.results.tree import MAX_BYTES, MAX_FILES, problem_of
from benchwright.tasks.errors import TaskError

FETCH_SECONDS = 600
_WHEN = "2000-01-01T00:00:00+0000"
_CONFIG = {
    "core.autocrlf": "false",
    "core.fileMode": "true",
    "core.symlinks": "true",
    "gc.auto": "0",  # it would go on in the background while the folder is removed
    "maintenance.auto": "false",
    "pack.threads": "1",  # two threads find other deltas each time
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
}
_ENVIRONMENT = {
    **dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), _WHEN),
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Benchwright"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "benchwright@localhost"),
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_COUNT": str(len(_CONFIG)),
    **{f"GIT_CONFIG_KEY_{n}": key for n, key in enumerate(_CONFIG)},
    **{f"GIT_CONFIG_VALUE_{n}": value for n, value in enumerate(_CONFIG.values())},
}


def checkout(url: str, commit: str, into: Path, task: str) -> None:
    """The tree of one commit of a repository elsewhere, in an empty folder. Raises TaskError."""
    with _repository(into) as git:
        fetch = ["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"]
        try:
            _run(git, *fetch, "--", url, commit, seconds=FETCH_SECONDS)
            _check_tree(git, task)
            _run(git, "reset", "--quiet", "--hard", "FETCH_HEAD")
        except GitError as error:
            message = f"source.git: commit {commit} of {url} cannot be fetched: {_said(error)}"
            raise TaskError("GitFetchFailed", task, message) from error


def bundle(tree: Path, out: Path) -> None:
    """The bundle of a tree: one commit, the same for the same tree. Raises GitError."""
    with _repository(tree) as git:
        # Ignored files of a source belong to the base too.
        _run(git, "add", "--all", "--force")
        _run(git, "commit", "--quiet", "--allow-empty", "--no-verify", "-m", "Base")
        _run(git, "bundle", "create", "--quiet", str(out.absolute()), "main", "HEAD")


@contextmanager
def _repository(tree: Path) -> Iterator[Git]:
    with tempfile.TemporaryDirectory(prefix="bw-git-") as folder:
        git = Git(tree)
        git.update_environment(GIT_DIR=folder, GIT_WORK_TREE=str(tree), **_ENVIRONMENT)
        _run(git, "init", "--quiet", "--template=", "--initial-branch=main", "--object-format=sha1")
        info = Path(folder) / "info"
        info.mkdir()
        (info / "attributes").write_text(ATTRIBUTES)
        yield git


def _run(git: Git, *args: str, seconds: float | None = None) -> bytes:
    return git.execute(["git", *args], stdout_as_string=False, kill_after_timeout=seconds)


def _said(error: GitError) -> str:
    """Git's own words, without the command line."""
    lines = [line.strip() for line in str(error).strip().splitlines()]
    line = next((line for line in lines if "fatal: " in line), lines[-1])
    return line.removeprefix("stderr: ").strip("'")


def _check_tree(git: Git, task: str) -> None:
    """Before anything is written: a tree is as hostile as an archive."""
    listed = _run(git, "ls-tree", "-r", "-l", "-z", "--full-tree", "FETCH_HEAD").split(b"\0")
    total = 0
    for record in listed[:-1]:
        header, path = record.split(b"\t", 1)
        _mode, kind, _id, size = header.split()
        if kind == b"commit":
            text = f"source.git has a submodule at {paths.show(path)}: they are not supported yet"
            raise TaskError("Submodules", task, text)
        total += int(size)
        if problem := problem_of(path):
            raise TaskError("SourceUnusable", task, f"source.git: {paths.show(path)}: {problem}")
    if total > MAX_BYTES or len(listed) > MAX_FILES:
        text = f"source.git is larger than {MAX_FILES} files or {MAX_BYTES} bytes"
        raise TaskError("SourceUnusable", task, text)
