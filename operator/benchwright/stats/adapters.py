"""Statistics by the names, inputs and outputs of a file of reference cases.

An adapter reads `inputs` and gives the outputs by name, or Undefined where there are none. It
names a flag (`degenerate`, `zero_variance` …) only where it is set, since the cases do so.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

import numpy as np

from benchwright.stats import (
    bootstrap,
    cells,
    clusters,
    corpus,
    irt,
    items,
    multiple,
    pairs,
    pareto,
    passes,
    power,
    proportions,
    runs,
    sets,
)
from benchwright.stats.values import Count, Interval, Undefined

Inputs = Mapping[str, Any]
"""As JSON gives them: an adapter raises KeyError, TypeError or ValueError for what is not right."""
Outputs = dict[str, object]
Adapter = Callable[[Inputs], "Outputs | Undefined"]

MONTE_CARLO_RESAMPLES, MONTE_CARLO_SEED = 20_000, 1
_MILLER_TASKS, _TRIALS = 198, 10
"""Sizes that the cases' `mde_at_198` and `mde_at_10` name."""


def _counts(given: Sequence[Sequence[int]]) -> list[Count]:
    """[[n, c], …]."""
    return [Count(n, c) for n, c in given]


def _ends(interval: Interval) -> Outputs:
    return {"low": interval.low, "high": interval.high}


def _value(value: float | Undefined) -> Outputs | Undefined:
    return value if isinstance(value, Undefined) else {"value": value}


def _wilson(i: Inputs) -> Outputs | Undefined:
    found = proportions.wilson(Count(i["n"], i["successes"]), i["confidence"])
    return found if isinstance(found, Undefined) else _ends(found)


def _pass_at_k(i: Inputs) -> Outputs | Undefined:
    return _value(passes.pass_at_k(i["n"], i["c"], i["k"]))


def _pass_hat_k(i: Inputs) -> Outputs | Undefined:
    return _value(passes.pass_hat_k(i["n"], i["c"], i["k"]))


def _macro_average(i: Inputs) -> Outputs:
    counts = _counts(i["tasks"])
    return {
        "pass_at_k": passes.macro_pass_at_k(counts, i["k"]),
        "pass_hat_k": passes.macro_pass_hat_k(counts, i["k"]),
        "pass_at_1": passes.success_rate(counts),
    }


def _t_quantile(i: Inputs) -> Outputs:
    return {"value": runs.t_quantile(i["p"], i["df"])}


def _t_runs(i: Inputs) -> Outputs | Undefined:
    means = i["run_means"]
    found = runs.over_runs(means, i["confidence"])
    if not isinstance(found, Undefined):
        return {"mean": found.mean, "sd": found.sd, "se": found.se, "df": found.df} | _ends(
            found.interval
        )
    return {"mean": fmean(means), "undefined_interval": True} if means else found


def _fixed_corpus_se(i: Inputs) -> Outputs | Undefined:
    found = corpus.fixed_corpus(_counts(i["tasks"]))
    return found if isinstance(found, Undefined) else {"pass_at_1": found.value, "se": found.se}


def _fixed_corpus_diff(i: Inputs) -> Outputs | Undefined:
    found = corpus.fixed_corpus_difference(_counts(i["a"]), _counts(i["b"]))
    return found if isinstance(found, Undefined) else {"diff": found.value, "se": found.se}


def _paired_diff(i: Inputs) -> Outputs | Undefined:
    a, b = i["a"], i["b"]
    found = pairs.paired_difference(a, b, i["confidence"])
    if isinstance(found, Undefined):
        lone = [x - y for x, y in zip(a, b, strict=True) if None not in (x, y)]
        return {"diff": lone[0], "undefined_interval": True} if lone else found
    if found.dropped:  # such a case is about what was dropped
        return {"diff": found.diff, "n_shared": found.n, "dropped": found.dropped}
    outputs: Outputs = {"diff": found.diff, "sd_diff": found.sd, "se_paired": found.se}
    outputs |= {"df": found.df, "se_unpaired": found.se_unpaired} | _ends(found.interval)
    if found.interval.degenerate:
        return outputs | {"zero_variance": True}
    return outputs | {"t": found.t, "p_value": found.p_value, "correlation": found.correlation}


def _mcnemar(i: Inputs) -> Outputs:
    found = pairs.mcnemar(i["only_a"], i["only_b"])
    return {"exact_p": found.exact_p, "chi2_cc_p": found.chi2_p}


def _holm(i: Inputs) -> Outputs:
    return {"adjusted": multiple.holm(i["p"]), "bh": multiple.benjamini_hochberg(i["p"])}


def _cluster_se(i: Inputs) -> Outputs | Undefined:
    found = clusters.cluster_mean(i["values"], i["clusters"])
    if isinstance(found, Undefined):
        return found
    names = ("mean", "n", "clusters", "se_clt", "se_cr0", "se_miller", "se", "df")
    return {name: getattr(found, name) for name in names} | _ends(found.interval)


def _bootstrap(i: Inputs) -> bootstrap.Bootstrap | Undefined:
    return bootstrap.task_bootstrap(
        i["task_means"],
        resamples=MONTE_CARLO_RESAMPLES,
        rng=np.random.default_rng(MONTE_CARLO_SEED),
        level=i["confidence"],
    )


def _bootstrap_exact(i: Inputs) -> Outputs | Undefined:
    found = _bootstrap(i)
    if isinstance(found, Undefined):
        return found
    if not found.exact:
        raise ValueError(f"more than {bootstrap.ENUMERATED} tasks are not enumerated")
    low, high = found.interval.low, found.interval.high
    outputs: Outputs = {"mean": found.mean, "boot_se": found.se}
    outputs |= {"low_inverted_cdf": low, "high_inverted_cdf": high}
    return outputs | ({"degenerate": True} if found.interval.degenerate else {})


def _bootstrap_mc(i: Inputs) -> Outputs | Undefined:
    found = _bootstrap(i)
    if isinstance(found, Undefined):
        return found
    return {"mean": found.mean, "boot_se": found.se} | _ends(found.interval)


def _power_paired_n(i: Inputs) -> Outputs | Undefined:
    found = power.tasks_needed(i["sd_diff"], i["delta"], i["alpha"], i["power"])
    if isinstance(found, Undefined):
        return found
    return {
        "n_normal": found.normal,
        "n_normal_ceil": power.whole(found.normal),
        "n_t": found.t,
        "n_t_ceil": found.tasks,
    }


def _power_mde(i: Inputs) -> Outputs | Undefined:
    found = power.detectable_difference(i["sd_diff"], i["n_tasks"], i["alpha"], i["power"])
    if isinstance(found, Undefined):
        return found
    return {"mde_normal": found.normal, "mde_t": found.t}


def _power_miller_n(i: Inputs) -> Outputs:
    what = (i["omega2"], i["sigma2_a"], i["sigma2_b"], i["k_a"], i["k_b"])
    risks = (i["alpha"], i["power"])
    return {
        "n": power.miller_tasks(*what, i["delta"], *risks),
        "mde_at_198": power.miller_difference(*what, _MILLER_TASKS, *risks),
    }


def _power_run_noise(i: Inputs) -> Outputs | Undefined:
    what, risks = (i["sigma2_a"], i["sigma2_b"], i["tasks"]), (i["alpha"], i["power"])
    trials = power.trials_needed(*what, i["delta"], *risks)
    if isinstance(trials, Undefined):
        return trials
    return {
        "trials_per_task": trials,
        "ceil": power.whole(trials),
        "mde_at_10": power.detectable_run_noise(*what, _TRIALS, *risks),
    }


def _item_rest(i: Inputs) -> Outputs:
    return {"r": items.item_rest(i["matrix_configs_by_tasks"])}


def _item_rest_observations(i: Inputs) -> Outputs:
    rows, n = i["successes_configs_by_tasks"], i["trials"]
    found = items.item_rest_observations([[Count(n, c) for c in row] for row in rows])
    return {"r": found, "n_observations": n * len(rows), "n_configs": len(rows)}


def _fisher_ci(i: Inputs) -> Outputs | Undefined:
    found = items.fisher_interval(i["r"], i["n"])
    return found if isinstance(found, Undefined) else _ends(found)


def _percent(rate: float) -> int:
    percent = round(rate * 100)
    if abs(percent - rate * 100) > 1e-9:
        raise ValueError(f"a threshold of {rate}: whole percents only")
    return percent


def _saturation(i: Inputs) -> Outputs:
    references, percent = _counts(i["reference_configs"]), _percent(i["min_rate"])
    flag = items.saturated(references, min_percent=percent, min_trials=i["min_trials"])
    return {"flag": flag}


def _floor(i: Inputs) -> Outputs:
    return {"flag": items.floor(_counts(i["configs"]), max_percent=_percent(i["max_rate"]))}


def _jaccard(i: Inputs) -> Outputs:
    found = asdict(sets.overlap(set(i["a"]), set(i["b"])))
    return {"value": found.pop("jaccard")} | found


def _pareto(i: Inputs) -> Outputs:
    points = [(cost, score) for cost, score in i["points_cost_score"]]
    return {"on_frontier": pareto.frontier_of_known(points)}


def _irt_2pl(i: Inputs) -> Outputs:
    return irt.two_parameter(i["theta"], i["a"], i["b"])._asdict()


def _cell(i: Inputs) -> Outputs:
    found = cells.tally(i["outcomes"], i["required_trials"])
    names = ("n_valid", "successes", "timeouts", "invalid", "complete")
    flag = {"undefined_rate": True} if isinstance(found.count.rate, Undefined) else {}
    return {name: getattr(found, name) for name in names} | flag


ADAPTERS: Mapping[str, Adapter] = {
    "bootstrap_exact": _bootstrap_exact,
    "bootstrap_mc": _bootstrap_mc,
    "cell": _cell,
    "cluster_se": _cluster_se,
    "fisher_ci": _fisher_ci,
    "fixed_corpus_diff": _fixed_corpus_diff,
    "fixed_corpus_se": _fixed_corpus_se,
    "floor": _floor,
    "holm": _holm,
    "irt_2pl": _irt_2pl,
    "item_rest": _item_rest,
    "item_rest_observations": _item_rest_observations,
    "jaccard": _jaccard,
    "macro_average": _macro_average,
    "mcnemar": _mcnemar,
    "paired_diff": _paired_diff,
    "pareto": _pareto,
    "pass_at_k": _pass_at_k,
    "pass_hat_k": _pass_hat_k,
    "power_mde": _power_mde,
    "power_miller_n": _power_miller_n,
    "power_paired_n": _power_paired_n,
    "power_run_noise": _power_run_noise,
    "saturation": _saturation,
    "t_quantile": _t_quantile,
    "t_runs": _t_runs,
    "wilson": _wilson,
}
"""Every statistic that a case may name."""
