"""Statistics of whole published data sets, under the names of `real_data` in a reference file.

Each set takes the rows of its table and what the file wants of it, which names the pairs and
examples to look at. A table has one row a trial: config, task, outcome, tokens, seconds.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median
from typing import Any, TypeGuard

from benchwright.stats.clusters import cluster_mean
from benchwright.stats.corpus import fixed_corpus, fixed_corpus_difference, within_task_variance
from benchwright.stats.items import item_rest, kr20
from benchwright.stats.pairs import PairedDifference, mcnemar, paired_difference
from benchwright.stats.pareto import frontier, frontier_of_known
from benchwright.stats.passes import macro_pass_at_k, macro_pass_hat_k, success_rate
from benchwright.stats.power import detectable_difference, tasks_needed
from benchwright.stats.proportions import wilson
from benchwright.stats.sets import overlap
from benchwright.stats.values import Count, Undefined

Rows = Sequence[Mapping[str, str]]
Values = dict[str, Any]
Counts = Mapping[str, Mapping[str, Count]]
"""Configuration → task → valid trials and successes; both in order of names."""

_K = 5
_SMALL_R, _GOOD_R = 0.1, 0.2


def known(value: float | Undefined) -> TypeGuard[float]:
    return not isinstance(value, Undefined)


def swebench_verified(rows: Rows, wanted: Mapping[str, Any]) -> Values:
    """134 configurations at 500 tasks, one trial each."""
    counts = counted(rows)
    names = list(next(iter(counts.values())))
    solved = {config: solved_tasks(cells) for config, cells in counts.items()}
    ranked = sorted(counts, key=lambda config: (-len(solved[config]), config))
    times = Counter(task for tasks in solved.values() for task in tasks)
    share = [times[task] / len(counts) for task in names]
    matrix = [[float(task in solved[config]) for task in names] for config in counts]
    pairs = [_swebench_pair(counts, pair["a"], pair["b"]) for pair in wanted["pairs"]]
    examples = {
        config: _wilson_example(solved[config], names) for config in wanted["wilson_examples"]
    }
    return {
        "configs": len(counts),
        "tasks": len(names),
        "overall_rate": sum(times.values()) / len(rows),
        "tasks_never_solved": sum(s == 0 for s in share),
        "tasks_always_solved": sum(s == 1 for s in share),
        "tasks_20_80": sum(0.2 <= s <= 0.8 for s in share),
        "tasks_below_5pct": sum(s < 0.05 for s in share),
        "tasks_at_least_95pct": sum(s >= 0.95 for s in share),
        "item_rest": _swebench_items(matrix, names, wanted["item_rest"]["examples"]),
        "kr20": kr20(matrix),
        "cohorts": {
            f"top{n}": cohort([solved[c] for c in ranked[:n]], names) for n in (5, 10, 25, 50)
        },
        "top10": [[config, len(solved[config])] for config in ranked[:10]],
        "pairs": pairs,
        "wilson_examples": examples,
        "mde_top_pair": _planning(_paired(counts, ranked[0], ranked[1]), len(names)),
    }


def terminal_bench2_terminus2(rows: Rows, wanted: Mapping[str, Any]) -> Values:
    """One agent with 16 models at 74 tasks, 1 to 9 trials each."""
    counts = counted(rows)
    names = sorted({row["task"] for row in rows})
    rates = {config: [cells[task].rate for task in names] for config, cells in counts.items()}
    matrix = [[rate for rate in of_one if known(rate)] for of_one in rates.values()]
    means = [fmean(column) for column in zip(*matrix, strict=True)]
    histogram = Counter(str(cell.n) for cells in counts.values() for cell in cells.values())
    by = {config: _terminal_bench_config(config, counts[config], rows) for config in counts}
    # Tokens of a mean trial: their sum would favour whoever was tried less often.
    cost = {config: values["tokens_out"] / values["trials"] for config, values in by.items()}
    on = frontier([(cost[config], by[config]["pass_at_1_macro"]) for config in counts])
    return {
        "configs": len(counts),
        "tasks": len(names),
        "trials": len(rows),
        "cells": sum(histogram.values()),
        "missing_cells": len(counts) * len(names) - sum(histogram.values()),
        "trial_count_histogram": dict(histogram),
        "by_config": by,
        "tasks_20_80": sum(0.2 <= mean <= 0.8 for mean in means),
        "tasks_zero": sum(mean == 0 for mean in means),
        "item_rest_complete_tasks": {"n_tasks": len(names)} | _items(item_rest(matrix)),
        "pairs": [_terminal_bench_pair(counts, p["a"], p["b"]) for p in wanted["pairs"]],
        "pareto_output_tokens_vs_pass1": [c for c, kept in zip(counts, on, strict=True) if kept],
        "mean_within_task_variance_by_config": {
            # One trial shows no variance: these tasks are left out of a plan's mean.
            config: within_task_variance([cell for cell in cells.values() if cell.n > 1])
            for config, cells in counts.items()
        },
    }


def aider_polyglot(rows: Rows, _wanted: Mapping[str, Any]) -> Values:
    """69 configurations with cost and rate. A cost of 0 was not measured: it is unknown."""
    costs = [float(row["total_cost_usd"] or 0) or None for row in rows]
    points = [(cost, float(row["pass_rate_2"])) for cost, row in zip(costs, rows, strict=True)]
    on = frontier_of_known(points)
    kept = [(row["model"], *p) for row, p, k in zip(rows, points, on, strict=True) if k is True]
    return {
        "configs": len(rows),
        "cost_unknown_or_zero": sum(isinstance(k, Undefined) for k in on),
        "frontier": [list(point) for point in sorted(kept, key=lambda point: point[1] or 0)],
    }


SETS: Mapping[str, tuple[str, Callable[[Rows, Mapping[str, Any]], Values]]] = {
    "swebench_verified": ("swebench_verified_134x500.csv", swebench_verified),
    "terminal_bench2_terminus2": (
        "terminal_bench2_terminus2_trials.csv",
        terminal_bench2_terminus2,
    ),
    "aider_polyglot": ("aider_polyglot_configs.csv", aider_polyglot),
}
"""Name in `real_data` → its table (it may be packed as .gz) and what computes it."""

NOT_COMPUTED = {"cohorts_published_issue_650", "irt", "wrong_if_zero_cost_kept"}
"""What a file tells beyond statistics: others' publication, a fit, and what would be wrong."""


def counted(rows: Rows) -> Counts:
    """Cells of a table of trials; invalid trials are in none."""
    outcomes: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["outcome"] != "invalid":
            outcomes[row["config"]][row["task"]].append(row["outcome"])
    return {
        config: {task: Count(len(o), o.count("success")) for task, o in sorted(tasks.items())}
        for config, tasks in sorted(outcomes.items())
    }


def solved_tasks(cells: Mapping[str, Count]) -> set[str]:
    """Tasks with any success."""
    return {task for task, cell in cells.items() if cell.c}


def cohort(solved: Sequence[set[str]], tasks: Sequence[str]) -> Values:
    """Tasks that tell nothing between configurations: all or none of them solve them."""
    every = len(set.intersection(*solved))
    none = len(tasks) - len(set.union(*solved))
    return {"dead": every + none, "all_solve": every, "none_solve": none}


def _paired(counts: Counts, a: str, b: str) -> PairedDifference:
    found = paired_difference(_rates(counts[a]), _rates(counts[b]))
    if isinstance(found, Undefined):
        raise ValueError(f"{a} and {b}: {found.reason}")
    return found


def _rates(cells: Mapping[str, Count]) -> list[float | None]:
    return [rate if known(rate := cell.rate) else None for cell in cells.values()]


def _difference(found: PairedDifference) -> Values:
    ends = {"low": found.interval.low, "high": found.interval.high}
    return {"diff": found.diff, "se_paired": found.se} | ends


def _swebench_pair(counts: Counts, a: str, b: str) -> Values:
    found, names = _paired(counts, a, b), set(counts[a])
    solved_a, solved_b = solved_tasks(counts[a]), solved_tasks(counts[b])
    successes, failures = overlap(solved_a, solved_b), overlap(names - solved_a, names - solved_b)
    test = mcnemar(successes.only_a, successes.only_b)
    differences = [counts[a][task].c - counts[b][task].c for task in counts[a]]
    by_repository = cluster_mean(differences, [task.rsplit("-", 1)[0] for task in counts[a]])
    if isinstance(by_repository, Undefined):
        raise ValueError(f"{a} and {b}: {by_repository.reason}")
    return (
        {"a": a, "b": b, "se_unpaired": found.se_unpaired}
        | _difference(found)
        | {
            "only_a": successes.only_a,
            "only_b": successes.only_b,
            "both": successes.both,
            "neither": failures.both,
            "jaccard_success": successes.jaccard,
            "jaccard_failure": failures.jaccard,
            "mcnemar_exact_p": test.exact_p,
            "mcnemar_chi2cc_p": test.chi2_p,
            "cluster_by_repo": {
                "clusters": by_repository.clusters,
                "se": by_repository.se,
                "df": by_repository.df,
                "low": by_repository.interval.low,
                "high": by_repository.interval.high,
            },
        }
    )


def _terminal_bench_pair(counts: Counts, a: str, b: str) -> Values:
    found = _paired(counts, a, b)
    cells_a, cells_b = list(counts[a].values()), list(counts[b].values())
    noise = fixed_corpus_difference(cells_a, cells_b)
    any_success = overlap(solved_tasks(counts[a]), solved_tasks(counts[b]))
    return (
        {"a": a, "b": b, "shared_tasks": found.n}
        | _difference(found)
        | {
            "se_run_noise": noise if isinstance(noise, Undefined) else noise.se,
            "jaccard_any_success": any_success.jaccard,
        }
    )


def _terminal_bench_config(config: str, cells: Mapping[str, Count], rows: Rows) -> Values:
    mine = [row for row in rows if row["config"] == config]
    counts = list(cells.values())
    eligible = [count for count in counts if count.n >= _K]
    noise = fixed_corpus(counts)
    rates = [rate for count in counts if known(rate := count.rate)]
    alone = cluster_mean(rates, range(len(rates)))
    tokens = [sum(int(row[name]) for row in mine) for name in ("tokens_in", "tokens_out")]
    seconds = [float(row["seconds"]) for row in mine]
    successes = sum(count.c for count in counts)
    return {
        "tasks": len(counts),
        "missing_tasks": sorted({row["task"] for row in rows} - set(cells)),
        "trials": len(mine),
        "min_n": min(count.n for count in counts),
        "max_n": max(count.n for count in counts),
        "pass_at_1_macro": success_rate(counts),
        "pooled_rate": successes / sum(count.n for count in counts),
        "se_task_clt": alone if isinstance(alone, Undefined) else alone.se_clt,
        "se_run_only": noise if isinstance(noise, Undefined) else noise.se,
        "pass_at_5": {
            "eligible_tasks": len(eligible),
            "value": macro_pass_at_k(eligible, _K),
            "pass_hat_5": macro_pass_hat_k(eligible, _K),
        },
        "tokens_in": tokens[0],
        "tokens_out": tokens[1],
        "mean_seconds": fmean(seconds),
        "median_seconds": median(seconds),
        "tokens_per_success": sum(tokens) / successes,
    }


def _items(found: Sequence[float | Undefined]) -> Values:
    values = [r for r in found if known(r)]
    return {
        "undefined": len(found) - len(values),
        "mean": fmean(values),
        "ge_020": sum(r >= _GOOD_R for r in values),
        "lt_010": sum(r < _SMALL_R for r in values),
        "negative": sum(r < 0 for r in values),
    }


def _swebench_items(
    matrix: Sequence[Sequence[float]], names: Sequence[str], examples: Mapping[str, object]
) -> Values:
    found = dict(zip(names, item_rest(matrix), strict=True))
    values = [r for r in found.values() if known(r)]
    return _items(list(found.values())) | {
        "median": median(values),
        "min": min(values),
        "max": max(values),
        "examples": {name: found[name] for name in examples},
    }


def _wilson_example(solved: set[str], names: Sequence[str]) -> Values:
    count = Count(len(names), len(solved))
    found = wilson(count)
    ends = found if isinstance(found, Undefined) else [found.low, found.high]
    return {"c": count.c, "n": count.n, "ci": ends}


def _planning(found: PairedDifference, tasks: int) -> Values:
    least, needed = detectable_difference(found.sd, tasks), tasks_needed(found.sd, 0.05)
    return {
        "sd_diff": found.sd,
        "mde_80_at_500": least if isinstance(least, Undefined) else least.normal,
        "n_for_5pp": needed if isinstance(needed, Undefined) else needed.normal,
    }
