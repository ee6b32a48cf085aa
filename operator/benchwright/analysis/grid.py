"""Configurations × tasks: what was observed in each cell. Zero, missing and invalid are three things."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchwright.analysis.observations import ConfigKey, Dataset, Observation, TaskKey
from benchwright.stats.cells import Cell, tally
from benchwright.stats.values import Count


@dataclass(frozen=True)
class GridCell:
    """One configuration at one task."""

    cell: Cell
    observations: tuple[Observation, ...]

    @property
    def count(self) -> Count:
        return self.cell.count

    @property
    def state(self) -> str:
        """`missing`: nothing was observed; `unplanned`: nor was it to be; `invalid`: nothing was
        learnt; else `measured`."""
        if not self.observations:
            return "missing" if self.cell.missing else "unplanned"
        return "measured" if self.cell.n_valid else "invalid"

    @property
    def reasons(self) -> Mapping[str, int]:
        """Reasons of trials that did not succeed, the most frequent first."""
        why = (o.reason for o in self.observations if o.outcome != "success" and o.reason)
        return dict(Counter(why).most_common())


@dataclass(frozen=True)
class Grid:
    """All cells, in the order of the dataset's configurations and tasks."""

    data: Dataset
    cells: Mapping[tuple[ConfigKey, TaskKey], GridCell]

    def row(self, config: ConfigKey) -> list[GridCell]:
        """A configuration's cells, in the order of tasks."""
        return [self.cells[config, t.key] for t in self.data.tasks]

    def column(self, task: TaskKey) -> list[GridCell]:
        """A task's cells, in the order of configurations."""
        return [self.cells[c.key, task] for c in self.data.configs]

    def counts(self, config: ConfigKey) -> list[Count]:
        return self._counts[config]

    def rates(self, config: ConfigKey) -> list[float | None]:
        """By task; None where there is no valid trial."""
        return self._rates[config]

    @cached_property
    def _counts(self) -> Mapping[ConfigKey, list[Count]]:
        return {c.key: [cell.count for cell in self.row(c.key)] for c in self.data.configs}

    @cached_property
    def _rates(self) -> Mapping[ConfigKey, list[float | None]]:
        return {
            key: [count.c / count.n if count.n else None for count in counts]
            for key, counts in self._counts.items()
        }

    @cached_property
    def totals(self) -> Mapping[str, int]:
        """Trials by outcome, and those that are missing: together they are the plan."""
        by = Counter(o.outcome for o in self.data.observations)
        missing = sum(c.cell.missing for c in self.cells.values())
        return {o: by[o] for o in ("success", "failure", "timeout", "invalid")} | {
            "missing": missing
        }


_UNPLANNED = Cell(0, 0, 0, 0, missing=0, complete=True)


def grid(data: Dataset) -> Grid:
    """Every cell, those too of which nothing is known."""
    found = data.cells
    cells = {
        (c.key, t.key): _cell(found.get((c.key, t.key), ()), data.required(c.key, t.key))
        for c in data.configs
        for t in data.tasks
    }
    return Grid(data, cells)


def _cell(observations: Sequence[Observation], planned: int | None) -> GridCell:
    if planned == 0 and not observations:
        return GridCell(_UNPLANNED, ())
    # Where there is no plan, a cell without any trial lacks at least one.
    required = planned or max(1, len(observations))
    return GridCell(tally([o.outcome for o in observations], required), tuple(observations))
