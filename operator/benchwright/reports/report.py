"""Everything that a report says, computed once: the page, the terminal and the files show the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from benchwright.analysis import trade
from benchwright.analysis.comparison import Comparison, compare
from benchwright.analysis.environments import Stratum, strata
from benchwright.analysis.grid import Grid, grid
from benchwright.analysis.items import Calibration, calibrate
from benchwright.analysis.observations import ConfigKey, Dataset, TaskKey
from benchwright.analysis.pairwise import Pair, pairwise
from benchwright.analysis.publishing import PrivateTasks, private_tasks, public
from benchwright.analysis.records import dataset
from benchwright.analysis.standings import Standing, standings
from benchwright.analysis.trade import Trade
from benchwright.reports.summary import CellSummary, Record, measurements, summarise

SHOWN_CONFIGS = 10
"""So many of the best are compared in detail; all pairs are in pairs.csv."""


@dataclass(frozen=True)
class Report:
    """What was observed; all else follows from it."""

    data: Dataset
    records: Sequence[Record] = ()
    """Measurements, in the order of the data's observations; none where the data are a table."""
    private: PrivateTasks | None = None
    """What is told of private tasks where the data are without them."""

    @cached_property
    def grid(self) -> Grid:
        return grid(self.data)

    @cached_property
    def standings(self) -> list[Standing]:
        return standings(self.grid)

    @cached_property
    def pairs(self) -> list[Pair]:
        """All, the better configuration first."""
        return pairwise(self.grid, [s.config.key for s in self.standings])

    @cached_property
    def compared(self) -> list[Comparison]:
        """Pairs of the first configurations, with their tasks."""
        first = [s.config.key for s in self.standings[:SHOWN_CONFIGS]]
        return [compare(self.grid, a, b) for a, b in combinations(first, 2)]

    @cached_property
    def trades(self) -> Mapping[str, Trade]:
        """What success is weighed against → the points."""
        return {
            "cost": trade.against_cost(self.standings),
            "seconds": trade.against_seconds(self.standings),
            "agent_seconds": trade.against_agent_seconds(self.standings),
            "tokens_out": trade.against_output_tokens(self.standings),
        }

    @cached_property
    def strata(self) -> list[Stratum]:
        return strata(self.data)

    @cached_property
    def calibration(self) -> Calibration:
        return calibrate(self.grid)

    @cached_property
    def cells(self) -> Mapping[tuple[ConfigKey, TaskKey], CellSummary]:
        """What the kinds of task measure, where there are records."""
        return summarise(self.placed)

    @cached_property
    def placed(self) -> list[tuple[ConfigKey, TaskKey, Record]]:
        """Records with the configuration and task that they are observations of."""
        seen = self.data.observations if self.records else ()
        return [(o.config, o.task, r) for o, r in zip(seen, self.records, strict=True)]


def of_records(title: str, records: Sequence[Record], plans: Sequence[Record] = ()) -> Report:
    """Of results.json, and of the plans of its runs, where they are known."""
    return Report(dataset(title, records, plans), measurements(records))


def published(report: Report) -> Report:
    """The part that may leave those who keep private tasks."""
    private = private_tasks(report.data)
    if private is None:
        return report
    data = public(report.data)
    known = {t.key for t in data.tasks}
    records = [{**r, "corpus_digest": None} for _, task, r in report.placed if task in known]
    return Report(data, records, private)
