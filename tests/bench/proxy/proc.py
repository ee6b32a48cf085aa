"""What the kernel says of a process and its children: CPU, memory, descriptors."""

import contextlib
import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
MIB = 1024.0


def tree(pid: int) -> list[int]:
    """A process and all its living descendants."""
    found = [pid]
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in children.read_text().split():
                found += tree(int(child))
    return found


def cpu_seconds(pid: int) -> float:
    """User and system time of the tree, with that of children that have ended."""
    return sum(_ticks(one) for one in tree(pid)) / TICKS


def _ticks(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    # Behind the name, which may hold anything; utime, stime, cutime and cstime are 14 to 17.
    return sum(int(value) for value in text.rpartition(")")[2].split()[11:15])


def machine_seconds() -> float:
    """CPU time that all processors were busy."""
    values = [int(value) for value in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    user, nice, system, _idle, _iowait, irq, softirq, steal = values[:8]
    return (user + nice + system + irq + softirq + steal) / TICKS


def resident(pid: int) -> float:
    """MiB of the tree that are in memory."""
    return sum(_status(one, "VmRSS") for one in tree(pid)) / MIB


def peak(pid: int) -> float:
    """The most MiB that were in memory since `reset_peak`."""
    return sum(_status(one, "VmHWM") for one in tree(pid)) / MIB


def reset_peak(pid: int) -> None:
    """Begin to look for a peak anew."""
    for one in tree(pid):
        with contextlib.suppress(OSError):
            Path(f"/proc/{one}/clear_refs").write_text("5")


def descriptors(pid: int) -> int:
    """How many files and sockets a process has open."""
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def _status(pid: int, field: str) -> int:
    """A size in KiB, 0 for a process that is gone."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1])
    return 0
