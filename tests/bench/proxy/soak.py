"""Whether the proxy leaks, and whether its journal is whole after a kill in the middle of calls."""

import json
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from . import accounts, proc
from .measuring import Load, command
from .ours import Ours, token
from .peers import Peer, upstream
from .process import free_port
from .scenarios import MIX, Mixed

#: MiB that may be more in memory at the end.
GROWTH = 4.0
Loads = list[tuple[Mixed, "subprocess.Popen[bytes]"]]


@dataclass(frozen=True, slots=True)
class Look:
    """The proxy at one second."""

    second: float
    rss_mib: float
    descriptors: int
    cpu_seconds: float


def soak(made: Path, folder: Path, seconds: float) -> bool:
    """Run, kill, start again, compare and print; whether nothing leaked and nothing was lost."""
    with upstream(made, folder) as direct:
        ours = Ours(folder / "ours", direct.url)
        ours.write()
        looks, loads = _loaded(made / "load", ours, seconds)
        began, admin = time.monotonic(), free_port()
        with ours.started(admin):
            restart = time.monotonic() - began
            problems = [*_failed(loads), *accounts.problems(ours.journal, admin, loads)]
    content = {
        "seconds": seconds,
        "loads": {name: load.model_dump() for name, load in loads.items()},
        "looks": [asdict(look) for look in looks],
        "problems": problems,
    }
    (made / "soak.json").write_text(json.dumps(content, indent=1) + "\n")
    flat = _report(looks, loads, restart)
    print("\n".join(problems) or "journal: every call that was dispatched has exactly one end")
    return flat and not problems


def _loaded(program: Path, ours: Ours, seconds: float) -> tuple[list[Look], dict[str, Load]]:
    """Load the proxy for so long, then kill it under load."""
    with ours.started() as peer, _loads(program, peer, seconds + 30) as loads:
        assert peer.process is not None
        looks = list(_looks(peer.process.pid, seconds))
        peer.process.send_signal(signal.SIGKILL)
        peer.process.wait()
        said = {one.scenario.name: process.communicate(timeout=60)[0] for one, process in loads}
    return looks, {name: Load.model_validate_json(text) for name, text in said.items()}


@contextmanager
def _loads(program: Path, peer: Peer, seconds: float) -> Iterator[Loads]:
    loads: Loads = []
    try:
        for one in MIX:
            caller = replace(peer, token=token(one.scenario.name))
            more = (f"-rate={one.rate}", f"-seconds={seconds}s", f"-timeout={one.patience}s")
            line = command(program, caller, one.scenario, *more)
            loads.append((one, subprocess.Popen(line, stdout=subprocess.PIPE)))
        yield loads
    finally:
        for _, process in loads:
            process.kill()
            process.wait()


def _looks(pid: int, seconds: float) -> Iterator[Look]:
    """Once a second."""
    began = time.monotonic()
    for number in range(1, int(seconds) + 1):
        time.sleep(max(0.0, began + number - time.monotonic()))
        look = Look(
            time.monotonic() - began,
            proc.resident(pid),
            proc.descriptors(pid),
            proc.cpu_seconds(pid),
        )
        if number % 60 == 0:
            print(f"{number} s: {look.rss_mib:.1f} MiB", file=sys.stderr, flush=True)
        yield look


def _failed(loads: dict[str, Load]) -> Iterator[str]:
    """The kill costs every caller two calls: the one under way, and one that is refused."""
    for one in MIX:
        load = loads[one.scenario.name]
        if not one.leaves and load.errors > 2 * one.scenario.concurrency:
            yield f"PROBLEM: {one.scenario.name}: {load.errors} calls failed: {load.first_error}"


def _report(looks: list[Look], loads: dict[str, Load], restart: float) -> bool:
    """Print the figures; whether memory is flat."""
    settled = looks[len(looks) // 4 :]
    seconds = [look.second for look in settled]
    slope = statistics.linear_regression(seconds, [look.rss_mib for look in settled]).slope
    rate = sum(load.calls + load.errors for load in loads.values()) / looks[-1].second
    growth, span = slope * (seconds[-1] - seconds[0]), seconds[-1] - seconds[0]
    held = growth <= GROWTH
    opened = [look.descriptors for look in settled]
    cpu = (settled[-1].cpu_seconds - settled[0].cpu_seconds) / span
    print(f"{rate:.0f} calls a second for {looks[-1].second:.0f} s, {cpu:.2f} processors")
    for name, load in loads.items():
        print(f"  {name}: {load.calls} whole answers, {load.errors} without ({load.first_error})")
    print(
        f"RSS: {settled[0].rss_mib:.1f} MiB after the first quarter, {looks[-1].rss_mib:.1f} at the end"
    )
    print(
        f"RSS slope: {slope * 3600:.1f} MiB/h, {slope * 2**20 / rate:.0f} bytes a call:"
        f" {'flat' if held else 'NOT flat'}"
    )
    print(f"descriptors: {min(opened)} to {max(opened)}")
    print(f"killed under load; the next start answered after {restart:.1f} s")
    return held
