"""How good the tasks are at telling configurations apart, and which should be looked at.

A flag is a reason to review a task, never to leave it out: what is left out after the results are known
is chosen by the results.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from benchwright.analysis.grid import Grid
from benchwright.analysis.observations import ConfigKey, TaskId, TaskKey
from benchwright.stats.items import fisher_interval, floor, item_rest, saturated
from benchwright.stats.passes import success_rate
from benchwright.stats.proportions import wilson
from benchwright.stats.values import Count, Interval, Undefined

AIM, REVIEW = 0.20, 0.10
"""Item-rest correlation: what to aim at, and below which a task is to be reviewed."""
MIN_OBSERVATIONS, MIN_CONFIGS = 30, 6
"""From where on the correlation says anything."""
BAND = (20, 80)
"""Percent of a panel-average rate that tells configurations apart."""
TARGET_PERCENT = 70
"""Of active tasks, within the band."""
BEST = (5, 10, 25, 50)
"""Sizes of the groups of the best configurations that are looked at."""


@dataclass(frozen=True)
class Item:
    """One task over the panel of configurations."""

    task: TaskId
    counts: Mapping[ConfigKey, Count]
    pooled: Count
    """Trials of all configurations: for the floor alone, no rate of anybody."""
    interval: Interval | Undefined
    """Wilson's, of the pooled trials."""
    panel_average: float | Undefined
    """Mean of the configurations' rates, each with the same weight."""
    item_rest: float | Undefined
    item_rest_interval: Interval | Undefined
    """By the number of configurations, not of trials."""
    saturated: bool
    floor: bool
    reviews: tuple[str, ...]
    """Why it should be looked at; sentences."""


@dataclass(frozen=True)
class Portfolio:
    """How the tasks spread over difficulty."""

    tasks: int
    """With a panel average."""
    in_band: int
    easier: int
    harder: int
    never_solved: int
    always_solved: int

    @property
    def reached(self) -> bool | None:
        """Whether the target share is in the band; None where there is no task."""
        return self.in_band * 100 >= TARGET_PERCENT * self.tasks if self.tasks else None


@dataclass(frozen=True)
class Cohort:
    """Of the best configurations by rate, ties by name: tasks that decide nothing between them."""

    best: int
    always: int
    """Tasks that all of them always solve."""
    never: int
    """Tasks that none of them ever does."""


@dataclass(frozen=True)
class Calibration:
    """Everything about the tasks."""

    items: tuple[Item, ...]
    portfolio: Portfolio
    configurations: int
    families: Mapping[str, int]
    """Configurations by model family; `unknown` where none is given. Those of one family do not fail
    independently, so that a panel of one family overstates what a correlation knows."""
    references: tuple[ConfigKey, ...]
    """By which saturation is judged."""
    cohorts: tuple[Cohort, ...]

    @property
    def review(self) -> tuple[Item, ...]:
        return tuple(i for i in self.items if i.reviews)


def calibrate(grid: Grid, references: Collection[ConfigKey] = ()) -> Calibration:
    """Of all tasks. `references`: the configurations that saturation is judged by; none given: all."""
    configs = [c.key for c in grid.data.configs]
    chosen = tuple(c for c in configs if not references or c in references)
    correlations = item_rest([grid.rates(c) for c in configs]) if configs else []
    items = tuple(
        _item(grid, task, r, chosen) for task, r in zip(grid.data.tasks, correlations, strict=True)
    )
    families = Counter(c.family or "unknown" for c in grid.data.configs)
    return Calibration(
        items,
        _portfolio(items),
        len(configs),
        dict(families),
        chosen,
        tuple(_cohorts(grid, configs)),
    )


def _item(
    grid: Grid, task: TaskId, correlation: float | Undefined, references: Sequence[ConfigKey]
) -> Item:
    cells = zip((c.key for c in grid.data.configs), grid.column(task.key), strict=True)
    counts = {key: cell.count for key, cell in cells}
    pooled = Count(sum(c.n for c in counts.values()), sum(c.c for c in counts.values()))
    r = _enough(correlation, counts)
    flags = (saturated([counts[k] for k in references]), floor(list(counts.values())))
    return Item(
        task=task,
        counts=counts,
        pooled=pooled,
        interval=wilson(pooled),
        panel_average=_average(counts),
        item_rest=r,
        item_rest_interval=r if isinstance(r, Undefined) else fisher_interval(r, len(counts)),
        saturated=flags[0],
        floor=flags[1],
        reviews=tuple(_reviews(r, *flags)),
    )


def _enough(r: float | Undefined, counts: Mapping[ConfigKey, Count]) -> float | Undefined:
    """Not before there are enough observations of enough configurations."""
    trials, configs = sum(c.n for c in counts.values()), sum(c.n > 0 for c in counts.values())
    if trials < MIN_OBSERVATIONS or configs < MIN_CONFIGS:
        return Undefined(
            "too-few-observations",
            f"{trials} valid trials of {configs} configurations, and {MIN_OBSERVATIONS} of "
            f"{MIN_CONFIGS} are needed",
        )
    return r


def _average(counts: Mapping[ConfigKey, Count]) -> float | Undefined:
    # Exact until the end: a task at 80 % must not leave the band by a sum's rounding.
    rates = [Fraction(c.c, c.n) for c in counts.values() if c.n]
    if len(rates) < len(counts) or not rates:
        return Undefined("missing-cells", "a configuration has no valid trial of it")
    return float(sum(rates, Fraction()) / len(rates))


def _reviews(r: float | Undefined, is_saturated: bool, is_floor: bool) -> list[str]:
    found = []
    if not isinstance(r, Undefined):
        if r < 0:
            found.append(f"item-rest correlation {r:.2f}: better configurations do worse at it")
        elif r < REVIEW:
            found.append(f"item-rest correlation {r:.2f}: it hardly tells configurations apart")
    if is_floor:
        found.append("less than 5 % of all trials succeed: solve it independently and audit it")
    if is_saturated:
        found.append("every reference configuration succeeds in 95 % or more of its trials")
    return found


def _portfolio(items: Sequence[Item]) -> Portfolio:
    averages = [i.panel_average for i in items if not isinstance(i.panel_average, Undefined)]
    low, high = (percent / 100 for percent in BAND)
    return Portfolio(
        tasks=len(averages),
        in_band=sum(low <= a <= high for a in averages),
        easier=sum(a > high for a in averages),
        harder=sum(a < low for a in averages),
        never_solved=sum(i.pooled.n > 0 and i.pooled.c == 0 for i in items),
        always_solved=sum(i.pooled.n > 0 and i.pooled.c == i.pooled.n for i in items),
    )


def _cohorts(grid: Grid, configs: Sequence[ConfigKey]) -> Iterator[Cohort]:
    rates = {key: success_rate(grid.counts(key)) for key in configs}
    known = {key: rate for key, rate in rates.items() if not isinstance(rate, Undefined)}
    ordered = sorted(known, key=lambda key: (-known[key], key))
    for best in BEST:
        if best <= len(ordered):
            always, never = dead(grid, ordered[:best])
            yield Cohort(best, len(always), len(never))


def dead(grid: Grid, configs: Collection[ConfigKey]) -> tuple[list[TaskKey], list[TaskKey]]:
    """Tasks that all of `configs` always solve, and those that none ever does: between these
    configurations they decide nothing (SWE-bench#650)."""
    counts = {t.key: [grid.cells[c, t.key].count for c in configs] for t in grid.data.tasks}
    known = {t: of for t, of in counts.items() if of and all(c.n for c in of)}
    return (
        [t for t, of in known.items() if all(c.c == c.n for c in of)],
        [t for t, of in known.items() if all(c.c == 0 for c in of)],
    )
