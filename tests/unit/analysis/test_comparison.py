"""Comparisons of two configurations."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.analysis import tidy
from benchwright.analysis.comparison import Comparison, compare, sentences
from benchwright.analysis.grid import Grid, grid
from benchwright.stats.values import Undefined
from tests.unit.analysis.grids import grid_of

DATA = Path(__file__).parents[2] / "data"


def compared(a: str, b: str, repositories: str | None = None) -> Comparison:
    return compare(grid_of({"a": a, "b": b}, repositories=repositories), "a", "b")


@pytest.mark.parametrize(
    ("a", "b", "over_tasks", "over_runs"),
    [
        ("sssss sssss", "sssss sssss", "inconclusive", "inconclusive"),  # never "equal"
        (
            "sssss sssss",
            "fffff fffff",
            "inconclusive",
            "inconclusive",
        ),  # no variation: no certainty
        (
            "sssss sssss",
            "ffffs fffff",
            "inconclusive",
            "a",
        ),  # two tasks are few, ten trials are not
        ("sssff ssfff", "ssfff sssff", "inconclusive", "inconclusive"),
        ("ssssf " * 9 + "sssss", "sffff " * 10, "a", "a"),
        ("sffff " * 10, "ssssf " * 9 + "sssss", "b", "b"),
        ("s f s f", "s s f f", "inconclusive", "inconclusive"),  # one trial shows no run noise
    ],
)
def test_what_is_not_resolved_is_inconclusive(
    a: str, b: str, over_tasks: str, over_runs: str
) -> None:
    found = compared(a, b)
    assert (found.over_tasks, found.over_runs) == (over_tasks, over_runs)


def test_tasks_that_one_side_lacks_are_left_out_and_said() -> None:
    found = compared("ss ii sf -", "sf ss ff ss")
    assert (found.shared, found.dropped) == (("t0", "t2"), ("t1", "t3"))
    assert not isinstance(found.paired, Undefined)
    assert found.paired.diff == 0.5
    assert "2 tasks are left out: one of the two has no valid trial." in sentences(found)


def test_a_timeout_is_a_failure_and_an_invalid_trial_is_nothing() -> None:
    found = compared("st si ss", "ff fs ss")
    assert not isinstance(found.paired, Undefined)
    assert found.paired.diff == pytest.approx((0.5 + 0.5 + 0) / 3)


def test_failure_sets_tell_always_from_now_and_then() -> None:
    sets = compared("ss ff ff sf ss ss", "ss ff ss ff sf ff").failures
    assert sets.both_solved == ("t0",)
    assert sets.both_failed == ("t1",)
    assert sets.only_a_failed == ("t2",)
    assert sets.only_b_failed == ("t3", "t5")
    assert sets.intermittent == ("t4",)
    assert sets.failed.jaccard == 1 / 4


def test_few_clusters_widen_and_never_narrow_what_decides() -> None:
    """research: clustered by repository a real pair looks significant that is not unclustered."""
    found = compared("s s s f f f s s", "f f s s f f s f", repositories="aaabbbcc")
    assert found.clustered_by == "repository"
    assert not isinstance(found.paired, Undefined)
    assert found.composition is not None
    plain = found.paired.interval
    assert found.composition.high - found.composition.low >= plain.high - plain.low
    assert any("only 3 clusters" in s for s in sentences(found))


@pytest.mark.parametrize(
    ("trials", "said"),
    [
        (1, "Not to be published: a task has 1 valid trial, and"),
        (4, "Not to be published: a task has 4 valid trials"),
        (5, "A close comparison needs 10 valid trials"),
        (10, None),
    ],
)
def test_too_few_trials_are_said(trials: int, said: str | None) -> None:
    half = trials // 2
    cell = "s" * half + "f" * (trials - half)
    text = " ".join(sentences(compared(f"{cell} {cell} {cell}", f"{cell} {cell} {'f' * trials}")))
    assert (said in text) if said else ("valid trials" not in text)


def test_one_task_gives_no_comparison_but_a_reason() -> None:
    found = compared("ss", "ff")
    assert sentences(found)[0] == "There is no comparison of a and b: fewer than 2 shared tasks."


@given(st.lists(st.tuples(st.text("sfti", min_size=1), st.text("sfti", min_size=1)), min_size=1))
def test_the_other_way_round_everything_is_mirrored(cells: list[tuple[str, str]]) -> None:
    a, b = " ".join(x for x, _ in cells), " ".join(y for _, y in cells)
    there, back = compared(a, b), compared(b, a)
    mirror = {"a": "b", "b": "a", "inconclusive": "inconclusive"}
    assert (mirror[there.over_tasks], mirror[there.over_runs]) == (back.over_tasks, back.over_runs)
    assert (there.failures.only_a_failed, there.failures.intermittent) == (
        back.failures.only_b_failed,
        back.failures.intermittent,
    )
    sets = there.failures
    every = [*sets.both_solved, *sets.both_failed, *sets.only_a_failed, *sets.only_b_failed]
    assert sorted([*every, *sets.intermittent]) == sorted(there.shared)


@pytest.fixture(scope="module")
def swebench() -> Grid:
    with gzip.open(DATA / "swebench_verified_134x500.csv.gz", "rt") as lines:
        return grid(tidy.dataset("swebench", lines))


def test_published_pairs_of_swe_bench(swebench: Grid) -> None:
    """SWE-bench#621 for McNemar; the rest by other libraries (tests/data/README.md)."""
    reference = json.loads((DATA / "stats_reference.json").read_text())
    for pair in reference["real_data"]["swebench_verified"]["pairs"]:
        found = compare(swebench, pair["a"], pair["b"])
        assert not isinstance(found.paired, Undefined)
        assert found.mcnemar is not None
        assert found.paired.diff == pytest.approx(pair["diff"], abs=1e-12)
        assert found.paired.se == pytest.approx(pair["se_paired"], abs=1e-12)
        assert found.paired.interval.low == pytest.approx(pair["low"], abs=1e-9)
        assert found.mcnemar.exact_p == pytest.approx(pair["mcnemar_exact_p"], abs=1e-9)
        assert found.mcnemar.chi2_p == pytest.approx(pair["mcnemar_chi2cc_p"], abs=1e-9)
        assert len(found.failures.both_failed) == pair["neither"]
        assert found.failures.solved.jaccard == pytest.approx(pair["jaccard_success"], abs=1e-12)
        assert found.failures.failed.jaccard == pytest.approx(pair["jaccard_failure"], abs=1e-12)


def test_an_interval_beyond_what_a_difference_can_be_says_that_it_is_not_clipped() -> None:
    said = sentences(compared("s s", "s f"))
    assert any("points, task-composition sensitivity, not clipped at 100 points" in s for s in said)
