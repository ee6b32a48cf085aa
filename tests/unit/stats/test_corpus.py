"""Run noise: the fixed corpus, its differences, and Student's t over runs."""

from math import hypot, sqrt
from statistics import fmean, stdev, variance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.stats.clusters import cluster_mean
from benchwright.stats.corpus import (
    Estimate,
    fixed_corpus,
    fixed_corpus_difference,
    within_task_variance,
)
from benchwright.stats.runs import RunMeans, over_runs, t_quantile
from benchwright.stats.values import Count, Uncertainty, Undefined

CELLS = st.integers(2, 9).flatmap(lambda n: st.builds(Count, st.just(n), st.integers(0, n)))
CORPORA = st.lists(CELLS, min_size=1, max_size=12)


def estimate(found: Estimate | Undefined) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def runs(means: list[float], level: float = 0.95) -> RunMeans:
    found = over_runs(means, level)
    assert isinstance(found, RunMeans)
    return found


@given(CORPORA)
def test_the_noise_is_that_of_the_trials_of_each_task(counts: list[Count]) -> None:
    trials = [[1.0] * c.c + [0.0] * (c.n - c.c) for c in counts]
    found = estimate(fixed_corpus(counts))
    assert found.value == pytest.approx(fmean(map(fmean, trials)))
    expected = sqrt(sum(variance(t) / len(t) for t in trials)) / len(trials)
    assert found.se == pytest.approx(expected, abs=1e-15)
    within = within_task_variance(counts)
    assert not isinstance(within, Undefined)
    assert within == pytest.approx(fmean(variance(t) for t in trials), abs=1e-15)


@given(CORPORA)
def test_the_interval_is_about_run_noise_and_holds_the_value(counts: list[Count]) -> None:
    found = estimate(fixed_corpus(counts))
    assert found.interval.uncertainty is Uncertainty.RUN_NOISE
    assert found.interval.contains(found.value)
    assert found.interval.degenerate is all(c.c in (0, c.n) for c in counts)


@given(CORPORA.flatmap(lambda a: st.tuples(st.just(a), st.permutations(a))))
def test_a_difference_is_the_same_the_other_way_round(
    pair: tuple[list[Count], list[Count]],
) -> None:
    there, back = (estimate(fixed_corpus_difference(*p)) for p in (pair, pair[::-1]))
    assert there.value == pytest.approx(-back.value, abs=1e-15)
    assert there.se == pytest.approx(back.se, abs=1e-15)


def test_the_variances_of_independent_runs_add() -> None:
    """Trial 3 of one run is no partner of trial 3 of the other: equal runs still differ by noise."""
    counts = [Count(5, 3), Count(5, 1)]
    noise = estimate(fixed_corpus(counts)).se
    found = estimate(fixed_corpus_difference(counts, counts))
    assert found.value == 0.0
    assert found.se == pytest.approx(hypot(noise, noise))


def test_all_right_is_no_certainty() -> None:
    """lm-eval#3966 published a standard error of exactly 0 without a word."""
    found = estimate(fixed_corpus([Count(5, 5), Count(5, 0)]))
    assert (found.se, found.interval.degenerate) == (0.0, True)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        pytest.param([], Undefined("no-tasks", "no task"), id="no-task"),
        pytest.param(
            [Count(5, 3), Count(1, 1)],
            Undefined("one-trial-tasks", "1 of 2 tasks have only one valid trial"),
            id="one-trial",
        ),
        pytest.param(
            [Count(5, 3), Count(0, 0), Count(1, 1)],
            Undefined("no-trials", "1 of 3 tasks have no valid trial"),
            id="no-trial",
        ),
    ],
)
def test_what_shows_no_noise_is_undefined(counts: list[Count], expected: Undefined) -> None:
    assert fixed_corpus(counts) == expected
    assert within_task_variance(counts) == expected
    assert fixed_corpus_difference(counts, [Count(5, 3)] * len(counts)) == expected
    assert fixed_corpus_difference([Count(5, 3)] * len(counts), counts) == expected


def test_a_difference_is_of_the_same_corpus() -> None:
    with pytest.raises(ValueError, match="1 and 2 tasks"):
        fixed_corpus_difference([Count(5, 3)], [Count(5, 3)] * 2)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=10))
def test_an_interval_over_runs_holds_their_mean(means: list[float]) -> None:
    found = runs(means)
    assert found.interval.contains(found.mean)
    assert found.df == len(means) - 1
    assert found.sd == pytest.approx(stdev(means), abs=1e-12)


def test_a_higher_level_is_wider() -> None:
    ends = [runs([0.5, 0.6, 0.8], level).interval.high for level in (0.9, 0.95, 0.99)]
    assert ends == sorted(ends)


def test_an_interval_over_runs_is_not_clipped() -> None:
    assert runs([0.0, 0.0, 0.0, 0.0, 0.0345]).interval.low < 0


@pytest.mark.parametrize("means", [[1.0] * 10, [0.1] * 3, [0.1 + 0.2, 0.3]])
def test_equal_runs_are_marked_and_not_celebrated(means: list[float]) -> None:
    found = runs(means)
    assert (found.se, found.interval.degenerate) == (0.0, True)


@pytest.mark.parametrize(("means", "code"), [([], "no-runs"), ([0.5], "one-run")])
def test_one_run_has_no_interval(means: list[float], code: str) -> None:
    """Inspect's stderr returns 0 for fewer than two samples."""
    found = over_runs(means)
    assert isinstance(found, Undefined)
    assert found.code == code


def test_runs_are_not_nan() -> None:
    with pytest.raises(ValueError, match="value 1 is nan"):
        over_runs([0.5, float("nan")])


@pytest.mark.parametrize(("p", "df"), [(0, 4), (1, 4), (0.975, 0), (float("nan"), 4)])
def test_a_quantile_of_what_is_none_is_refused(p: float, df: float) -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        t_quantile(p, df)


def test_trials_of_a_task_are_no_independent_observations() -> None:
    """inspect#1118 (Miller): the SE of task means holds the trial noise already. It equals CR1 of
    single trials clustered by task, and not the SE of T·n independent trials."""
    counts = [Count(4, c) for c in (0, 1, 4, 3, 2, 0, 4)]
    trials = [float(i < c.c) for c in counts for i in range(c.n)]
    task = [t for t, c in enumerate(counts) for _ in range(c.n)]
    clustered = cluster_mean(trials, task)
    assert not isinstance(clustered, Undefined)
    of_tasks = stdev(c.c / c.n for c in counts) / sqrt(len(counts))
    assert clustered.se == pytest.approx(of_tasks, abs=1e-12)
    assert clustered.se_clt < 0.7 * clustered.se
