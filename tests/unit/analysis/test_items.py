"""Calibration of tasks."""

import gzip
import json
from pathlib import Path
from statistics import median

import pytest

from benchwright.analysis import tidy
from benchwright.analysis.grid import Grid, grid
from benchwright.analysis.items import Calibration, Item, calibrate, dead
from benchwright.analysis.standings import standings
from benchwright.stats.values import Undefined
from tests.unit.analysis.grids import grid_of

DATA = Path(__file__).parents[2] / "data"
REFERENCE = json.loads((DATA / "stats_reference.json").read_text())["real_data"]


def panel(*rows: str) -> Calibration:
    return calibrate(grid_of({f"c{n}": row for n, row in enumerate(rows)}))


def test_a_correlation_starts_at_thirty_observations_of_six_configurations() -> None:
    rates = ("sssss sssss", "ssssf ssssf", "sssff sssff", "ssfff ssfff", "sffff sffff")
    few = panel(*rates).items[0]
    assert isinstance(few.item_rest, Undefined)
    assert few.item_rest.reason == ("25 valid trials of 5 configurations, and 30 of 6 are needed")
    assert few.reviews == ()
    enough = panel(*rates, "fffff fffff").items[0]
    assert enough.item_rest == pytest.approx(1.0)


def test_a_task_at_which_the_better_do_worse_is_to_be_reviewed_and_stays() -> None:
    good = ("sssss sssss fffff", "ssssf ssssf sffff", "sssff sssff ssfff")
    bad = ("ssfff ssfff sssff", "sffff sffff ssssf", "fffff fffff sssss")
    found = panel(*good, *bad)
    assert [i.task.key for i in found.review] == ["t2"]
    assert "better configurations do worse at it" in found.review[0].reviews[0]
    assert len(found.items) == 3


def test_saturation_is_judged_by_the_references_alone() -> None:
    cells = {"best": "s" * 10, "worst": "f" * 10}
    assert calibrate(grid_of(cells), ["best"]).items[0].saturated
    assert not calibrate(grid_of(cells)).items[0].saturated
    assert not calibrate(grid_of({"best": "s" * 9}), ["best"]).items[0].saturated


@pytest.mark.parametrize(
    ("rows", "flagged"),
    [(("fffff",) * 4, True), (("sffff", *("fffff",) * 3), False), (("iiiii",), False)],
)
def test_the_floor_asks_for_an_audit(rows: tuple[str, ...], flagged: bool) -> None:
    assert panel(*rows).items[0].floor is flagged


def test_a_task_that_somebody_lacks_has_no_panel_average() -> None:
    found = panel("s s", "s i")
    assert found.items[0].panel_average == 1.0
    assert isinstance(found.items[1].panel_average, Undefined)
    assert (found.portfolio.tasks, found.portfolio.easier) == (1, 1)


@pytest.mark.parametrize("configs", range(1, 31))
@pytest.mark.parametrize("row", ["ssssf", "sffff"])
def test_a_task_at_an_end_of_the_band_is_in_it(configs: int, row: str) -> None:
    """Summed as floats, three times .8 are more than 2.4, and ten times .2 less than 2."""
    assert panel(*(row,) * configs).portfolio.in_band == 1


def test_an_empty_portfolio_has_neither_reached_nor_missed_the_target() -> None:
    assert panel("i").portfolio.reached is None
    assert panel("sf").portfolio.reached is True
    assert panel("ss").portfolio.reached is False


@pytest.fixture(scope="module")
def swebench() -> Grid:
    with gzip.open(DATA / "swebench_verified_134x500.csv.gz", "rt") as lines:
        return grid(tidy.dataset("swebench", lines))


def correlations(items: tuple[Item, ...]) -> list[float]:
    return [i.item_rest for i in items if not isinstance(i.item_rest, Undefined)]


def test_swe_bench_as_published(swebench: Grid) -> None:
    wanted = REFERENCE["swebench_verified"]
    found = calibrate(swebench)
    shape = found.portfolio
    assert (shape.in_band, shape.tasks) == (wanted["tasks_20_80"], 500)
    assert shape.never_solved == wanted["tasks_never_solved"] == 32
    assert not shape.reached
    assert sum(i.floor for i in found.items) == wanted["tasks_below_5pct"]
    averages = [i.panel_average for i in found.items if not isinstance(i.panel_average, Undefined)]
    assert sum(a >= 0.95 for a in averages) == 8
    r = correlations(found.items)
    assert 500 - len(r) == wanted["item_rest"]["undefined"]
    assert median(r) == pytest.approx(wanted["item_rest"]["median"], abs=1e-9)
    assert sum(v >= 0.2 for v in r) == wanted["item_rest"]["ge_020"]
    assert sum(v < 0.1 for v in r) == wanted["item_rest"]["lt_010"]
    assert sum(v < 0 for v in r) == wanted["item_rest"]["negative"]


@pytest.mark.parametrize(("best", "number"), [(5, 394), (10, 336), (25, 270), (50, 181)])
def test_dead_tasks_of_swe_bench_as_published(swebench: Grid, best: int, number: int) -> None:
    """SWE-bench/SWE-bench#650."""
    top = [s.config.key for s in standings(swebench)[:best]]
    solved, never = dead(swebench, top)
    assert len(solved) + len(never) == number


def test_groups_of_the_best_are_by_rate(swebench: Grid) -> None:
    found = {g.best: g.always + g.never for g in calibrate(swebench).cohorts}
    assert found == {5: 394, 10: 336, 25: 270, 50: 181}


def test_terminal_bench() -> None:
    with gzip.open(DATA / "terminal_bench2_terminus2_trials.csv.gz", "rt") as lines:
        found = calibrate(grid(tidy.dataset("terminal-bench", lines)))
    wanted = REFERENCE["terminal_bench2_terminus2"]
    assert found.portfolio.in_band == wanted["tasks_20_80"]
    assert found.portfolio.never_solved == wanted["tasks_zero"]
    r = correlations(found.items)
    assert sum(v >= 0.2 for v in r) == wanted["item_rest_complete_tasks"]["ge_020"]
    assert sum(v < 0 for v in r) == wanted["item_rest_complete_tasks"]["negative"]
    assert sum(found.families.values()) == found.configurations == 16
