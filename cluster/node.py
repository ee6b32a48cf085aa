"""The node's own network and mount namespace, which all of the cluster's daemons live in.

So the cluster's interfaces, firewall rules and mounts never mix with the machine's, whatever else
runs on it (Docker, another Kubernetes), and they are gone with the last process.
"""

import shlex
import time
from pathlib import Path

from cluster import cgroups
from cluster.commands import run
from cluster.errors import ClusterError
from cluster.processes import identify, spawn
from cluster.settings import RUNTIME
from cluster.state import HOLDER, State
from cluster.sysctls import stand_ins

PRIVATE_FOLDERS = {
    "/run/containerd": "run",
    "/var/lib/containerd": "containerd",
    "/var/lib/kubelet": "kubelet",
    "/var/lib/cni": "cni/results",
    "/var/log/pods": "pod-logs",
    "/var/log/containers": "container-logs",
}
"""Paths fixed in the programs → folder of the state, mounted there inside the node only."""


def start(state: State, programs: Path) -> None:
    """Start the process that holds the namespaces, and mount what is to be private."""
    make_mount_points(state)
    argv = ["unshare", "--net", "--mount", "--propagation", "slave", str(programs / "pause")]
    state.processes[HOLDER] = spawn(HOLDER, argv, cgroups.create(), state.logs)
    state.save()
    _wait_for_namespaces(state, programs / "pause")
    _mount(state)


def _mount(state: State) -> None:
    over = stand_ins(state.folder / "sysctls")
    for path, folder in PRIVATE_FOLDERS.items():
        over[Path(path)] = state.folder / folder
        over[Path(path)].mkdir(parents=True, exist_ok=True)
    hidden = [f"umount {shlex.quote(str(tree))}" for tree in _second_cgroup_tree()]
    # Shared, as pods may share mounts with each other through the node, as everywhere else.
    mounts = [f"mount --bind {shlex.quote(str(what))} {path}" for path, what in over.items()]
    lines = ["set -e", *hidden, "mount --make-rshared /", *mounts, *_read_only_runtime(state)]
    inside(state, "sh", "-c", "\n".join(lines))


def _read_only_runtime(state: State) -> list[str]:
    """crun where nobody can write it: see `components.RUNTIME_IS_SAFE`."""
    path = state.folder / RUNTIME
    path.touch()
    to = shlex.quote(str(path))
    return [f'mount --bind "$(command -v crun)" {to}', f"mount -o remount,bind,ro {to}"]


def _second_cgroup_tree() -> list[Path]:
    """Where both versions are mounted, version 1 is used, and crun wants to see no other."""
    tree = cgroups.hierarchies().trees.get("unified")
    return [] if tree is None else [tree]


def make_mount_points(state: State) -> None:
    """Something must be there to mount upon; recorded before it is made, to be removed again."""
    missing = [path for path in PRIVATE_FOLDERS if not Path(path).exists()]
    state.mount_points = sorted({*state.mount_points, *missing})
    state.save()
    for path in missing:
        Path(path).mkdir(parents=True)


def _wait_for_namespaces(state: State, holder: Path) -> None:
    pid = state.holder.pid
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and identify(pid) is not None:
        if Path(f"/proc/{pid}/exe").readlink() == holder.resolve():
            return
        time.sleep(0.01)
    said = (state.logs / f"{HOLDER}.log").read_text().strip()[-500:]
    raise ClusterError(
        f"the node's namespaces could not be made: {said}",
        "the kernel (or the container this runs in) must allow new network and mount namespaces",
    )


def enter(state: State) -> list[str]:
    """What to put before a command to run it in the node."""
    return ["nsenter", f"--target={state.holder.pid}", "--net", "--mount", "--"]


def inside(state: State, *argv: str | Path, text: str | None = None, timeout: float = 60) -> str:
    return run(*enter(state), *argv, text=text, timeout=timeout)


def start_daemon(state: State, name: str, argv: list[str]) -> None:
    """Start a program in the node, with its output in a log of its own name."""
    group = cgroups.hierarchies().daemons
    state.processes[name] = spawn(name, [*enter(state), *argv], group, state.logs)
    state.save()
