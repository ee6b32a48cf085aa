"""Our cgroup: everything that runs in the cluster is below it, so it says what is ours.

Version 2 has one tree. Version 1 has one a controller: there the daemons are put in the tree of
`pids` only, and every tree gets the folder for the kubelet to put pods below.
"""

import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cluster.errors import ClusterError
from cluster.settings import NODE_NAME

ROOT = Path("/sys/fs/cgroup")
NEEDED = ("cpu", "memory", "pids")


@dataclass(frozen=True)
class Hierarchies:
    """The machine's cgroup trees by controller; version 2 has the one tree for all."""

    trees: dict[str, Path]
    unified: bool

    @property
    def ours(self) -> list[Path]:
        return [tree / NODE_NAME for tree in dict.fromkeys(self.trees.values())]

    @property
    def daemons(self) -> Path:
        return self.trees["pids"] / NODE_NAME / "daemons"


def parse_mounts(text: str) -> Hierarchies:
    """Read /proc/mounts. Where both versions are mounted, the kubelet uses version 1."""
    v1: dict[str, Path] = {}
    v2: Path | None = None
    for line in text.splitlines():
        _, folder, kind, options = line.split()[:4]
        if kind == "cgroup":
            v1.update({controller: Path(folder) for controller in options.split(",")})
        elif kind == "cgroup2":
            v2 = Path(folder)
    if v2 == ROOT:
        return Hierarchies(dict.fromkeys(NEEDED, v2), unified=True)
    plain = ("rw", "ro", "nosuid", "nodev", "noexec", "relatime")
    trees = {name: folder for name, folder in v1.items() if name not in plain}
    if v2 is not None:
        trees["unified"] = v2
    return Hierarchies(trees, unified=False)


def hierarchies() -> Hierarchies:
    return parse_mounts(Path("/proc/mounts").read_text())


def create() -> Path:
    """Make the cgroup in every tree and return the one for the daemons."""
    trees = hierarchies()
    if trees.unified:
        _delegate(ROOT)
    for folder in trees.ours:
        folder.mkdir(exist_ok=True)
    if trees.unified:
        _delegate(trees.ours[0])
    _give_weight(trees)
    trees.daemons.mkdir(exist_ok=True)
    return trees.daemons


def _delegate(folder: Path) -> None:
    """Version 2 hands controllers down only where it is asked to."""
    available = (folder / "cgroup.controllers").read_text().split()
    missing = [name for name in NEEDED if name not in available]
    if missing:
        raise ClusterError(
            f"{folder} lacks the cgroup controllers {', '.join(missing)}",
            "boot with them enabled (cgroup_enable=memory), or leave the container that hides them",
        )
    try:
        (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in available))
    except OSError as error:
        raise ClusterError(
            f"{folder} cannot hand down its controllers: {error.strerror}",
            "in a container, its processes must be in a cgroup of their own below the root",
        ) from error


def _give_weight(trees: Hierarchies) -> None:
    """As a whole the cluster weighs as much as its share of processors, not as one process."""
    processors = os.cpu_count() or 1
    folder = trees.trees["cpu"] / NODE_NAME
    name, value = ("cpu.weight", 100) if trees.unified else ("cpu.shares", 1024)
    (folder / name).write_text(str(min(value * processors, 10_000)))


def members() -> set[int]:
    """Every process of the cluster: daemons, container shims and what runs in pods."""
    tree = hierarchies().trees.get("pids", ROOT) / NODE_NAME
    found: set[int] = set()
    for folder in (tree, *_below(tree)):
        with suppress(OSError):
            found.update(int(pid) for pid in (folder / "cgroup.procs").read_text().split())
    return found


def kill_members(timeout: float = 20) -> set[int]:
    """End every process of the cluster at once, again until none is left; returns survivors."""
    deadline = time.monotonic() + timeout
    while (pids := members()) and time.monotonic() < deadline:
        for pid in pids:
            _kill(pid)
        time.sleep(0.02)
    return pids


def _kill(pid: int) -> None:
    """Kill it if it is still ours: a handle, unlike an id, cannot come to mean another process."""
    with suppress(ProcessLookupError):
        handle = os.pidfd_open(pid)
        try:
            if pid in members():
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        finally:
            os.close(handle)


def remove(timeout: float = 10) -> list[Path]:
    """Remove the empty folders; the kernel may need a moment until they are. Returns what stays."""
    deadline = time.monotonic() + timeout
    while left := [folder for folder in hierarchies().ours if folder.exists()]:
        for tree in left:
            for folder in (*sorted(_below(tree), reverse=True), tree):
                with suppress(OSError):
                    folder.rmdir()
        if time.monotonic() > deadline:
            break
        time.sleep(0.02)
    return left


def _below(folder: Path) -> list[Path]:
    return [Path(path) for path, _, _ in os.walk(folder) if Path(path) != folder]
