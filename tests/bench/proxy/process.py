"""Processes of the benchmark: started, waited for, and ended with all that they started."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from .build import UnavailableError

Process = subprocess.Popen[bytes]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def running(
    command: Sequence[str], log: Path, env: Mapping[str, str] | None = None
) -> Iterator[Process]:
    """A process in a session of its own, so that it can be ended with its children.

    Raises UnavailableError if there is no such program.
    """
    try:
        with log.open("ab") as file:
            process = subprocess.Popen(
                command, stdout=file, stderr=file, env=env, start_new_session=True
            )
    except OSError as error:
        raise UnavailableError(f"{command[0]}: {error.strerror}") from error
    try:
        yield process
    finally:
        end(process)


def end(process: Process, patience: float = 5.0) -> None:
    """Ask it to stop, then make it."""
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_until(process: Process, ready: Callable[[], bool], log: Path, seconds: float) -> None:
    """Wait for a process to be ready. Raises UnavailableError with its last words."""
    deadline = time.monotonic() + seconds
    while not ready():
        if process.poll() is not None or time.monotonic() > deadline:
            lines = log.read_text(errors="replace").strip().splitlines() or ["(nothing said)"]
            state = "ended" if process.poll() is not None else f"not ready after {seconds:.0f} s"
            raise UnavailableError(f"{state}: {lines[-1][:200]}")
        time.sleep(0.05)
