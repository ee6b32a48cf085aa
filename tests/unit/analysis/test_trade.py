"""Success against money and time."""

import gzip
import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from benchwright.analysis import tidy
from benchwright.analysis.grid import grid
from benchwright.analysis.observations import Spent
from benchwright.analysis.standings import standings
from benchwright.analysis.trade import Trade, against_cost, against_output_tokens
from tests.unit.analysis.grids import grid_of

DATA = Path(__file__).parents[2] / "data"


def priced(rows: dict[str, str], prices: dict[str, str | None]) -> Trade:
    """Every trial of a configuration costs the same; None is unknown."""
    made = grid_of(rows).data
    observations = tuple(
        replace(o, spent=Spent(cost_usd=Decimal(p) if (p := prices[o.config]) else None))
        for o in made.observations
    )
    return against_cost(standings(grid(replace(made, observations=observations))))


def test_an_unknown_cost_is_left_out_and_not_cheap() -> None:
    found = priced({"a": "ss", "b": "sf", "c": "ff"}, {"a": "2", "b": "1", "c": None})
    assert [(p.config, p.on_frontier) for p in found.points] == [("b", True), ("a", True)]
    assert found.left_out == (("c", "the cost of 2 of 2 trials is unknown"),)


def test_a_cost_of_zero_is_known() -> None:
    found = priced({"a": "ss", "b": "ss"}, {"a": "0", "b": "1"})
    assert [(p.config, p.on_frontier) for p in found.points] == [("a", True), ("b", False)]


def test_invalid_trials_cost_too() -> None:
    (point,) = priced({"a": "si"}, {"a": "3"}).points
    assert (point.amount, point.rate) == (Decimal(3), 1.0)


def test_a_configuration_without_a_rate_has_no_place() -> None:
    found = priced({"a": "s i", "b": "s f"}, {"a": "1", "b": "1"})
    assert found.left_out == (("a", "1 of 2 tasks have no valid trial"),)


def test_frontier_of_terminal_bench() -> None:
    """Output tokens of a mean trial (tests/data/README.md)."""
    with gzip.open(DATA / "terminal_bench2_terminus2_trials.csv.gz", "rt") as lines:
        found = against_output_tokens(standings(grid(tidy.dataset("terminal-bench", lines))))
    reference = json.loads((DATA / "stats_reference.json").read_text())["real_data"]
    wanted = reference["terminal_bench2_terminus2"]["pareto_output_tokens_vs_pass1"]
    assert sorted(p.config for p in found.points if p.on_frontier) == sorted(wanted)
