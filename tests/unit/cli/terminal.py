"""A program on a pseudo-terminal, and what somebody who sits there sees."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"
_TOKEN = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|([\r\n])|(.)", re.DOTALL)
# A session leader that opens a terminal is ruled by it: Ctrl-C typed there reaches the program.
# Tests that run in the background of a shell ignore SIGINT, and so would all that they start.
_START = (
    "import os, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "os.close(os.open(os.ttyname(0), os.O_RDWR))\n"
)
_PATIENCE = 60.0


@dataclass
class Screen:
    """Rows of text as a terminal shows them; knows what rich's live view uses, and refuses the rest."""

    columns: int
    height: int
    rows: list[list[str]] = field(default_factory=lambda: [[]])
    row: int = 0
    column: int = 0

    def feed(self, text: str) -> None:
        for arguments, command, move, sign in _TOKEN.findall(text):
            if command:
                self._control(arguments, command)
            elif move:
                self.column = 0 if move == "\r" else self.column
                self._down() if move == "\n" else None
            else:
                self._put(sign)

    def _control(self, arguments: str, command: str) -> None:
        if command == "A":
            top = max(0, len(self.rows) - self.height)
            self.row = max(top, self.row - int(arguments or 1))
        elif (command, arguments) == ("K", "2"):
            self.rows[self.row] = []
        else:
            assert command == "m" or f"\x1b[{arguments}{command}" in {HIDE, SHOW}, (
                arguments,
                command,
            )

    def _down(self) -> None:
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append([])

    def _put(self, sign: str) -> None:
        if self.column == self.columns:
            self.column = 0
            self._down()
        line = self.rows[self.row]
        line += " " * (self.column + 1 - len(line))
        line[self.column] = sign
        self.column += 1

    @property
    def lines(self) -> list[str]:
        return ["".join(row).rstrip() for row in self.rows]


@dataclass
class Terminal:
    """The master's end, and the program at the other one."""

    master: int
    slave: int
    process: "subprocess.Popen[bytes]"
    screen: Screen
    said: str = ""
    _rest: bytes = b""

    def wait_for(self, text: str) -> None:
        """Until the screen shows it."""
        deadline = time.monotonic() + _PATIENCE
        while not any(text in line for line in self.screen.lines):
            assert time.monotonic() < deadline, f"{text!r} was never shown:\n{self.screen.lines}"
            assert self._read(1.0) or self.process.poll() is None, self.screen.lines

    def press(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def terminate(self) -> None:
        self.process.terminate()

    def end(self) -> int:
        """Until the program has ended and everything that it said is read; its exit code."""
        deadline = time.monotonic() + _PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"it did not end:\n{self.screen.lines}"
            self._read(0.1)
        while self._read(0.1):
            pass
        return self.process.returncode

    def settings(self) -> list[object]:
        """Echo, line editing, signals and so on."""
        return list(termios.tcgetattr(self.slave))

    def _read(self, seconds: float) -> bool:
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        data = self._rest + os.read(self.master, 1 << 16)
        whole = data.decode(errors="ignore")  # a sign that is cut in two comes again with its rest
        self._rest = data[len(whole.encode()) :]
        self.said += whole
        self.screen.feed(whole)
        return True


@contextmanager
def on_terminal(
    *args: str, columns: int, height: int = 30, env: Mapping[str, str]
) -> Iterator[Terminal]:
    """`benchwright ARGS` on a terminal of this size."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", height, columns, 0, 0))
    code = f"{_START}from benchwright.cli.main import main; main(prog_name='benchwright')"
    everything = {**os.environ, "TERM": "xterm", "PYTHONPATH": os.pathsep.join(sys.path), **env}
    for name in ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR"):
        everything.pop(name, None)
    process = subprocess.Popen(
        [sys.executable, "-c", code, *args], env=everything, stdin=slave, stdout=slave,
        stderr=slave, start_new_session=True,
    )  # fmt: skip
    try:
        yield Terminal(master, slave, process, Screen(columns, height))
    finally:
        process.kill()
        process.wait()
        os.close(slave)
        os.close(master)
