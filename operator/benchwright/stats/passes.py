"""Success rate, pass@k and pass^k, of one task and of a corpus.

    pass@k = 1 - C(n-c, k) / C(n, k)    at least one of k trials succeeds (Chen et al. 2021,
                                        arXiv 2107.03374)
    pass^k = C(c, k) / C(n, k)          all of k trials succeed (τ-bench, arXiv 2406.12045);
                                        not (c/n)^k, which is another convention (tau2#497)

Both are undefined for fewer than k trials: 1.0 there, as human-eval gives even without a success
(human-eval#35), is wrong. Corpus values are means over tasks with equal weight; there is one only
where every task has k trials, since leaving short tasks out changes the corpus.
"""

from collections.abc import Callable, Sequence
from math import comb
from statistics import fmean

from benchwright.stats.values import NO_TASKS, NO_TRIALS, Count, Undefined


def pass_at_k(n: int, c: int, k: int) -> float | Undefined:
    """Unbiased estimate from `c` successes of `n` valid trials of one task."""
    # Integers: C(10000, 5000) has 3008 digits, and a float none of them.
    return _estimate(Count(n, c), k, lambda all_: all_ - comb(n - c, k))


def pass_hat_k(n: int, c: int, k: int) -> float | Undefined:
    """Unbiased estimate from `c` successes of `n` valid trials of one task."""
    return _estimate(Count(n, c), k, lambda _: comb(c, k))


def macro_pass_at_k(counts: Sequence[Count], k: int) -> float | Undefined:
    """Mean of pass@k over tasks; `counts` has one entry for each task of the corpus."""
    return _macro(counts, k, pass_at_k)


def macro_pass_hat_k(counts: Sequence[Count], k: int) -> float | Undefined:
    """Mean of pass^k over tasks; `counts` has one entry for each task of the corpus."""
    return _macro(counts, k, pass_hat_k)


def success_rate(counts: Sequence[Count]) -> float | Undefined:
    """Mean over tasks of their rates: each task weighs the same, however many trials it has."""
    found = [count.rate for count in counts]
    rates = [rate for rate in found if not isinstance(rate, Undefined)]
    if not found:
        return NO_TASKS
    if len(rates) < len(found):
        missing = len(found) - len(rates)
        return Undefined("no-trials", f"{missing} of {len(found)} tasks have no valid trial")
    return fmean(rates)


def _estimate(count: Count, k: int, favourable: Callable[[int], int]) -> float | Undefined:
    if k < 1:
        raise ValueError(f"k is {k}: it is at least 1")
    if count.n == 0:
        return NO_TRIALS
    if count.n < k:
        return Undefined("too-few-trials", f"{count.n} valid trials where k is {k}")
    drawn = comb(count.n, k)
    return favourable(drawn) / drawn


def _macro(
    counts: Sequence[Count], k: int, estimate: Callable[[int, int, int], float | Undefined]
) -> float | Undefined:
    # Most tasks of a corpus have the same few counts, and a report asks for every k.
    by_count = {count: estimate(count.n, count.c, k) for count in set(counts)}
    found = [by_count[count] for count in counts]
    values = [value for value in found if not isinstance(value, Undefined)]
    if not found:
        return NO_TASKS
    if len(values) < len(found):
        reason = f"{len(values)} of {len(found)} tasks have {k} trials"
        return Undefined("too-few-trials", reason)
    return fmean(values)
