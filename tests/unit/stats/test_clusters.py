"""Standard errors of clustered tasks."""

from math import sqrt
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.stats.clusters import ClusterMean, cluster_mean
from benchwright.stats.values import Uncertainty, Undefined

RATES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
CLUSTERED = st.lists(st.tuples(RATES, st.sampled_from("abcd")), min_size=2, max_size=30).filter(
    lambda tasks: len({cluster for _, cluster in tasks}) > 1
)


def clustered(values: list[float], clusters: list[str]) -> ClusterMean:
    found = cluster_mean(values, clusters)
    assert isinstance(found, ClusterMean)
    return found


@given(st.lists(RATES, min_size=2, max_size=30))
def test_with_one_task_a_cluster_cr1_is_the_plain_error(values: list[float]) -> None:
    found = clustered(values, [str(i) for i in range(len(values))])
    assert found.se == pytest.approx(found.se_clt, abs=1e-12)
    assert found.se_miller == pytest.approx(found.se_clt, abs=1e-12)
    assert found.se_clt == pytest.approx(stdev(values) / sqrt(len(values)), abs=1e-12)


@given(CLUSTERED)
def test_agrees_with_the_definitions(tasks: list[tuple[float, str]]) -> None:
    values, clusters = [v for v, _ in tasks], [c for _, c in tasks]
    found = clustered(values, clusters)
    n, mean = len(values), fmean(values)
    same = [(i, j) for i in range(n) for j in range(n) if clusters[i] == clusters[j]]
    products = {(i, j): (values[i] - mean) * (values[j] - mean) for i, j in same}
    groups = len(set(clusters))
    cr0 = sqrt(max(0.0, sum(products.values())) / n**2)
    others = sum(p for (i, j), p in products.items() if i != j)
    assert found.se_cr0 == pytest.approx(cr0, abs=1e-7)
    assert found.se == pytest.approx(cr0 * sqrt(groups / (groups - 1)), abs=1e-7)
    miller = max(0.0, found.se_clt**2 + others / n**2)
    assert found.se_miller == pytest.approx(sqrt(miller), abs=1e-7)
    assert found.interval.contains(found.mean)
    assert found.interval.uncertainty is Uncertainty.CLUSTERED


@given(CLUSTERED.flatmap(lambda tasks: st.tuples(st.just(tasks), st.permutations(tasks))))
def test_the_order_of_tasks_tells_nothing(pair: tuple[list[tuple[float, str]], ...]) -> None:
    first, second = (clustered([v for v, _ in p], [c for _, c in p]) for p in pair)
    assert first.se == pytest.approx(second.se, abs=1e-12)


def test_one_cluster_is_undefined() -> None:
    """Inspect returns 0.0 for a single cluster, and gave NaN before."""
    expected = Undefined("one-cluster", "fewer than 2 clusters")
    assert cluster_mean([1.0, 0.0, 1.0], ["a", "a", "a"]) == expected
    assert cluster_mean([], []) == Undefined("no-tasks", "no task")


def test_few_and_uneven_clusters_are_warned_of() -> None:
    """SWE-bench by repository: 12 clusters, django about half, and "significant" differences."""
    few = clustered([1.0, 0.0, 1.0, 0.0], ["a", "a", "b", "c"])
    assert few.largest_share == 0.5
    assert few.warnings == (
        "only 3 clusters: the interval is too narrow below 20",
        "one cluster holds 2 of 4 tasks: the interval is too narrow",
    )


@pytest.mark.parametrize(
    ("sizes", "warned"),
    [
        pytest.param([1] * 20, 0, id="twenty"),
        pytest.param([1] * 19, 1, id="nineteen"),
        pytest.param([10] + [1] * 20, 0, id="exactly-a-third"),
        pytest.param([11] + [1] * 20, 1, id="more-than-a-third"),
    ],
)
def test_where_warnings_begin(sizes: list[int], warned: int) -> None:
    clusters = [str(c) for c, size in enumerate(sizes) for _ in range(size)]
    found = clustered([float(i % 2) for i in range(len(clusters))], clusters)
    assert len(found.warnings) == warned


def test_clusters_that_cancel_out_are_marked_though_they_round() -> None:
    found = clustered([0.3, 0.1, 0.1, 0.3, 0.2], ["a", "a", "b", "b", "c"])
    assert (found.se, found.interval.degenerate) == (0.0, True)


def test_every_task_has_a_cluster() -> None:
    with pytest.raises(ValueError, match="shorter"):
        cluster_mean([1.0, 0.0], ["a"])


def test_values_are_not_nan() -> None:
    with pytest.raises(ValueError, match="value 0 is nan"):
        cluster_mean([float("nan"), 0.0], ["a", "b"])
