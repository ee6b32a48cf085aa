"""What is recorded of a cluster, so that another process (or another checkout) can find and end it.

Everything is in one folder of the machine, outside of any checkout; the lock is beside it, as
there is one cluster a machine.
"""

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cluster.console import say
from cluster.errors import ClusterError
from cluster.processes import Process
from cluster.settings import LOCK, state_folder

HOLDER = "namespaces"
"""The name under which the process that holds the node's namespaces is recorded."""


@dataclass
class State:
    """A record of a cluster, complete or half made; saved after every change."""

    folder: Path
    processes: dict[str, Process] = field(default_factory=dict)
    sysctls: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Kernel setting → (before, what was set), to be put back."""
    mount_points: list[str] = field(default_factory=list)
    """Empty folders that were made on the machine for the node to mount upon."""
    complete: bool = False

    @property
    def file(self) -> Path:
        return self.folder / "state.json"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def certificates(self) -> Path:
        return self.folder / "pki"

    @property
    def kubeconfig(self) -> Path:
        return self.certificates / "admin.kubeconfig"

    @property
    def holder(self) -> Process:
        """The process whose namespaces the node lives in."""
        if HOLDER not in self.processes:
            raise ClusterError("no cluster is up", "python3 -m cluster up")
        return self.processes[HOLDER]

    def save(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = self.file.with_suffix(".new")
        unfinished.write_text(json.dumps(self.record(), indent=1))
        unfinished.replace(self.file)

    def record(self) -> dict[str, Any]:
        return {
            "processes": {name: one.record() for name, one in self.processes.items()},
            "sysctls": self.sysctls,
            "mountPoints": self.mount_points,
            "complete": self.complete,
        }


def parse(folder: Path, text: str) -> State:
    """Read a record; one that cannot be read is an empty one: cleaning up does not rely on it."""
    try:
        record = json.loads(text)
        return State(
            folder,
            processes={name: Process.from_record(one) for name, one in record["processes"].items()},
            sysctls={key: (str(old), str(new)) for key, (old, new) in record["sysctls"].items()},
            mount_points=[str(path) for path in record["mountPoints"]],
            complete=bool(record["complete"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return State(folder)


def load() -> State:
    folder = state_folder()
    try:
        text = (folder / "state.json").read_text()
    except FileNotFoundError:
        text = ""
    except PermissionError as error:
        raise ClusterError(f"{folder} cannot be read", "run this as root") from error
    return parse(folder, text)


@contextmanager
def locked() -> Iterator[None]:
    """Only one process at a time makes, changes or ends the machine's cluster."""
    with LOCK.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("  … waiting for another `cluster` command to end")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
