"""What a report's data allow to be said, and what not, in sentences."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from benchwright.analysis.comparison import CLOSE_TRIALS, PUBLISHED_TRIALS
from benchwright.analysis.observations import Observation
from benchwright.analysis.standings import Standing
from benchwright.reports.identity import changed_models, changed_systems
from benchwright.reports.provenance import warnings
from benchwright.reports.report import Report
from benchwright.reports.summary import Record, findings, valid_only
from benchwright.stats.values import Undefined

_NAMED = 6
"""Configurations that a sentence names; then it says how many more there are."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence. `stop`: do not publish before this is mended; `note`: say it with the numbers."""

    kind: Literal["may", "note", "stop"]
    text: str


def claims(report: Report) -> list[Claim]:
    """All sentences that the data call for, the gravest first."""
    if not report.data.observations:
        what = "There is no finished trial: nothing can be said."
        if report.private:
            what = "All tasks are private: what may be told of them is told under Private tasks."
        return [Claim("stop", what)]
    found = [Claim("stop", text) for text in _stops(report)]
    found += [Claim("note", text) for text in _notes(report)]
    return found + [Claim("may", text) for text in _may(report)]


def _stops(report: Report) -> Iterator[str]:
    yield from _private(report)
    yield from warnings(report.data)
    yield from _namesakes(report)
    yield from _missing(report)
    yield from _too_few(report.standings)
    yield from _odd(report.records)
    yield from changed_models(report.records)


def _notes(report: Report) -> Iterator[str]:
    yield from _changed(report)
    yield from _nodes(report)
    yield from changed_systems(report.records)
    yield from _invalid(report.standings)
    yield from _timeouts(report)
    yield from _repeated(report.records)
    yield from _unknown(report.data.observations)
    yield from _unmeasured(report.records)
    yield from _close(report)


def _private(report: Report) -> Iterator[str]:
    private = sum(t.private for t in report.data.tasks)
    if private:
        yield (
            f"{private} of {len(report.data.tasks)} tasks are private, and they are named here: "
            "`benchwright report --public` writes a report that may be given away."
        )


def _namesakes(report: Report) -> Iterator[str]:
    """Who asks for a run by name means one of them."""
    runs = report.data.provenance.runs
    names = Counter(run.partition(" (")[0] for run in runs)
    for name in sorted(n for n, times in names.items() if times > 1):
        same = ", ".join(run for run in runs if run.startswith(f"{name} ("))
        yield f"{names[name]} runs had the name {name}: take one of them alone ({same})."


def _missing(report: Report) -> Iterator[str]:
    missing = report.grid.totals["missing"]
    if missing:
        some = "" if report.data.plan_known else "At least "
        yield (
            f"{some}{trials(missing)} of the plan {_have(missing)} no outcome here: the run is not "
            "complete and its rates may still change."
        )


def _too_few(standings: Sequence[Standing]) -> Iterator[str]:
    few = [f"{s.config.key} ({s.fewest})" for s in standings if s.fewest < PUBLISHED_TRIALS]
    if few:
        yield (
            f"Too few trials to publish: fewer than {PUBLISHED_TRIALS} valid trials of a task for "
            f"agent {_some(few)}. Of these agents neither a rate nor a place may be claimed."
        )


def _odd(records: Sequence[Record]) -> Iterator[str]:
    """What is odd about results makes a task suspect: tell agents apart by it only when mended."""
    found = Counter((str(r["task"]), message) for r in records for message in findings(r).values())
    for (task, message), n in sorted(found.items()):
        yield f"Task {task}, {trials(n)}: {message}."


def _changed(report: Report) -> Iterator[str]:
    """Numbers are pooled only where they are of one thing."""
    data = report.data
    for what, names in (
        ("agent", Counter(c.name for c in data.configs)),
        ("task", Counter(t.name for t in data.tasks)),
    ):
        for name in sorted(n for n, times in names.items() if times > 1):
            yield (
                f"The {what} {name} was changed between trials: its {names[name]} digests are shown "
                "apart and nothing of them is pooled."
            )
    if len(data.provenance.runs) > 1:
        yield f"Trials of {len(data.provenance.runs)} runs are taken together."


def _invalid(standings: Sequence[Standing]) -> Iterator[str]:
    by = {s.config.key: s for s in standings if s.invalid}
    if by:
        total, of = sum(s.invalid for s in by.values()), sum(s.observed for s in standings)
        each = _some([f"{key} {s.invalid} of {s.observed}" for key, s in sorted(by.items())])
        yield (
            f"{total} of {trials(of)} {_are(total)} invalid ({each}): the harness or the "
            "infrastructure failed, nothing was learnt about the agent and they are in no rate. Say "
            "so, for what fails is seldom a random choice of trials."
        )


def _nodes(report: Report) -> Iterator[str]:
    nodes = {s.node for s in report.strata}
    if nodes:
        some = f"{len(nodes - {None})} nodes" + (
            ", and some on nobody knows which" if None in nodes else ""
        )
        yield (
            f"The agents worked on {some}: wall times of unlike machines cannot be compared, and are "
            "shown by node too."
        )


def _timeouts(report: Report) -> Iterator[str]:
    late = [o for o in report.data.observations if o.outcome == "timeout"]
    if late:
        passed = sum(o.would_pass is True for o in late)
        more = f"; what {passed} of them left would have passed" if passed else ""
        yield (
            f"{trials(len(late)).capitalize()} ran out of time and {_counts(len(late))} as not "
            f"successful{more}."
        )


def _repeated(records: Sequence[Record]) -> Iterator[str]:
    """Tokens that were paid for and are in no median."""
    again = sum(int(r.get("attempt") or 0) > 1 for r in records if r.get("usage"))
    if again:
        yield (
            f"{trials(again).capitalize()} had attempts that were invalid and repeated: medians of "
            "tokens are of the attempts that count, and what was spent in all is of every attempt."
        )


def _unknown(seen: Sequence[Observation]) -> Iterator[str]:
    for what, unknown in (
        ("tokens", sum(None in (o.spent.tokens_in, o.spent.tokens_out) for o in seen)),
        ("cost", sum(o.spent.cost_usd is None for o in seen)),
        ("wall time", sum(o.seconds.total is None for o in seen)),
    ):
        verb = "are" if what == "tokens" else "is"
        if unknown == len(seen):
            yield f"The {what} of all trials {verb} unknown."
        elif unknown:
            yield (
                f"The {what} of {unknown} of {trials(len(seen))} {verb} unknown, for nobody said: these "
                "are in no median, sums are lower bounds, and no frontier has the agents concerned."
            )


def _unmeasured(records: Sequence[Record]) -> Iterator[str]:
    writing = [r for r in valid_only(records) if r.get("kind") == "testWriting"]
    lost = sum(not r.get("coverage") for r in writing)
    if lost:
        yield (
            f"{trials(lost).capitalize()} of test writing left nothing measurable: such trials count as "
            "not successful and are in no median of lines."
        )


def _close(report: Report) -> Iterator[str]:
    if len(report.standings) > 1:
        yield (
            "The order of agents is no ranking: a difference is claimed only where an interval of "
            "their paired difference lies on one side of 0; all else is inconclusive, never equal. "
            f"A close comparison needs {CLOSE_TRIALS} valid trials of each task."
        )


def _may(report: Report) -> Iterator[str]:
    enough = [s for s in report.standings if s.fewest >= PUBLISHED_TRIALS]
    if enough:
        yield (
            "Success rates (pass@1, the mean over tasks with equal weight; a timeout is not "
            f"successful) of agent {_some([s.config.key for s in enough])}, each with the name of its "
            "interval, and their rates by task with 95 % Wilson intervals."
        )
        yield from _pass_k(enough)
        yield from _differences(report, {s.config.key for s in enough})


def _pass_k(enough: Sequence[Standing]) -> Iterator[str]:
    known = [s.config.key for s in enough if not isinstance(s.pass_at[5], Undefined)]
    if known:
        yield f"pass@5 and pass^5 of agent {_some(known)}: every task has five valid trials."


def _differences(report: Report, enough: set[str]) -> Iterator[str]:
    pairs = [p for p in report.pairs if p.a in enough and p.b in enough]
    if not pairs:
        return
    over_tasks = [p for p in pairs if p.over_tasks != "inconclusive"]
    over_runs = [p for p in pairs if p.over_runs != "inconclusive"]
    holm = sum(not isinstance(p.holm, Undefined) and p.holm < 0.05 for p in over_tasks)
    both = "both of its agents" if len(pairs) == 1 else "both agents"
    yield (
        f"Of {len(pairs)} pair{'' if len(pairs) == 1 else 's'} with enough trials of {both}, one is "
        f"ahead with other tasks like these in {len(over_tasks)} ({holm} with Holm's adjustment for "
        f"all pairs), and if the same tasks were run again in {len(over_runs)}."
    )


def trials(n: int) -> str:
    return f"{n} trial" if n == 1 else f"{n:,} trials"


def _some(names: Iterable[str]) -> str:
    found = list(names)
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return ", ".join(found[:_NAMED]) + more


def _counts(n: int) -> str:
    return "counts" if n == 1 else "count"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _have(n: int) -> str:
    return "has" if n == 1 else "have"
