"""What may leave those who keep private tasks: an allow-list, and nothing that names one.

A private task that is known, by its name, its digest or its result, is soon in somebody's training data.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from benchwright.analysis.grid import grid
from benchwright.analysis.observations import ConfigKey, Dataset, TaskKey
from benchwright.analysis.standings import Standing, standings
from benchwright.stats.values import Interval, Undefined

MIN_TASKS = 10
"""Of fewer private tasks a rate says too much about each: then nothing of them is told."""


@dataclass(frozen=True)
class PrivateShare:
    """How one configuration did at all private tasks together."""

    config: ConfigKey
    rate: float | Undefined
    composition: Interval | Undefined
    """With other tasks like these."""
    fixed_corpus: Interval | Undefined
    """If the same tasks were run again."""
    valid: int
    timeouts: int
    invalid: int
    missing: int


@dataclass(frozen=True)
class PrivateTasks:
    """All that is told of them. `shares` is Undefined where there are too few tasks."""

    tasks: int
    shares: tuple[PrivateShare, ...] | Undefined


def private_tasks(data: Dataset) -> PrivateTasks | None:
    """None where there is no private task."""
    keys = {t.key for t in data.tasks if t.private}
    if not keys:
        return None
    if len(keys) < MIN_TASKS:
        return PrivateTasks(
            len(keys),
            Undefined(
                "too-few-private-tasks",
                f"{len(keys)} private tasks, and {MIN_TASKS} are needed before a rate is told",
            ),
        )
    found = standings(grid(_only(data, keys)))
    return PrivateTasks(len(keys), tuple(map(_share, sorted(found, key=lambda s: s.config.key))))


def public(data: Dataset) -> Dataset:
    """Without the private tasks. Where there are any the digest of the corpus, which is also of them,
    is left out."""
    keys = {t.key for t in data.tasks if not t.private}
    if len(keys) == len(data.tasks):
        return data
    return replace(_only(data, keys), provenance=replace(data.provenance, corpus_digests=()))


def _only(data: Dataset, keys: Collection[TaskKey]) -> Dataset:
    plan = data.plan
    return replace(
        data,
        tasks=tuple(t for t in data.tasks if t.key in keys),
        observations=tuple(o for o in data.observations if o.task in keys),
        plan=plan and {cell: n for cell, n in plan.items() if cell[1] in keys},
    )


def _share(one: Standing) -> PrivateShare:
    return PrivateShare(
        config=one.config.key,
        rate=one.rate,
        composition=one.composition
        if isinstance(one.composition, Undefined)
        else one.composition.interval,
        fixed_corpus=one.fixed_corpus
        if isinstance(one.fixed_corpus, Undefined)
        else one.fixed_corpus.interval,
        valid=one.valid,
        timeouts=one.timeouts,
        invalid=one.invalid,
        missing=one.missing,
    )
