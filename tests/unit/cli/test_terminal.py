"""The live view on a real (pseudo-)terminal."""

import contextlib
import fcntl
import os
import pty
import re
import struct
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from rich.console import Console

from benchwright.cli.live import LiveView
from tests.unit.cli.states import running_run, trial
from tests.unit.cli.test_progress import progress

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"
_SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass
class Terminal:
    """The other end: reads all the time, since a terminal gives what it has, in pieces."""

    master: int
    data: bytearray = field(default_factory=bytearray)

    def read(self) -> None:
        """Until the program's end is closed, which Linux tells as an input/output error."""
        with contextlib.suppress(OSError):
            while chunk := os.read(self.master, 1 << 16):
                self.data += chunk


@contextmanager
def terminal(columns: int, rows: int = 24) -> Iterator[tuple[Console, Terminal]]:
    """A console on a terminal of this size; when it is over, everything has been read."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    other = Terminal(master)
    reader = threading.Thread(target=other.read)
    reader.start()
    try:
        with os.fdopen(slave, "w") as file:
            yield Console(file=file, width=columns, height=rows, legacy_windows=False), other
    finally:
        reader.join()
        os.close(master)


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_it_fits_and_leaves_the_terminal_as_it_was(columns: int) -> None:
    shown = progress(
        running_run("run", 2),
        trial("run", "agent-" * 8, 0, phase="Running"),
        trial("run", "b", 1, "failure", reason="NoChanges", message="nothing was done " * 20),
    )
    with terminal(columns) as (console, other):
        assert console.is_terminal
        view = LiveView(console)
        view.update(shown)
        view.update(shown)
        view.close()
    text = other.data.decode()
    assert HIDE in text
    assert text.rindex(SHOW) > text.rindex(HIDE), "the cursor is back in the end"
    lines = _SEQUENCE.sub("", text).replace("\r", "\n").split("\n")
    assert any("finished" in line for line in lines)
    assert max(map(len, lines)) <= columns
