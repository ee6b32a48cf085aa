"""Drawing a run's progress: a live view for terminals, plain lines for everything else."""

from collections.abc import Callable
from typing import Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from benchwright.cli.progress import Progress, counts, problems, state
from benchwright.cli.views import TrialProgress
from benchwright.reports.words import SIGNS, STYLES, one_line

_ACTIVE_ROWS, _FAILURE_ROWS = 16, 8
_WORK = ("queued", "preparing", "running", "evaluating")


class View(Protocol):
    """Shows what has changed."""

    def update(self, progress: Progress) -> None: ...

    def close(self) -> None: ...


class LiveView:
    """Redraws in place."""

    def __init__(self, console: Console):
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._live.start()

    def update(self, progress: Progress) -> None:
        self._live.update(draw(progress), refresh=True)

    def close(self) -> None:
        self._live.stop()


class PlainView:
    """One line for each thing that happened, and now and then the counts."""

    def __init__(self, write: Callable[[str], None]):
        self._write = write
        self._said: set[str] = set()
        self._counts = ""

    def update(self, progress: Progress) -> None:
        clock = f"[{progress.elapsed:6.0f} s]"
        for line in [*_events(progress), *(f"waiting: {p}" for p in problems(progress))]:
            if line not in self._said:
                self._said.add(line)
                self._write(f"{clock} {one_line(line, 500)}")
        found = counts_line(progress)
        if found != self._counts:
            self._counts = found
            self._write(f"{clock} {found}")

    def close(self) -> None:
        pass


def counts_line(progress: Progress) -> str:
    """`3/12 finished: 2 success, 1 failure; 1 running, 8 queued`."""
    found = counts(progress)
    ended = ", ".join(f"{found[o]} {o}" for o in SIGNS if found[o])
    work = ", ".join(f"{found[w]} {w}" for w in _WORK if found[w])
    baselines = sum(t.baseline for t in progress.active)
    if baselines:
        work = f"{work}; measuring {baselines} baseline{'' if baselines == 1 else 's'}"
    total = "?" if progress.run.planned is None else progress.run.planned
    done = f"{progress.finished}/{total} finished"
    return f"{done}: {ended}; {work}".replace(": ;", ";").rstrip("; ")


def _events(progress: Progress) -> list[str]:
    lines = []
    for trial in progress.trials:
        for failed in trial.failed_attempts[: -1 if trial.outcome == "invalid" else None]:
            again = f"attempt {failed.number} was invalid and is repeated: {failed.reason}"
            lines.append(f"▨ {trial.name}: {again}: {failed.message}")
        if trial.outcome:
            lines.append(f"{outcome_sign(trial)} {trial.name}: {_ended(trial)}")
    return lines


def outcome_sign(trial: TrialProgress) -> str:
    return SIGNS.get(trial.outcome or "", "?")


def _ended(trial: TrialProgress) -> str:
    what = "baseline " if trial.baseline else ""
    return f"{what}{trial.outcome}, {trial.reason}: {trial.message}"


def draw(progress: Progress) -> RenderableType:
    """The whole live view."""
    parts: list[RenderableType] = [_head(progress), _bar(progress)]
    parts += [Text(f"waiting: {one_line(p, 500)}", style="yellow") for p in problems(progress)]
    if progress.active:
        parts.append(_active(progress))
    parts += _failures(progress)
    return Group(*parts)


def _head(progress: Progress) -> Text:
    return Text.assemble(
        (f"run {progress.run.name}  ", "bold"), counts_line(progress),
        (f"  {_clock(progress.elapsed)}", "dim"),
    )  # fmt: skip


def _bar(progress: Progress) -> ProgressBar:
    return ProgressBar(
        total=max(1, progress.run.planned or 1), completed=progress.finished, width=60
    )


def _active(progress: Progress) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("agent", "task", "at", "stage", "attempt", "seconds"):
        table.add_column(name, justify="right" if name in {"attempt", "seconds"} else "left")
    for trial in progress.active[:_ACTIVE_ROWS]:
        table.add_row(
            Text("(baseline)" if trial.baseline else trial.agent), Text(trial.task),
            Text(state(trial, progress.starting)), Text(trial.stage),
            Text(str(trial.attempt or 1)), Text(f"{progress.seconds_in_stage(trial):.0f}"),
        )  # fmt: skip
    more = len(progress.active) - _ACTIVE_ROWS
    if more > 0:
        table.add_row(Text(f"… and {more} more", style="dim"))
    return table


def _failures(progress: Progress) -> list[RenderableType]:
    """The last trials that did not succeed, and attempts that are repeated."""
    lines: list[RenderableType] = []
    for trial in progress.trials:
        if trial.outcome and trial.outcome != "success":
            text = f"{outcome_sign(trial)} {trial.name}: {one_line(_ended(trial), 200)}"
            lines.append(Text(text, style=STYLES.get(trial.outcome, "")))
        elif not trial.outcome and trial.failed_attempts:
            last = trial.failed_attempts[-1]
            text = f"{trial.name}: attempt {last.number}: {last.reason}: {last.message}"
            lines.append(Text(f"▨ {one_line(text, 200)}", style="dim magenta"))
    return lines[-_FAILURE_ROWS:]


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
