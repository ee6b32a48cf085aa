"""CSV files beside the page. Unknown is an empty cell, never 0; no cell is a formula.

Every row carries of what it is: results.csv by its own columns, the others by the last ones.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from benchwright.analysis.items import Item
from benchwright.analysis.observations import Dataset, Observation
from benchwright.analysis.pairwise import Pair
from benchwright.analysis.standings import KS, Amount, Standing
from benchwright.reports.report import Report
from benchwright.stats.values import Interval, Undefined

Value = str | int | float | Decimal | bool | None
Row = tuple[Value, ...]
# What a spreadsheet takes for a formula (OWASP, CSV injection).
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
_TIDY = (
    "config", "model_family", "task", "trial", "outcome", "cost_usd", "tokens_in", "tokens_out", "seconds",
)  # fmt: skip


def written(header: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """RFC 4180, with a header line."""
    return written_rows([header]) + written_rows(rows)


def written_rows(rows: Iterable[Sequence[Value]]) -> str:
    """The same without one."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows([cell(value) for value in row] for row in rows)
    return out.getvalue()


def cell(value: object) -> str:
    """One value; text that a spreadsheet would compute gets an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA_STARTS) else value
    return str(value)


def tidy(data: Dataset) -> list[dict[str, Value]]:
    """Observations as rows of the tidy format, for data that came as such."""
    families = {c.key: c.family for c in data.configs}
    return [dict(zip(_TIDY, _tidy(o, families[o.config]), strict=True)) for o in data.observations]


def _tidy(one: Observation, family: str | None) -> Row:
    spent = one.spent
    return (
        one.config, family, one.task, one.block, one.outcome, spent.cost_usd, spent.tokens_in,
        spent.tokens_out, one.seconds.total,
    )  # fmt: skip


def tidy_csv(data: Dataset) -> str:
    """The same as a file."""
    return written(_TIDY, ([*row.values()] for row in tidy(data)))


def _known(value: float | Undefined) -> float | None:
    return None if isinstance(value, Undefined) else value


def _ends(value: Interval | Undefined) -> tuple[Value, Value, Value]:
    """Low, high, and why there are none or what is odd about them."""
    if isinstance(value, Undefined):
        return None, None, value.code
    return value.low, value.high, "degenerate" if value.degenerate else None


_PAIR = (
    "a", "b", "a_digest", "b_digest", "shared_tasks", "dropped_tasks", "fewest_trials", "difference",
    "over_tasks", "over_tasks_low", "over_tasks_high", "over_tasks_note", "over_tasks_uncertainty",
    "over_runs", "over_runs_low", "over_runs_high", "over_runs_note", "p_value", "p_holm", "p_mcnemar",
    "both_solved", "both_failed", "only_a_failed", "only_b_failed", "intermittent", "jaccard_failed",
)  # fmt: skip


def pairs_csv(report: Report) -> str:
    """All pairs; differences and interval ends are of rates, 0 to 1."""
    digests = {c.key: c.digest for c in report.data.configs}
    return _with_origin(report.data, _PAIR, (_pair(p, digests) for p in report.pairs))


def _pair(p: Pair, digests: Mapping[str, str | None]) -> Row:
    kind = None if isinstance(p.composition, Undefined) else str(p.composition.uncertainty)
    return (
        p.a, p.b, digests[p.a], digests[p.b], p.shared, p.dropped, p.fewest, _known(p.difference),
        p.over_tasks, *_ends(p.composition), kind, p.over_runs, *_ends(p.run_noise),
        _known(p.p_value), _known(p.holm), _known(p.mcnemar), p.both_solved, p.both_failed,
        p.only_a_failed, p.only_b_failed, p.intermittent, _known(p.jaccard_failed),
    )  # fmt: skip


_TASK = (
    "task", "name", "digest", "kind", "trials", "successes", "wilson_low", "wilson_high", "wilson_note",
    "panel_average", "item_rest", "item_rest_low", "item_rest_high", "item_rest_note", "saturated",
    "floor", "review",
)  # fmt: skip


def tasks_csv(report: Report) -> str:
    """Item statistics of all tasks."""
    return _with_origin(report.data, _TASK, map(_task, report.calibration.items))


def _task(i: Item) -> Row:
    return (
        i.task.key, i.task.name, i.task.digest, i.task.kind, i.pooled.n, i.pooled.c, *_ends(i.interval),
        _known(i.panel_average), _known(i.item_rest), *_ends(i.item_rest_interval), i.saturated, i.floor,
        "; ".join(i.reviews),
    )  # fmt: skip


_AGENT = (
    "agent", "name", "digest", "scaffold", "model", "model_family", "effort", "success_rate",
    "run_noise_low", "run_noise_high", "run_noise_note", "complete_runs", "by_task_low", "by_task_high",
    "by_task_note", "composition_low", "composition_high", "composition_note", "clustered_by",
    "criterion_score", "valid", "successes", "timeouts", "invalid", "missing", "fewest_trials",
    *(f"pass_at_{k}" for k in KS), *(f"pass_hat_{k}" for k in KS), "cost_usd", "cost_unknown_trials",
    "tokens_in", "tokens_cached", "tokens_out", "tokens_unknown_trials",
    "seconds", "agent_seconds", "seconds_unknown_trials",
)  # fmt: skip


def agents_csv(report: Report) -> str:
    """Standings; sums are of what is known, and the columns after them say of how many trials it is
    not."""
    return _with_origin(report.data, _AGENT, map(_agent, report.standings))


def _agent(s: Standing) -> Row:
    c = s.config
    spans = (s.over_runs, s.fixed_corpus, s.composition)
    runs, by_task, composition = (v if isinstance(v, Undefined) else v.interval for v in spans)
    return (
        c.key, c.name, c.digest, c.scaffold, c.model, c.family, c.effort, _known(s.rate), *_ends(runs),
        s.complete_runs, *_ends(by_task), *_ends(composition), s.clustered_by, _known(s.criterion_score),
        s.valid, s.successes, s.timeouts, s.invalid, s.missing, s.fewest,
        *(_known(s.pass_at[k]) for k in KS), *(_known(s.pass_hat[k]) for k in KS),
        *_sum(s.cost), _sum(s.tokens_in)[0], _sum(s.tokens_cached)[0], *_sum(s.tokens_out),
        _sum(s.seconds)[0], *_sum(s.agent_seconds),
    )  # fmt: skip


def _sum(amount: Amount) -> tuple[Value, int]:
    """Nothing where nothing is known: an empty cell is not 0."""
    return (amount.known if amount.unknown < amount.trials else None), amount.unknown


def _with_origin(data: Dataset, header: Sequence[str], rows: Iterable[Row]) -> str:
    of = data.provenance
    origin = {
        "data": of.runs or (data.title,), "corpus": of.corpus_digests, "protocol": of.protocols,
        "network": of.networks, "first_start": (of.first_start,), "last_outcome": (of.last_outcome,),
    }  # fmt: skip
    values = [" ".join(v for v in several if v) or None for several in origin.values()]
    return written((*header, *origin), ((*row, *values) for row in rows))
