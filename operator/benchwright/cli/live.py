"""Showing a run's progress: a live view for terminals, plain lines for everything else."""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from rich.console import Console
from rich.live import Live

from benchwright.cli.drawing import draw
from benchwright.cli.lines import counts_line, events
from benchwright.cli.progress import Progress, problems
from benchwright.reports.words import one_line


class View(Protocol):
    """Shows what has changed."""

    def update(self, progress: Progress) -> None: ...

    def close(self) -> None: ...


class LiveView:
    """Redraws in place: where something has happened, and each second for the clocks."""

    def __init__(self, console: Console):
        self._console = console
        self._drawn: tuple[int, Progress] | None = None
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._live.start()

    def update(self, progress: Progress) -> None:
        second = progress.now.replace(microsecond=0)
        wanted = self._console.width, replace(progress, now=second, idle=progress.idle // 1)
        if wanted != self._drawn:
            self._drawn = wanted
            self._live.update(draw(progress, wanted[0]), refresh=True)

    def close(self) -> None:
        self._live.stop()


class PlainView:
    """One line for each thing that happened, and now and then the counts."""

    def __init__(self, write: Callable[[str], None]):
        self._write = write
        self._said: set[str] = set()
        self._counts = ""
        self._seen: Progress | None = None

    def update(self, progress: Progress) -> None:
        clock = f"[{progress.elapsed:6.0f} s]"
        news = not (self._seen and progress.same_as(self._seen))
        lines = events(progress) if news else []
        for line in [*lines, *(f"waiting: {p}" for p in problems(progress))]:
            if line not in self._said:
                self._said.add(line)
                self._write(f"{clock} {one_line(line, 500)}")
        found = counts_line(progress) if news else self._counts
        self._seen = progress
        if found != self._counts:
            self._counts = found
            self._write(f"{clock} {found}")

    def close(self) -> None:
        pass
