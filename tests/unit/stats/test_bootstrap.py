"""The bootstrap over tasks: exact against random, clusters, and its rule for quantiles."""

from fractions import Fraction
from itertools import product
from math import ceil, sqrt
from random import Random
from statistics import fmean, pstdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.stats import bootstrap as module
from benchwright.stats.bootstrap import Bootstrap, task_bootstrap
from benchwright.stats.values import Uncertainty, Undefined

RATES = st.sampled_from([0.0, 0.2, 0.5, 1.0])
RESAMPLES = 20_000


def bootstrap(
    values: list[float],
    seed: int = 1,
    resamples: int = RESAMPLES,
    clusters: list[str] | None = None,
) -> Bootstrap:
    found = task_bootstrap(values, resamples=resamples, rng=Random(seed), clusters=clusters)
    assert isinstance(found, Bootstrap)
    return found


@settings(max_examples=30, deadline=None)
@given(st.lists(RATES, min_size=2, max_size=5))
def test_few_tasks_are_enumerated(values: list[float]) -> None:
    found = bootstrap(values)
    exact = [Fraction(str(v)) for v in values]
    means = sorted(sum(drawn) / len(drawn) for drawn in product(exact, repeat=len(exact)))
    assert found.exact
    assert found.se == pytest.approx(pstdev(values) / sqrt(len(values)), abs=1e-12)
    least, most = (means[ceil(Fraction(p, 1000) * len(means)) - 1] for p in (25, 975))
    assert found.interval.low == pytest.approx(float(least), abs=1e-12)
    assert found.interval.high == pytest.approx(float(most), abs=1e-12)


def test_random_resamples_come_to_what_enumeration_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [1.0, 0.0, 1.0, 0.4, 0.0]
    exact = bootstrap(values)
    monkeypatch.setattr(module, "ENUMERATED", 1)
    drawn = bootstrap(values)
    assert (exact.exact, drawn.exact, drawn.resamples) == (True, False, RESAMPLES)
    assert drawn.se == pytest.approx(exact.se, abs=3 / sqrt(RESAMPLES))
    assert drawn.interval.low == pytest.approx(exact.interval.low, abs=3 / sqrt(RESAMPLES))
    assert drawn.interval.high == pytest.approx(exact.interval.high, abs=3 / sqrt(RESAMPLES))


VALUES = [i % 7 / 6 for i in range(40)]


def test_the_same_seed_gives_the_same_interval() -> None:
    assert bootstrap(VALUES, seed=5) == bootstrap(VALUES, seed=5)
    assert bootstrap(VALUES, seed=5) != bootstrap(VALUES, seed=6)


def test_chunks_change_nothing_but_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bootstrap(VALUES)
    monkeypatch.setattr(module, "_CHUNK", 1000)
    assert bootstrap(VALUES) == whole


def test_a_numpy_generator_will_do() -> None:
    found = task_bootstrap(VALUES, resamples=2000, rng=np.random.default_rng(3))
    assert isinstance(found, Bootstrap)
    assert found.se == pytest.approx(pstdev(VALUES) / sqrt(len(VALUES)), abs=0.005)


def test_one_task_a_cluster_is_no_cluster() -> None:
    found = bootstrap(VALUES, clusters=[str(i) for i in range(len(VALUES))])
    assert found.interval.uncertainty is Uncertainty.CLUSTERED
    assert (found.se, found.mean) == (bootstrap(VALUES).se, bootstrap(VALUES).mean)


def test_whole_clusters_are_drawn() -> None:
    """Copies of a task tell nothing new: clustered, the error stays that of the first ones."""
    first = [1.0, 0.0, 1.0, 0.4, 0.0]
    copies, clusters = first * 3, list("abcde") * 3
    assert bootstrap(copies, clusters=clusters).se == pytest.approx(bootstrap(first).se)
    assert bootstrap(copies).se < 0.7 * bootstrap(first).se


def test_clusters_weigh_by_their_tasks() -> None:
    found = bootstrap([1.0, 1.0, 1.0, 0.0], clusters=["a", "a", "a", "b"])
    assert (found.mean, found.resamples) == (0.75, 4)
    # aa → 1, ab and ba → 3/4, bb → 0
    assert found.se == pytest.approx(pstdev([1.0, 0.75, 0.75, 0.0]))


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12))
def test_the_interval_stays_within_the_values(values: list[float]) -> None:
    found = bootstrap(values, resamples=200)
    assert min(values) - 1e-12 <= found.interval.low <= found.interval.high <= max(values) + 1e-12
    assert found.mean == pytest.approx(fmean(values))


@pytest.mark.parametrize("values", [[1.0] * 4, [0.1] * 30])
def test_equal_tasks_are_marked(values: list[float]) -> None:
    found = bootstrap(values)
    assert (found.se, found.interval.low, found.interval.high) == (0.0, values[0], values[0])
    assert found.interval.degenerate


def test_a_quantile_is_the_least_value_that_reaches_p() -> None:
    """(1 - .95) / 2 is 0.025000000000000022: times 40 it is 1, and not the second value."""
    ordered = np.arange(40.0)
    assert module._quantile(ordered, 1 - (0.5 + 0.95 / 2)) == 0.0
    assert module._quantile(ordered, 0.5 + 0.95 / 2) == 38.0
    assert module._quantile(ordered, 0.026) == 1.0


@pytest.mark.parametrize(
    ("values", "clusters", "code"),
    [([], None, "no-tasks"), ([0.5], None, "one-task"), ([0.5, 1.0], ["a", "a"], "one-cluster")],
)
def test_one_task_has_no_interval(
    values: list[float], clusters: list[str] | None, code: str
) -> None:
    found = task_bootstrap(values, resamples=10, rng=Random(1), clusters=clusters)
    assert isinstance(found, Undefined)
    assert found.code == code


def test_no_resamples_are_refused() -> None:
    with pytest.raises(ValueError, match="0 resamples"):
        bootstrap(VALUES, resamples=0)
