"""Three real data sets: what others published of them, and what other libraries compute."""

from random import Random
from statistics import fmean

import pytest

from benchwright.stats.bootstrap import Bootstrap, task_bootstrap
from benchwright.stats.cells import tally
from benchwright.stats.corpus import Estimate, fixed_corpus
from benchwright.stats.items import item_rest
from benchwright.stats.pairs import mcnemar
from benchwright.stats.pareto import frontier, frontier_of_known
from benchwright.stats.passes import macro_pass_at_k, success_rate
from benchwright.stats.reference import check_whole_sets
from benchwright.stats.sets import overlap
from benchwright.stats.values import Count, Undefined
from benchwright.stats.wholesets import SETS, Counts, cohort, counted, solved_tasks
from tests.unit.stats.data import reference, rows

TABLES = {
    "swebench_verified": "swebench_verified_134x500.csv.gz",
    "terminal_bench2_terminus2": "terminal_bench2_terminus2_trials.csv.gz",
    "aider_polyglot": "aider_polyglot_configs.csv",
}


@pytest.fixture(scope="session")
def swebench() -> Counts:
    return counted(rows(TABLES["swebench_verified"]))


@pytest.fixture(scope="session")
def terminal_bench() -> Counts:
    return counted(rows(TABLES["terminal_bench2_terminus2"]))


@pytest.mark.parametrize("name", SETS)
def test_whole_set(name: str) -> None:
    (checked,) = check_whole_sets(reference(), {name: rows(TABLES[name])})
    assert checked.disagreements == ()


def ranked(counts: Counts) -> list[str]:
    return sorted(counts, key=lambda config: (-len(solved_tasks(counts[config])), config))


@pytest.mark.parametrize(("top", "dead"), [(5, 394), (10, 336), (25, 270), (50, 181)])
def test_tasks_that_do_not_separate_the_best(swebench: Counts, top: int, dead: int) -> None:
    """Published in SWE-bench#650."""
    solved = [solved_tasks(swebench[config]) for config in ranked(swebench)[:top]]
    tasks = list(next(iter(swebench.values())))
    assert cohort(solved, tasks)["dead"] == dead


def test_tasks_that_nobody_solves(swebench: Counts) -> None:
    """Published in SWE-bench#650: 32."""
    assert 500 - len(set.union(*map(solved_tasks, swebench.values()))) == 32


PUBLISHED_P = [0.868, 0.901, 0.243, 0.253, 0.156, 0.134, 0.115, 0.026]


def test_the_best_against_the_next_ones(swebench: Counts) -> None:
    """Published in SWE-bench#621: McNemar's χ² with continuity correction."""
    first, *others = ranked(swebench)
    found = []
    for other in others[:8]:
        sets = overlap(solved_tasks(swebench[first]), solved_tasks(swebench[other]))
        p = mcnemar(sets.only_a, sets.only_b).chi2_p
        assert not isinstance(p, Undefined)
        found.append(round(p, 3))
    assert found == PUBLISHED_P


def test_every_task_of_the_largest_set_has_a_correlation_or_a_reason(swebench: Counts) -> None:
    matrix = [[float(cell.c) for cell in cells.values()] for cells in swebench.values()]
    found = item_rest(matrix)
    undefined = [r for r in found if isinstance(r, Undefined)]
    assert (len(found), {r.code for r in undefined}, len(undefined)) == (500, {"no-variance"}, 32)


OPUS = "terminus-2/claude-opus-4-1-20250805"


def test_the_mean_of_tasks_is_not_the_pooled_rate(terminal_bench: Counts) -> None:
    counts = list(terminal_bench[OPUS].values())
    rate = success_rate(counts)
    assert not isinstance(rate, Undefined)
    assert round(rate * 100, 2) == 31.94
    assert round(sum(c.c for c in counts) / sum(c.n for c in counts) * 100, 2) == 33.39


def test_run_noise_and_task_composition_are_two_numbers(terminal_bench: Counts) -> None:
    counts = list(terminal_bench[OPUS].values())
    noise = fixed_corpus(counts)
    composition = task_bootstrap(
        [c.c / c.n for c in counts], resamples=20_000, rng=Random(7)
    )  # fmt: skip
    assert isinstance(noise, Estimate)
    assert isinstance(composition, Bootstrap)
    assert noise.se == pytest.approx(0.0123, abs=1e-4)
    assert composition.se == pytest.approx(0.044, abs=1e-3)
    assert noise.interval.uncertainty != composition.interval.uncertainty


def test_only_some_agents_have_pass_at_five(terminal_bench: Counts) -> None:
    """A short task is not left out: the agent's pass@5 is not there."""
    found = {c: macro_pass_at_k(list(cells.values()), 5) for c, cells in terminal_bench.items()}
    undefined = {c: v.reason for c, v in found.items() if isinstance(v, Undefined)}
    assert undefined["terminus-2/gpt-5"] == "72 of 74 tasks have 5 trials"
    assert set(found) - set(undefined) == {
        c for c, cells in terminal_bench.items() if min(cell.n for cell in cells.values()) >= 5
    }
    assert 0 < len(undefined) < len(found)


def test_one_trial_shows_no_noise(terminal_bench: Counts) -> None:
    found = fixed_corpus(list(terminal_bench["terminus-2/gpt-5"].values()))
    assert found == Undefined("one-trial-tasks", "1 of 74 tasks have only one valid trial")


def aider_points() -> list[tuple[float, float]]:
    return [
        (float(row["total_cost_usd"] or 0), float(row["pass_rate_2"]))
        for row in rows(TABLES["aider_polyglot"])
    ]


def test_a_cost_of_zero_is_unknown_and_not_free() -> None:
    """Aider's leaderboard: 18 rows of cost 0 turn a frontier of 8 into a wrong one of 5."""
    names = [row["model"] for row in rows(TABLES["aider_polyglot"])]
    free = frontier(aider_points())
    known = frontier_of_known([(cost or None, score) for cost, score in aider_points()])
    assert sum(isinstance(k, Undefined) for k in known) == 18
    assert sum(k is True for k in known) == 8
    wrong = {name for name, kept in zip(names, free, strict=True) if kept}
    assert wrong == set(reference()["real_data"]["aider_polyglot"]["wrong_if_zero_cost_kept"])
    assert len(wrong) == 5


def test_invalid_trials_are_in_no_cell() -> None:
    """Counting them as failures would move rates by up to 5 points (terminal-bench-core)."""
    outcomes = ["success", "invalid", "timeout", "invalid"]
    trials = [{"config": "a", "task": "t", "outcome": outcome} for outcome in outcomes]
    assert counted(trials) == {"a": {"t": Count(2, 1)}}
    assert tally(["success", "invalid", "timeout", "invalid"], 4).count == Count(2, 1)


def test_a_set_that_differs_is_told() -> None:
    table = [dict(row) for row in rows(TABLES["aider_polyglot"])]
    table[1]["pass_rate_2"] = "99"
    (checked,) = check_whole_sets(reference(), {"aider_polyglot": table})
    assert checked.disagreements


def test_the_frontier_by_mean_tokens(terminal_bench: Counts) -> None:
    """The sum of tokens would favour whoever was tried less often: sonnet, with 368 trials."""
    by = reference()["real_data"]["terminal_bench2_terminus2"]["by_config"]
    totals = [(float(v["tokens_out"]), v["pass_at_1_macro"]) for v in by.values()]
    means = [(total / v["trials"], s) for (total, s), v in zip(totals, by.values(), strict=True)]
    assert (sum(frontier(totals)), sum(frontier(means))) == (5, 4)
    assert fmean(v["trials"] for v in by.values()) * len(terminal_bench) == 6199
