"""The bare repository that the harness owns: one commit, the base, and nothing else to find."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from benchwright.changes import paths
from benchwright.changes.modes import EXECUTABLE, FILE, SYMLINK
from benchwright.changes.verbatim import ATTRIBUTES

from . import git
from .blobs import Blobs

BASE = "refs/benchwright/base"
_TIMEOUT = 120.0
_AGENT_CONFIG = """\tfilemode = true
\tbare = false
\tlogallrefupdates = true
[user]
\tname = agent
\temail = agent@localhost
"""


class BaseError(ValueError):
    """The bundle is not one commit with plain content (a harness's or task's mistake)."""


@dataclass(frozen=True, slots=True)
class BaseFile:
    """A file of the base: git's mode (0o100644, 0o100755, 0o120000), blob id, bytes."""

    mode: int
    id: str
    size: int


BaseTree = dict[bytes, BaseFile]


def create(bundle: Path, repo: Path) -> str:
    """Make `repo` (which must not exist) from a bundle of exactly one commit; the commit's id.

    HEAD stays unborn, so that no attributes are read from it. BaseError where the bundle has more
    or less than one commit, or a commit with parents (history that an answer could be read from);
    GitError where it is no bundle.
    """
    make_empty(repo, "\tbare = true\n")
    listed = git.run(repo, ["bundle", "unbundle", str(bundle.absolute())], timeout=_TIMEOUT)
    heads = {line.split(b" ", 1)[0].decode("ascii") for line in listed.splitlines()}
    if len(heads) != 1:
        raise BaseError(f"a bundle of {len(heads)} heads, not one")
    commit = heads.pop()
    header = git.run(repo, ["cat-file", "commit", commit]).partition(b"\n\n")[0]
    if b"\nparent " in header:
        raise BaseError("the base commit has a parent: history must not be in the bundle")
    _write_ref(repo, BASE, commit)
    return commit


def make_empty(repo: Path, config: str) -> None:
    """What `git init` with an empty template makes, without a process: pods start many at a time."""
    (repo / "objects" / "pack").mkdir(parents=True)
    (repo / "objects" / "info").mkdir()
    (repo / "refs" / "heads").mkdir(parents=True)
    (repo / "HEAD").write_text("ref: refs/heads/main\n")
    (repo / "config").write_text(f"[core]\n\trepositoryformatversion = 0\n{config}")


def clone(base: Path, commit: str, worktree: Path) -> None:
    """The agent's repository: the base on branch main, and nothing else to find: no remote, no
    tag, no reflog, no hook, no other object. `worktree` must not exist."""
    repo = worktree / ".git"
    make_empty(repo, _AGENT_CONFIG)
    for file in (base / "objects" / "pack").iterdir():
        shutil.copyfile(file, repo / "objects" / "pack" / file.name)
    _write_ref(repo, "refs/heads/main", commit)
    # The blobs' very bytes: what a .gitattributes converts would look changed by the agent.
    attributes = repo / "info" / "attributes"
    attributes.parent.mkdir()
    attributes.write_text(ATTRIBUTES)
    # The one command with a work tree: no agent has been near it.
    check_out = [f"--work-tree={worktree.absolute()}", "read-tree", "-u", "--reset", "HEAD"]
    git.run(repo, check_out, timeout=_TIMEOUT)
    shutil.rmtree(attributes.parent)


def _write_ref(repo: Path, ref: str, commit: str) -> None:
    path = repo / ref
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{commit}\n")


def list_tree(repo: Path) -> BaseTree:
    """Every file of the base by path. BaseError for a submodule, whose content is not here (its
    files would all look added), and for a path that no tree may hold."""
    output = git.run(repo, ["ls-tree", "-r", "-z", "-l", "--full-tree", BASE], timeout=_TIMEOUT)
    return dict(map(_parse, output.split(b"\0")[:-1]))


def _parse(record: bytes) -> tuple[bytes, BaseFile]:
    header, path = record.split(b"\t", 1)
    mode, kind, blob, size = header.split()
    if kind != b"blob":
        raise BaseError(f"submodule at {paths.show(path)}: its content must be in the base")
    if (problem := paths.problem(path)) is not None:
        raise BaseError(f"{paths.show(path)}: {problem}")
    return path, BaseFile(_mode(int(mode, 8)), blob.decode("ascii"), int(size))


def _mode(mode: int) -> int:
    """Trees of old tools hold modes such as 100664; git itself reads them so."""
    if mode & 0o170000 == SYMLINK:
        return SYMLINK
    return EXECUTABLE if mode & 0o100 else FILE


def materialise(repo: Path, target: Path) -> None:
    """Write the base below `target` (a new or empty directory): the blobs' very bytes.

    No checkout, so no attribute, filter or end-of-line conversion has a say; then a file differs
    from its blob only where somebody changed it. Modes are 0644 and 0755.
    """
    tree = list_tree(repo)
    top = os.fsencode(target.absolute())
    for directory in sorted({b"", *(path.rpartition(b"/")[0] for path in tree)}):
        os.makedirs(os.path.join(top, directory), exist_ok=True)  # noqa: PTH103, PTH118 (bytes)
    # Symlinks last: no file may be written through one.
    ordered = sorted(tree.items(), key=lambda item: (item[1].mode == SYMLINK, item[0]))
    with Blobs(repo) as blobs:
        for path, file in ordered:
            data = blobs.read(file.id)
            if file.mode == SYMLINK:
                os.symlink(data, os.path.join(top, path))  # noqa: PTH118, PTH211
            else:
                _write(os.path.join(top, path), data, file.mode & 0o777)  # noqa: PTH118


def _write(path: bytes, data: bytes, mode: int) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    with open(fd, "wb") as file:  # noqa: PTH123
        os.fchmod(fd, mode)
        file.write(data)
