"""Trials as observations, with what they are observations of.

Two trials are of one configuration (or task) only where the digests agree: what was changed in between
is another one, and is never merged with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from benchwright.stats.cells import Outcome

VALID = frozenset({"success", "failure", "timeout"})

ConfigKey = str
TaskKey = str


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration that is compared: agent, model and effort."""

    key: ConfigKey
    """The name; with a piece of the digest where several have that name."""
    name: str
    family: str | None = None
    """Model family: configurations of one family do not fail independently."""
    digest: str | None = None
    scaffold: str | None = None
    model: str | None = None
    effort: str | None = None


@dataclass(frozen=True, slots=True)
class TaskId:
    """A task within one acceptance boundary (digest), and what it shares with others."""

    key: TaskKey
    name: str
    digest: str | None = None
    kind: str | None = None
    clusters: Mapping[str, str] = field(default_factory=dict)
    """issue, repository, family → name, as far as the task says."""
    private: bool = False
    """Nothing about it alone may be published."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What the trial took, over all its attempts; None is unknown."""

    cost_usd: Decimal | None = None
    tokens_in: int | None = None
    """Input, cached included."""
    tokens_cached: int | None = None
    tokens_out: int | None = None


@dataclass(frozen=True, slots=True)
class Seconds:
    """Of the attempt that counts; None is unknown."""

    total: float | None = None
    agent: float | None = None
    setup: float | None = None
    evaluate: float | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """One trial that has an outcome."""

    config: ConfigKey
    task: TaskKey
    block: str
    """The repeated run that it belongs to: trials with one block were drawn together."""
    outcome: Outcome
    score: float | None = None
    """Normalised criterion score, 0 to 1; None where the task has no criteria or none was measured."""
    spent: Spent = Spent()
    seconds: Seconds = Seconds()
    reason: str | None = None
    trial: str | None = None
    """Name of the Trial."""
    invalid_attempts: int | None = None
    would_pass: bool | None = None
    """Of a timeout: whether the final state would have passed."""
    node: str | None = None
    """Where the agent worked; of several nodes their names together. None is unknown."""

    @property
    def valid(self) -> bool:
        return self.outcome in VALID


@dataclass(frozen=True)
class Provenance:
    """What every view and export carries. Several values: the data are of several."""

    runs: tuple[str, ...] = ()
    corpus_digests: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    first_start: str | None = None
    last_outcome: str | None = None
    prices: tuple[str, ...] = ()
    """Price tables by name and date."""
    cost_estimated: bool | None = None
    """Whether money was computed from a price table rather than charged; None: there is none."""


@dataclass(frozen=True)
class Dataset:
    """Everything that a report is made of."""

    title: str
    configs: tuple[Config, ...]
    tasks: tuple[TaskId, ...]
    observations: tuple[Observation, ...]
    planned: int | None
    """Trials planned for each configuration at each task; None: unknown, and only a cell without any
    trial is called missing."""
    plan_known: bool = False
    """Whether it is the plan itself; otherwise it is what the trials show, a lower bound."""
    plan: Mapping[tuple[ConfigKey, TaskKey], int] | None = None
    """Trials planned for each cell, where cells differ: a cell that is not in it was not planned."""
    provenance: Provenance = Provenance()

    def required(self, config: ConfigKey, task: TaskKey) -> int | None:
        """Trials planned for a cell; None where nothing is known of it."""
        return self.planned if self.plan is None else self.plan.get((config, task), 0)

    @cached_property
    def cells(self) -> Mapping[tuple[ConfigKey, TaskKey], tuple[Observation, ...]]:
        """Observations of each configuration at each task; a cell without any is not in it."""
        found: dict[tuple[ConfigKey, TaskKey], list[Observation]] = {}
        for one in self.observations:
            found.setdefault((one.config, one.task), []).append(one)
        return {key: tuple(of) for key, of in found.items()}

    def of(self, config: ConfigKey) -> tuple[Observation, ...]:
        """All observations of a configuration, in the order of the data."""
        return self._by_config.get(config, ())

    @cached_property
    def _by_config(self) -> Mapping[ConfigKey, tuple[Observation, ...]]:
        found: dict[ConfigKey, list[Observation]] = {c.key: [] for c in self.configs}
        for one in self.observations:
            found[one.config].append(one)
        return {key: tuple(of) for key, of in found.items()}
