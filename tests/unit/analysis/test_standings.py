"""How configurations did over the corpus."""

import gzip
import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from benchwright.analysis import tidy
from benchwright.analysis.grid import Grid, grid
from benchwright.analysis.observations import Spent
from benchwright.analysis.standings import Standing, standings
from benchwright.stats.values import Uncertainty, Undefined
from tests.unit.analysis.grids import grid_of

DATA = Path(__file__).parents[2] / "data"


def only(rows: str, planned: int | None = None, repositories: str | None = None) -> Standing:
    (found,) = standings(grid_of({"a": rows}, planned, repositories))
    return found


def test_tasks_weigh_the_same_however_many_trials_they_have() -> None:
    assert only("ssssssss f").rate == 0.5


def test_invalid_missing_and_timeout_are_three_things() -> None:
    found = only("sit s-- tt", planned=3)
    assert (found.valid, found.successes, found.timeouts) == (5, 2, 3)
    assert (found.invalid, found.missing) == (1, 3)
    assert found.rate == pytest.approx((0.5 + 1 + 0) / 3)


def test_a_task_without_a_valid_trial_makes_the_rate_undefined_not_zero() -> None:
    found = only("ss ii")
    assert found.rate == Undefined("no-trials", "1 of 2 tasks have no valid trial")
    assert isinstance(found.composition, Undefined)


def test_a_run_that_lacks_a_task_is_no_complete_run() -> None:
    found = only("sss fsi")
    assert found.complete_runs == 2
    assert not isinstance(found.over_runs, Undefined)
    assert found.over_runs.mean == 0.75
    assert found.over_runs.interval.uncertainty == Uncertainty.RUN_NOISE


def test_every_interval_says_which_uncertainty_it_is() -> None:
    plain, clustered = only("ss sf ff sf"), only("ss sf ff sf", repositories="aabb")
    assert not isinstance(plain.composition, Undefined)
    assert not isinstance(clustered.composition, Undefined)
    assert plain.composition.interval.uncertainty == Uncertainty.COMPOSITION
    assert (plain.clustered_by, plain.composition.warnings) == (None, ())
    assert clustered.composition.interval.uncertainty == Uncertainty.CLUSTERED
    assert clustered.clustered_by == "repository"
    assert "only 2 clusters" in clustered.composition.warnings[0]


def test_pass_at_k_needs_k_trials_of_every_task() -> None:
    found = only("sfsfs sss")
    assert found.pass_at[3] == pytest.approx((1.0 + 1.0) / 2)
    assert found.pass_at[5] == Undefined("too-few-trials", "1 of 2 tasks have 5 trials")


def test_an_unknown_cost_makes_the_total_unknown_and_the_known_part_a_lower_bound() -> None:
    made = grid_of({"a": "si"})
    first, second = made.data.observations
    priced = (replace(first, spent=Spent(cost_usd=Decimal("0.1"))), second)
    (found,) = standings(grid(replace(made.data, observations=priced)))
    assert (found.cost.total, found.cost.known, found.cost.unknown) == (None, Decimal("0.1"), 1)


def test_best_first_and_undefined_last() -> None:
    found = standings(grid_of({"a": "s f", "b": "s s", "c": "i s", "d": "f s"}))
    assert [s.config.key for s in found] == ["b", "a", "d", "c"]


@pytest.fixture(scope="module")
def terminal_bench() -> Grid:
    with gzip.open(DATA / "terminal_bench2_terminus2_trials.csv.gz", "rt") as lines:
        return grid(tidy.dataset("terminal-bench", lines))


def test_values_of_terminal_bench(terminal_bench: Grid) -> None:
    reference = json.loads((DATA / "stats_reference.json").read_text())["real_data"]
    published = reference["terminal_bench2_terminus2"]["by_config"]
    found = standings(terminal_bench)
    assert {s.config.key for s in found} == set(published)
    for one in found:
        wanted = published[one.config.key]
        assert one.rate == pytest.approx(wanted["pass_at_1_macro"], abs=1e-12)
        assert not isinstance(one.composition, Undefined)
        assert one.composition.se_clt == pytest.approx(wanted["se_task_clt"], abs=1e-12)
        assert one.valid == wanted["trials"]
        assert one.tokens_out.total == wanted["tokens_out"]
        if wanted["se_run_only"] is None:
            assert isinstance(one.fixed_corpus, Undefined)
        else:
            assert not isinstance(one.fixed_corpus, Undefined)
            assert one.fixed_corpus.se == pytest.approx(wanted["se_run_only"], abs=1e-12)
        eligible = wanted["pass_at_5"]["eligible_tasks"]
        if eligible < 74:
            assert one.pass_at[5] == Undefined(
                "too-few-trials", f"{eligible} of 74 tasks have 5 trials"
            )
        else:
            assert one.pass_at[5] == pytest.approx(wanted["pass_at_5"]["value"], abs=1e-12)
