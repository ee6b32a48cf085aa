"""What lists of trials are asked for, and what comes back (plain data, no I/O).

Unknown is None in every field and never sorts as 0: it comes last in either direction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

ScopeKind = Literal["run", "task", "agent"]
PAGE = 100
"""Trials on one page."""
SORTS = (
    "started_at", "trial", "agent", "task", "outcome", "reason", "gained_lines", "seconds",
    "tokens", "cost_usd",
)  # fmt: skip
"""Columns by which a list is sorted."""
DEFAULT_SORT = "started_at"
DESCENDING_FIRST = frozenset({"started_at", "gained_lines", "seconds", "tokens", "cost_usd"})
"""Columns of which people want the largest first."""
REVIEWS = ("approve", "reject", "none")
"""How a list is narrowed by reviews: the last verdict, or none yet."""


@dataclass(frozen=True, slots=True)
class Scope:
    """All trials of a run (by its UID), of a task or of an agent (by their names)."""

    kind: ScopeKind
    value: str


@dataclass(frozen=True, slots=True)
class Filter:
    """What narrows a list; "" is everything. `text` is looked for in the trial's name."""

    text: str = ""
    agent: str = ""
    task: str = ""
    outcome: str = ""
    reason: str = ""
    review: str = ""
    agent_digest: str = ""
    task_digest: str = ""

    def __bool__(self) -> bool:
        return self != Filter()


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place between two rows: after or before the one with this value and UID."""

    value: str | float | None
    trial_uid: str
    backwards: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """One page of a list."""

    filter: Filter = Filter()
    sort: str = DEFAULT_SORT
    descending: bool = True
    cursor: Cursor | None = None


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A trial in a list. Times are unix seconds, `seconds` the whole trial's, tokens and cost those
    of the attempt that counts."""

    trial_uid: str
    run_uid: str
    namespace: str
    run: str
    trial: str
    agent: str | None
    agent_digest: str | None
    task: str
    task_digest: str
    outcome: str
    reason: str | None
    started_at: float | None
    seconds: float | None
    tokens: int | None
    cost_usd: float | None
    gained_lines: int | None
    review: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Rows in order, and whether there are more on either side."""

    rows: Sequence[TrialRow]
    total: int
    more_before: bool
    more_after: bool


@dataclass(frozen=True, slots=True)
class Tally:
    """Trials of one agent at one task with one outcome. Digests say what exactly was measured."""

    agent: str | None
    agent_digest: str | None
    task: str
    task_digest: str
    outcome: str
    trials: int


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run with at least one outcome. Times are unix seconds."""

    run_uid: str
    namespace: str
    run: str
    first: float | None
    last: float | None
    outcomes: dict[str, int]

    @property
    def trials(self) -> int:
        return sum(self.outcomes.values())


@dataclass(frozen=True, slots=True)
class Change:
    """The last record that came: its number, which only grows, and when (unix seconds)."""

    revision: int
    at: float | None
