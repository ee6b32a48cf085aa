"""Grids from a few letters: s success, f failure, t timeout, i invalid."""

from collections.abc import Mapping

from benchwright.analysis.grid import Grid, grid
from benchwright.analysis.observations import Config, Dataset, Observation, TaskId
from benchwright.stats.cells import Outcome

LETTERS: Mapping[str, Outcome] = {"s": "success", "f": "failure", "t": "timeout", "i": "invalid"}


def grid_of(
    rows: Mapping[str, str], planned: int | None = None, repositories: str | None = None
) -> Grid:
    """`{"a": "ss sf"}`: configuration a, two tasks with two trials each; `-` is an empty cell.

    `repositories` has a letter for each task.
    """
    width = len(next(iter(rows.values())).split())
    tasks = tuple(
        TaskId(f"t{n}", f"t{n}", clusters={"repository": repositories[n]} if repositories else {})
        for n in range(width)
    )
    observations = tuple(
        Observation(config=config, task=f"t{n}", block=str(trial), outcome=LETTERS[letter])
        for config, cells in rows.items()
        for n, cell in enumerate(cells.split())
        for trial, letter in enumerate(cell.replace("-", ""))
    )
    return grid(Dataset("x", tuple(Config(c, c) for c in rows), tasks, observations, planned))
