"""End a cluster, in whatever state it is, and check that nothing of it is left.

What is ours is told by the cgroup (processes), the state folder (mounts, files), and names that
only we use (the interface, marked firewall rules). The node's own interfaces, rules and mounts are
in namespaces that end with the last process.
"""

import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from cluster import cgroups, network, sysctls
from cluster.commands import attempt
from cluster.errors import ClusterError
from cluster.state import State


def clean(state: State) -> None:
    """Remove everything; raises where something stays."""
    survivors = cgroups.kill_members()
    if survivors:
        raise ClusterError(f"processes cannot be ended: {sorted(survivors)}")
    sysctls.restore(state)
    network.disconnect()
    _unmount(state.folder)
    _remove_mount_points(state.mount_points)
    cgroups.remove()
    _remove_folder(state.folder)


def anything_there(state: State) -> bool:
    """Whether there is something to clean: a quick look."""
    return state.folder.exists() or any(path.exists() for path in cgroups.hierarchies().ours)


def mounts_below(folder: Path, mounts: Iterable[str]) -> list[str]:
    """Mount points inside the folder, the innermost first, from lines of /proc/self/mounts."""
    points = (line.split()[1].encode().decode("unicode_escape") for line in mounts)
    ours = {point for point in points if Path(point).is_relative_to(folder)}
    return sorted(ours, key=len, reverse=True)


def _mounts(folder: Path) -> list[str]:
    return mounts_below(folder, Path("/proc/self/mounts").read_text().splitlines())


def _unmount(folder: Path) -> None:
    """There are none on the machine's side, unless somebody made one by hand."""
    for point in _mounts(folder):
        attempt("umount", "--lazy", point)


def _remove_mount_points(paths: list[str]) -> None:
    for path in paths:
        with suppress(OSError):  # somebody else has begun to use it
            Path(path).rmdir()


def _remove_folder(folder: Path) -> None:
    if _mounts(folder):
        raise ClusterError(f"something is mounted below {folder}, so it is not removed")
    # The kernel lets go of the last mounts of a namespace a moment after its last process.
    deadline = time.monotonic() + 5
    while folder.exists():
        try:
            shutil.rmtree(folder)
        except OSError as error:
            if time.monotonic() > deadline:
                raise ClusterError(f"{folder} cannot be removed: {error}") from error
            time.sleep(0.1)


def leftovers(state: State) -> list[str]:
    """A line for each thing that should be gone and is not."""
    found = [f"process {pid}" for pid in sorted(cgroups.members())]
    found += [f"cgroup {path}" for path in cgroups.hierarchies().ours if path.exists()]
    found += [f"mount {point}" for point in _mounts(state.folder)]
    found += network.leftovers()
    if state.folder.exists():
        found.append(f"folder {state.folder}")
    return found
