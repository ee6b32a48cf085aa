"""JSON exports."""

import json
from decimal import Decimal

import pytest

from benchwright.analysis.comparison import compare
from benchwright.analysis.export import plain
from benchwright.analysis.standings import standings
from benchwright.stats.values import Undefined
from tests.unit.analysis.grids import grid_of


def test_what_is_undefined_is_said_and_is_no_number() -> None:
    assert plain({"x": Undefined("one-run", "fewer than 2 complete runs")}) == {
        "x": {"undefined": "one-run", "reason": "fewer than 2 complete runs"}
    }


def test_money_keeps_its_digits() -> None:
    assert plain([Decimal("0.10"), None, 0, 0.5, True]) == ["0.10", None, 0, 0.5, True]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object()])
def test_what_has_no_json_form_is_an_error(value: object) -> None:
    with pytest.raises(TypeError):
        plain([value])


def test_standings_and_comparisons_have_a_json_form() -> None:
    grid = grid_of({"a": "si sf", "b": "ff --"})
    json.dumps(plain([standings(grid), compare(grid, "a", "b")]), allow_nan=False)
