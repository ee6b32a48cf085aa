"""The heatmap: what it says in text, whatever its colours."""

import pytest

from benchwright.reports.heatmap import ROOMY, heatmap, shade
from benchwright.reports.report import Report
from benchwright.stats.values import Count
from tests.unit.analysis.grids import grid_of


def cells(**rows: str) -> dict[tuple[str, str], str]:
    """(task, agent) → markup."""
    found = heatmap(Report(grid_of(rows).data), {})
    return {
        (row.task, config): str(cell)
        for row in found.rows
        for config, cell in zip(found.configs, row.cells, strict=True)
    }


WIDE = " ".join(["s"] * (ROOMY - 1))


def test_where_there_is_no_room_each_cell_has_its_counts_and_signs() -> None:
    found = cells(a=f"sf tf i - si ssf {WIDE}")
    assert [found[f"t{n}", "a"] for n in range(6)] == [
        "<td class=r5>1/2", "<td class=r0>0/2◷", "<td class=invalid>▨1", "<td class=missing>—",
        "<td class=r10>1/1▨", "<td class=r7>2/3",
    ]  # fmt: skip


def test_a_cell_that_lacks_planned_trials_says_so() -> None:
    data = grid_of({"a": f"ss s {WIDE}"}, planned=2).data
    first, second, *_ = heatmap(Report(data), {}).rows
    assert (first.cells[0], second.cells[0]) == ("<td class=r10>2/2", "<td class=r10>1/1—")


def test_the_legend_has_the_interval_of_every_count_once() -> None:
    found = heatmap(Report(grid_of({"a": f"sf sf f {WIDE} s s s"}).data), {})
    assert found.legend == [
        ("0/1", "0 % (95 %: 0 % to 79 %)"), ("1/1", "100 % (95 %: 21 % to 100 %)"),
        ("1/2", "50 % (95 %: 9 % to 91 %)"),
    ]  # fmt: skip


def test_cells_link_to_their_trials() -> None:
    data = grid_of({"a": "s f"}).data
    found = heatmap(Report(data), {("a", "t1"): "#t7"})
    assert 'href="#t7"' in found.rows[1].cells[0]
    assert "href" not in found.rows[0].cells[0]


@pytest.mark.parametrize(
    ("count", "wanted"),
    [((5, 0), 0), ((5, 5), 10), ((1000, 1), 1), ((1000, 999), 9), ((2, 1), 5), ((3, 2), 7)],
)
def test_only_none_and_all_have_the_outermost_shades(count: tuple[int, int], wanted: int) -> None:
    assert shade(Count(*count)) == wanted
