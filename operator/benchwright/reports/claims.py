"""What a run's records allow to be said, and what not, in sentences."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from benchwright.reports.summary import (
    Record,
    findings,
    measurements,
    summarise,
    tokens,
    valid_only,
)

MIN_VALID = 5
"""Fewer valid trials of an agent say too little to be published."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence. `stop`: do not publish before this is mended; `note`: say it with the numbers."""

    kind: Literal["may", "note", "stop"]
    text: str


def claims(records: Sequence[Record]) -> list[Claim]:
    """All sentences that the records call for, the gravest first."""
    mine = measurements(records)
    if not mine:
        return [Claim("stop", "There is no finished trial: nothing can be said.")]
    found = [*_identity(mine), *_unfinished(mine), *_too_few(mine), *_invalid(mine)]
    found += [*_findings(mine), *_unknown_tokens(mine), *_repeated(mine)]
    found += [*_unmeasured(mine), *_always(mine)]
    return sorted(found, key=lambda c: ("stop", "note", "may").index(c.kind))


def _identity(records: Sequence[Record]) -> Iterator[Claim]:
    """Numbers are pooled only where they are of one thing."""
    runs = {str(r.get("run_uid")) for r in records}
    if len(runs) > 1:
        text = f"The records are of {len(runs)} runs that had the same name: take one of them alone"
        yield Claim("stop", f"{text} (run UIDs {', '.join(sorted(runs))}).")
    for what in ("agent", "task"):
        digests: dict[str, set[str]] = {}
        for record in records:
            digests.setdefault(str(record[what]), set()).add(str(record.get(f"{what}_digest")))
        for name in sorted(n for n, d in digests.items() if len(d) > 1):
            text = f"The {what} {name} was changed during the run ({len(digests[name])} digests)"
            yield Claim("stop", f"{text}: its trials are not of one thing and must not be pooled.")


def _unfinished(records: Sequence[Record]) -> Iterator[Claim]:
    missing = sum(c.unfinished for c in summarise(records))
    if missing > 0:
        text = f"At least {_trials(missing)} of the plan {_have(missing)} no outcome here"
        yield Claim("stop", f"{text}: the run is not complete and its rates may still change.")


def _too_few(records: Sequence[Record]) -> Iterator[Claim]:
    valid = Counter({str(r["agent"]): 0 for r in records})
    valid.update(str(r["agent"]) for r in valid_only(records))
    few = [f"{a} ({n})" for a, n in sorted(valid.items()) if n < MIN_VALID]
    if few:
        text = f"Too few trials to publish: fewer than {MIN_VALID} valid trials of agent"
        yield Claim("stop", f"{text} {', '.join(few)}.")


def _invalid(records: Sequence[Record]) -> Iterator[Claim]:
    by = Counter(str(r["agent"]) for r in records if r["outcome"] == "invalid")
    if by:
        each = ", ".join(f"{agent} {n}" for agent, n in sorted(by.items()))
        text = f"{by.total()} of {_trials(len(records))} {_are(by.total())} invalid ({each})"
        yield Claim(
            "note",
            f"{text}: the harness or the infrastructure failed, nothing was learnt about the agent "
            "and they are in no rate. Say so, for what fails is seldom a random choice of trials.",
        )


def _findings(records: Sequence[Record]) -> Iterator[Claim]:
    """What is odd about results makes a task suspect: tell agents apart by it only when mended."""
    found = Counter((str(r["task"]), message) for r in records for message in findings(r).values())
    for (task, message), trials in sorted(found.items()):
        yield Claim("stop", f"Task {task}, {_trials(trials)}: {message}.")


def _repeated(records: Sequence[Record]) -> Iterator[Claim]:
    """Tokens that were paid for and are in no median."""
    again = sum(int(r.get("attempt") or 0) > 1 for r in records if r.get("usage"))
    if again:
        text = f"{_trials(again).capitalize()} had attempts that were invalid and repeated"
        yield Claim(
            "note",
            f"{text}: medians of tokens are of the attempts that count, and what was spent in all is "
            "of every attempt.",
        )


def _unknown_tokens(records: Sequence[Record]) -> Iterator[Claim]:
    unknown = sum(tokens(r) is None for r in valid_only(records))
    if unknown:
        text = f"The tokens of {_trials(unknown)} are unknown, for the provider did not say them"
        yield Claim(
            "note", f"{text}: they are in no median, and what was spent in all is a lower bound."
        )


def _unmeasured(records: Sequence[Record]) -> Iterator[Claim]:
    writing = [r for r in valid_only(records) if r.get("kind") == "testWriting"]
    lost = sum(not r.get("coverage") for r in writing)
    if lost:
        text = f"{_trials(lost).capitalize()} of test writing left nothing measurable"
        yield Claim("note", f"{text}: they count as not successful and are in no median of lines.")


def _always(records: Sequence[Record]) -> Iterator[Claim]:
    if valid_only(records):
        yield Claim(
            "may",
            "Success rates of valid trials by agent and task, each with its 95 % Wilson interval. "
            "A timeout counts as not successful.",
        )
    yield Claim(
        "note",
        "No agent is ranked here: differences between agents are not tested, and trials of several "
        "tasks are not pooled to one rate.",
    )


def _trials(n: int) -> str:
    return f"{n} trial" if n == 1 else f"{n} trials"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _have(n: int) -> str:
    return "has" if n == 1 else "have"
