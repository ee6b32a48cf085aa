"""Small trees for the snapshot tests: bases in bare repositories, and what agents left."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchwright.changes.classify import Overrides
from benchwright.changes.model import FileChange
from benchwright.changes.overlay import Policy, select
from benchwright.harness.snapshot.apply import apply
from benchwright.harness.snapshot.baserepo import BASE
from benchwright.harness.snapshot.limits import Limits
from benchwright.harness.snapshot.result import SnapshotResult
from benchwright.harness.snapshot.take import take


@dataclass(frozen=True)
class File:
    data: bytes = b""
    executable: bool = False


@dataclass(frozen=True)
class Link:
    target: bytes


Node = File | Link
Tree = Mapping[bytes, Node]


def text(*lines: str) -> File:
    return File("".join(line + "\n" for line in lines).encode())


def make_base(repo: Path, tree: Tree) -> Path:
    """A bare repository as `baserepo.create` leaves it, made by git fast-import."""
    (repo / "objects").mkdir(parents=True)
    (repo / "refs").mkdir()
    (repo / "HEAD").write_text("ref: refs/heads/none\n")
    (repo / "config").write_text("[core]\n\tbare = true\n\trepositoryformatversion = 0\n")
    stream = [b"commit %b\ncommitter a <a@b> 0 +0000\ndata 0\n" % BASE.encode()]
    for path, node in tree.items():
        data = node.target if isinstance(node, Link) else node.data
        quoted = b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"'
        stream.append(b"M %b inline %b\ndata %d\n%b\n" % (_mode(node), quoted, len(data), data))
    subprocess.run(
        ["git", "fast-import", "--quiet", "--done"],
        input=b"".join(stream) + b"\ndone\n",
        env={**os.environ, "GIT_DIR": str(repo)},
        check=True,
    )
    return repo


def _mode(node: Node) -> bytes:
    if isinstance(node, Link):
        return b"120000"
    return b"100755" if node.executable else b"100644"


def write_tree(root: Path, tree: Tree) -> Path:
    for path, node in tree.items():
        put(root, path, node)
    root.mkdir(parents=True, exist_ok=True)
    return root


def put(root: Path, path: bytes, node: Node) -> None:
    place = root / os.fsdecode(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(node, Link):
        place.symlink_to(os.fsdecode(node.target))
        return
    place.write_bytes(node.data)
    place.chmod(0o755 if node.executable else 0o644)


def read_tree(root: Path) -> dict[bytes, Node]:
    return {os.fsencode(place.relative_to(root)): node for place, node in _read(root)}


def _read(directory: Path) -> Iterator[tuple[Path, Node]]:
    for place in directory.iterdir():
        if place.is_symlink():
            yield place, Link(os.fsencode(place.readlink()))
        elif place.is_dir():
            yield from _read(place)
        elif place.is_file():
            yield place, File(place.read_bytes(), bool(place.stat().st_mode & 0o100))


class Case:
    """A base, an agent's workspace that starts as its copy, and what comes of them."""

    def __init__(self, top: Path, base: Tree) -> None:
        self.top = top
        self.base = dict(base)
        self.repo = make_base(top / "base.git", base)
        self.workspace = write_tree(top / "volume" / "repo", base)
        self.out = top / "out"

    def put(self, path: bytes, node: Node) -> None:
        self.place(path).unlink(missing_ok=True)
        put(self.workspace, path, node)

    def delete(self, path: bytes) -> None:
        self.place(path).unlink()

    def place(self, path: bytes) -> Path:
        return self.workspace / os.fsdecode(path)

    def take(
        self, limits: Limits | None = None, overrides: Overrides | None = None
    ) -> SnapshotResult:
        return take(self.workspace, self.repo, self.out, limits, overrides=overrides)

    def applied(self, result: SnapshotResult, policy: Policy = Policy.EVERYTHING) -> Tree:
        """The base with the overlay on it."""
        fresh = write_tree(self.top / f"fresh-{policy}", self.base)
        done = apply(fresh, result.overlay, select(result.manifest, policy))
        assert done.refused == []
        return read_tree(fresh)


def changed(result: SnapshotResult) -> dict[bytes, FileChange]:
    return {change.path: change for change in result.changes.changed}


def kinds(result: SnapshotResult) -> dict[bytes, str]:
    return {entry.path: str(entry.kind) for entry in result.manifest.entries}
