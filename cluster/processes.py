"""The cluster's daemons: started detached, recognised beyond doubt, never confused with others'.

A process id alone says nothing: ids are used again. What identifies a process is its id together
with the moment that the kernel started it; what proves that one is ours is our cgroup.
"""

import os
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cluster.commands import environment

PROC = Path("/proc")
_COLLECT_LATER = {"GOGC": os.environ.get("GOGC", "300")}
"""The daemons' heaps are small and the machine's memory is not: collecting less often saves them a
fifth of their CPU, which is what trials wait for."""


@dataclass(frozen=True)
class Process:
    """What is recorded of a daemon that was started."""

    pid: int
    started: int
    """In clock ticks since the machine booted, as the kernel tells it."""
    boot: str

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> "Process":
        return cls(int(record["pid"]), int(record["started"]), str(record["boot"]))

    def record(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def alive(self) -> bool:
        return self.boot == boot_id() and start_time(self.pid) == self.started

    @property
    def age(self) -> float:
        """Seconds since it was started."""
        uptime = float((PROC / "uptime").read_text().split()[0])
        return uptime - self.started / os.sysconf("SC_CLK_TCK")


def boot_id() -> str:
    return (PROC / "sys/kernel/random/boot_id").read_text().strip()


def start_time(pid: int, proc: Path = PROC) -> int | None:
    """When the process was started, or None if it is gone (a zombie is gone, too)."""
    try:
        return parse_stat((proc / str(pid) / "stat").read_text())
    except (OSError, ValueError):
        return None


def parse_stat(line: str) -> int | None:
    """Field 22 of /proc/PID/stat, None for a zombie; the name may hold spaces and brackets."""
    fields = line.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])


def identify(pid: int) -> Process | None:
    started = start_time(pid)
    return None if started is None else Process(pid, started, boot_id())


def spawn(name: str, argv: list[str], cgroup: Path, logs: Path) -> Process:
    """Start a daemon that outlives us, in our cgroup from before its first instruction."""
    logs.mkdir(parents=True, exist_ok=True)
    enter = 'echo $$ > "$0" && exec "$@"'
    with (logs / f"{name}.log").open("ab") as log:
        child = subprocess.Popen(
            ["/bin/sh", "-c", enter, str(cgroup / "cgroup.procs"), *argv],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=environment(_COLLECT_LATER),
            start_new_session=True,
        )
    started = identify(child.pid)
    # One that died at once is recorded all the same: it will be found not alive.
    return started or Process(child.pid, -1, boot_id())
