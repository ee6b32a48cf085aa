"""The live view of a run, for terminals of any width (pure)."""

from collections.abc import Callable, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from benchwright.cli.lines import counts_line, ended, outcome_sign
from benchwright.cli.progress import Progress, problems, state
from benchwright.cli.views import TrialProgress
from benchwright.reports.words import STYLES, one_line

_ACTIVE_ROWS, _FAILURE_ROWS = 16, 8
_NARROW = 60
"""Columns below which a trial's stage and attempt are left out."""


def draw(progress: Progress, width: int) -> RenderableType:
    """The whole live view, for a terminal of so many columns."""
    parts: list[RenderableType] = [_head(progress), _bar(progress)]
    parts += [Text(f"waiting: {one_line(p, 500)}", style="yellow") for p in problems(progress)]
    if progress.active:
        parts.append(_active(progress, narrow=width < _NARROW))
    parts += _failures(progress)
    # The cursor waits on a line of its own: the terminal echoes ^C there, which on a full line would
    # begin another one that nobody knows of and nobody erases.
    return Group(*parts, Text())


def _head(progress: Progress) -> Text:
    return Text.assemble(
        (f"run {progress.run.name}  ", "bold"), counts_line(progress),
        (f"  {_clock(progress.elapsed)}", "dim"),
    )  # fmt: skip


def _bar(progress: Progress) -> RenderableType:
    planned = max(1, progress.run.planned or 1)
    # The bar alone would leave what follows on its line.
    return Padding(ProgressBar(total=planned, completed=progress.finished, width=60), 0)


def _active(progress: Progress, *, narrow: bool) -> Table:
    names = [n for n in _CELLS if not (narrow and n in _LEFT_OUT)]
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in names:
        right = name in {"attempt", "seconds"}
        # Where there is no room, names give way; they have no spaces, so they are cut, not wrapped.
        fixed = name not in {"agent", "task"}
        table.add_column(name, justify="right" if right else "left", no_wrap=fixed)
    for trial in progress.active[:_ACTIVE_ROWS]:
        table.add_row(*(Text(_CELLS[name](progress, trial)) for name in names))
    more = len(progress.active) - _ACTIVE_ROWS
    if more > 0:
        table.add_row(Text(f"… and {more} more", style="dim"))
    return table


_CELLS: Mapping[str, Callable[[Progress, TrialProgress], str]] = {
    "agent": lambda _, trial: "(baseline)" if trial.baseline else trial.agent,
    "task": lambda _, trial: trial.task,
    "at": lambda progress, trial: state(trial, progress.starting),
    "stage": lambda _, trial: trial.stage,
    "attempt": lambda _, trial: str(trial.attempt or 1),
    "seconds": lambda progress, trial: f"{progress.seconds_in_stage(trial):.0f}",
}
_LEFT_OUT = {"stage", "attempt"}


def _failures(progress: Progress) -> Sequence[Text]:
    """The last trials that did not succeed, and attempts that are repeated."""
    lines = []
    for trial in progress.trials:
        if trial.outcome and trial.outcome != "success":
            text = f"{outcome_sign(trial)} {trial.name}: {ended(trial)}"
            lines.append(_one_row(text, STYLES.get(trial.outcome, "")))
        elif not trial.outcome and trial.failed_attempts:
            last = trial.failed_attempts[-1]
            text = f"▨ {trial.name}: attempt {last.number}: {last.reason}: {last.message}"
            lines.append(_one_row(text, "dim magenta"))
    return lines[-_FAILURE_ROWS:]


def _one_row(text: str, style: str) -> Text:
    return Text(one_line(text), style=style, no_wrap=True, overflow="ellipsis")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
