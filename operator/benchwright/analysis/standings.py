"""How each configuration did over the corpus, with every uncertainty under its own name."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from statistics import median

from benchwright.analysis.grid import Grid
from benchwright.analysis.observations import Config, Observation
from benchwright.stats.clusters import ClusterMean, cluster_mean
from benchwright.stats.corpus import Estimate, fixed_corpus
from benchwright.stats.passes import macro_pass_at_k, macro_pass_hat_k, success_rate
from benchwright.stats.runs import RunMeans, over_runs
from benchwright.stats.values import Uncertainty, Undefined

KS = (2, 3, 5, 10)
MIN_CLUSTERS = 2


@dataclass(frozen=True)
class Amount:
    """A sum over all trials and attempts. `unknown` trials are not in it: it is a lower bound then."""

    known: Decimal
    unknown: int
    trials: int

    @property
    def total(self) -> Decimal | None:
        """None where anything is unknown."""
        return self.known if not self.unknown else None


@dataclass(frozen=True)
class Standing:
    """One configuration. What cannot be said is Undefined, with a reason."""

    config: Config
    rate: float | Undefined
    """Primary: complete success, pass@1, mean over tasks with equal weight."""
    over_runs: RunMeans | Undefined
    """Student-t over complete repeated runs: run noise on the fixed corpus."""
    fixed_corpus: Estimate | Undefined
    """The same from the variance within tasks: works with unequal numbers of trials."""
    composition: ClusterMean | Undefined
    """Over tasks, each by itself or, where tasks share a cluster, by clusters."""
    clustered_by: str | None
    criterion_score: float | Undefined
    """Secondary: macro mean of normalised criterion scores over tasks that have criteria."""
    pass_at: dict[int, float | Undefined]
    pass_hat: dict[int, float | Undefined]
    valid: int
    successes: int
    timeouts: int
    invalid: int
    missing: int
    complete_runs: int
    """Repeated runs in which every task has a valid trial."""
    fewest: int
    """Valid trials of the task that has the fewest."""
    cost: Amount
    tokens_in: Amount
    tokens_cached: Amount
    """Of the input, what was read from a cache."""
    tokens_out: Amount
    seconds: Amount
    """Wall time of trials, harness and evaluator included."""
    agent_seconds: Amount
    median_seconds: float | None

    @property
    def observed(self) -> int:
        return self.valid + self.invalid


def standings(grid: Grid) -> list[Standing]:
    """Best first; configurations whose rate is undefined come last. Ties by name: no rank is meant."""
    found = [_standing(grid, config) for config in grid.data.configs]
    return sorted(found, key=_place)


def _place(one: Standing) -> tuple[bool, float, str]:
    rate = one.rate
    return (
        isinstance(rate, Undefined),
        0.0 if isinstance(rate, Undefined) else -rate,
        one.config.key,
    )


def _standing(grid: Grid, config: Config) -> Standing:
    counts, row = grid.counts(config.key), grid.row(config.key)
    seen = grid.data.of(config.key)
    means = run_means(grid, config)
    composition, by = _composition(grid, config)
    return Standing(
        config=config,
        rate=success_rate(counts),
        over_runs=over_runs(means),
        fixed_corpus=fixed_corpus(counts),
        composition=composition,
        clustered_by=by,
        criterion_score=_criterion_score(seen),
        pass_at={k: macro_pass_at_k(counts, k) for k in KS},
        pass_hat={k: macro_pass_hat_k(counts, k) for k in KS},
        valid=sum(c.n for c in counts),
        successes=sum(c.c for c in counts),
        timeouts=sum(c.cell.timeouts for c in row),
        invalid=sum(c.cell.invalid for c in row),
        missing=sum(c.cell.missing for c in row),
        complete_runs=len(means),
        fewest=min((c.n for c in counts), default=0),
        cost=_amount([o.spent.cost_usd for o in seen]),
        tokens_in=_amount([o.spent.tokens_in for o in seen]),
        tokens_cached=_amount([o.spent.tokens_cached for o in seen]),
        tokens_out=_amount([o.spent.tokens_out for o in seen]),
        seconds=_amount([o.seconds.total for o in seen]),
        agent_seconds=_amount([o.seconds.agent for o in seen]),
        median_seconds=median_of([o.seconds.total for o in seen if o.valid]),
    )


def run_means(grid: Grid, config: Config) -> list[float]:
    """Success rate of each complete repeated run: one valid trial of every task. Others are left out,
    for a run that lacks its hardest tasks is not a run of the corpus."""
    blocks: dict[str, dict[str, bool]] = defaultdict(dict)
    for one in grid.data.of(config.key):
        if one.valid:
            blocks[one.block][one.task] = one.outcome == "success"
    tasks = len(grid.data.tasks)
    whole = [blocks[b] for b in sorted(blocks) if len(blocks[b]) == tasks]
    return [sum(run.values()) / tasks for run in whole]


def _composition(grid: Grid, config: Config) -> tuple[ClusterMean | Undefined, str | None]:
    rates = grid.rates(config.key)
    if any(r is None for r in rates) or not rates:
        return Undefined("no-valid-trials", "a task has no valid trial"), None
    values = [r for r in rates if r is not None]
    by, clusters = clusters_of(grid)
    return _named(cluster_mean(values, clusters), by), by


def _named(mean: ClusterMean | Undefined, by: str | None) -> ClusterMean | Undefined:
    """With every task a cluster of its own it is the plain interval, and is called so."""
    if by is not None or isinstance(mean, Undefined):
        return mean
    plain = replace(mean.interval, uncertainty=Uncertainty.COMPOSITION)
    return replace(mean, interval=plain, warnings=())


def clusters_of(grid: Grid) -> tuple[str | None, list[str]]:
    """What tasks are clustered by, the widest grouping that all of them name and that joins any; and
    each task's cluster. Where there is none, every task is its own."""
    tasks = grid.data.tasks
    for by in ("repository", "family", "issue"):
        names = [t.clusters.get(by) for t in tasks]
        if all(names) and MIN_CLUSTERS <= len(set(names)) < len(tasks):
            return by, [str(n) for n in names]
    return None, [t.key for t in tasks]


def _criterion_score(seen: Sequence[Observation]) -> float | Undefined:
    by_task: dict[str, list[float]] = defaultdict(list)
    for one in seen:
        if one.valid and one.score is not None:
            by_task[one.task].append(one.score)
    if not by_task:
        return Undefined("no-criteria", "no valid trial has a criterion score")
    return sum(sum(v) / len(v) for v in by_task.values()) / len(by_task)


def _amount(values: Sequence[Decimal | float | None]) -> Amount:
    known = [Decimal(str(v)) for v in values if v is not None]
    return Amount(sum(known, Decimal(0)), len(values) - len(known), len(values))


def median_of(values: Sequence[float | None]) -> float | None:
    """None where any is unknown, for the known ones may be the quick ones."""
    known = [v for v in values if v is not None]
    return median(known) if known and len(known) == len(values) else None
