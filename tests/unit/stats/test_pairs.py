"""Paired differences, McNemar's test, several tests at once."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_rel

from benchwright.stats.multiple import benjamini_hochberg, holm
from benchwright.stats.pairs import PairedDifference, mcnemar, paired_difference
from benchwright.stats.values import Uncertainty, Undefined

RATES = st.sampled_from([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
PAIRS = st.lists(st.tuples(RATES, RATES), min_size=2, max_size=20)


def paired(pairs: list[tuple[float, float]]) -> PairedDifference:
    found = paired_difference([a for a, _ in pairs], [b for _, b in pairs])
    assert isinstance(found, PairedDifference)
    return found


@given(PAIRS)
def test_swapping_the_agents_mirrors_the_interval(pairs: list[tuple[float, float]]) -> None:
    there, back = paired(pairs), paired([(b, a) for a, b in pairs])
    assert there.diff == pytest.approx(-back.diff, abs=1e-15)
    assert there.interval.low == pytest.approx(-back.interval.high, abs=1e-12)
    assert (there.p_value, there.correlation) == (
        back.p_value if isinstance(back.p_value, Undefined) else pytest.approx(back.p_value),
        back.correlation if isinstance(back.correlation, Undefined) else pytest.approx(back.correlation),
    )  # fmt: skip


@given(PAIRS)
def test_agrees_with_scipys_own(pairs: list[tuple[float, float]]) -> None:
    found = paired(pairs)
    if isinstance(found.p_value, Undefined):
        assert found.interval.degenerate
        return
    theirs = ttest_rel(*zip(*pairs, strict=True))
    assert found.t == pytest.approx(theirs.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(theirs.pvalue, abs=1e-9)
    assert not found.interval.degenerate
    assert found.interval.uncertainty is Uncertainty.COMPOSITION


@pytest.mark.parametrize(
    "pairs",
    [
        pytest.param([(0.5, 0.4)] * 3, id="equal"),
        pytest.param([(0.6, 0.4), (0.4, 0.2), (0.8, 0.6)], id="equal-but-for-rounding"),
        pytest.param([(1.0, 1.0), (0.0, 0.0)], id="the-same-agent"),
    ],
)
def test_equal_differences_are_marked_and_no_significance(pairs: list[tuple[float, float]]) -> None:
    """0.6-0.4, 0.4-0.2 and 0.8-0.6 are three floats: p would be 1e-31."""
    found = paired(pairs)
    assert (found.sd, found.interval.degenerate) == (0.0, True)
    assert isinstance(found.p_value, Undefined)
    assert found.p_value.code == "no-variance"


def test_missing_cells_drop_their_pair_and_are_told() -> None:
    """SWE-bench Pro: the naive gap of rates is 0.99 pp, and 2.1 pp over shared tasks."""
    found = paired_difference([1, None, 0, 1], [1, 1, None, 0])
    assert isinstance(found, PairedDifference)
    assert (found.diff, found.n, found.dropped) == (0.5, 2, 2)


@pytest.mark.parametrize(("a", "b"), [([], []), ([0.6], [0.4]), ([1.0, None], [None, 1.0])])
def test_one_shared_task_has_no_interval(a: list[float | None], b: list[float | None]) -> None:
    assert paired_difference(a, b) == Undefined("one-task", "fewer than 2 shared tasks")


def test_tasks_of_both_are_the_same() -> None:
    with pytest.raises(ValueError, match="shorter"):
        paired_difference([1.0, 0.0], [1.0])


def test_an_agent_that_never_varies_has_no_correlation() -> None:
    found = paired([(1.0, 0.0), (1.0, 1.0), (1.0, 0.0)])
    assert isinstance(found.correlation, Undefined)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_binomial_test_and_symmetric(a: int, b: int) -> None:
    found = mcnemar(a, b)
    assert found == mcnemar(b, a)
    expected = binomtest(a, a + b).pvalue if a + b else 1.0
    assert found.exact_p == pytest.approx(expected, abs=1e-9)


def test_mcnemar_of_many_tasks_does_not_overflow() -> None:
    assert mcnemar(3000, 3000).exact_p == 1.0
    assert 0.0 <= mcnemar(0, 2000).exact_p < 1e-300


def test_without_a_discordant_task_there_is_no_chi_square() -> None:
    found = mcnemar(0, 0)
    assert found.exact_p == 1.0
    assert isinstance(found.chi2_p, Undefined)


def test_discordant_tasks_are_not_negative() -> None:
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 3)


P_VALUES = st.lists(st.floats(0, 1), max_size=12)


@given(P_VALUES)
def test_adjusted_p_values_are_no_smaller_and_keep_their_order(p: list[float]) -> None:
    for adjust in (holm, benjamini_hochberg):
        found = adjust(p)
        assert len(found) == len(p)
        assert all(
            before <= after * (1 + 1e-12) <= 1 + 1e-9
            for before, after in zip(p, found, strict=True)
        )
        by_p = sorted(range(len(p)), key=p.__getitem__)
        ordered = [found[i] for i in by_p]
        assert all(x <= y * (1 + 1e-12) for x, y in pairwise(ordered))


@given(P_VALUES)
def test_holm_is_stricter(p: list[float]) -> None:
    both = zip(holm(p), benjamini_hochberg(p), strict=True)
    assert all(strict * (1 + 1e-12) >= lenient for strict, lenient in both)


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="a p-value of"):
        holm([0.5, p])
