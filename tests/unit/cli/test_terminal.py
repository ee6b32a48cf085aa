"""The live view on a real (pseudo-)terminal."""

import fcntl
import os
import pty
import re
import struct
import termios
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from rich.console import Console

from benchwright.cli.live import LiveView
from tests.unit.cli.states import running_run, trial
from tests.unit.cli.test_progress import progress

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"
_SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@contextmanager
def terminal(columns: int, rows: int = 24) -> Iterator[tuple[Console, int]]:
    """A console on a terminal of this size, and the other end of it."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    with os.fdopen(slave, "w") as file:
        yield Console(file=file, width=columns, height=rows, legacy_windows=False), master
    os.close(master)


def said(master: int) -> str:
    return os.read(master, 1 << 20).decode()


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_it_fits_and_leaves_the_terminal_as_it_was(columns: int) -> None:
    shown = progress(
        running_run("run", 2),
        trial("run", "agent-" * 8, 0, phase="Running"),
        trial("run", "b", 1, "failure", reason="NoChanges", message="nothing was done " * 20),
    )
    with terminal(columns) as (console, master):
        assert console.is_terminal
        view = LiveView(console)
        view.update(shown)
        view.update(shown)
        drawing = said(master)
        view.close()
        end = said(master)
    assert HIDE in drawing
    assert SHOW in end
    lines = _SEQUENCE.sub("", drawing).replace("\r", "\n").split("\n")
    assert any("finished" in line for line in lines)
    assert max(map(len, lines)) <= columns
