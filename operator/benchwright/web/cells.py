"""Tallies → a table of agents by tasks. What has another digest is another row or column."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from benchwright.reports.summary import VALID
from benchwright.stats.proportions import wilson
from benchwright.stats.values import Count, Interval
from benchwright.web.lists import Tally

MAX_CELLS, MAX_AGENTS = 200, 20
"""Of one page of the table; it is as many tasks long as there is room for."""


@dataclass(frozen=True, slots=True)
class Thing:
    """An agent or a task, as it was measured: by name and digest."""

    name: str
    digest: str
    twice: bool = False
    """Another of this name has another digest."""


Things = dict[tuple[str, str], Thing]
"""By name and digest."""


@dataclass(slots=True)
class Cell:
    """One agent at one task. Invalid trials are in no rate."""

    outcomes: dict[str, int] = field(default_factory=dict)

    def of(self, outcome: str) -> int:
        return self.outcomes.get(outcome, 0)

    @property
    def valid(self) -> int:
        return sum(self.of(outcome) for outcome in VALID)

    @property
    def rate(self) -> float:
        return self.of("success") / self.valid

    @property
    def interval(self) -> Interval | None:
        return _interval(self.valid, self.of("success"))


@lru_cache(4096)
def _interval(valid: int, success: int) -> Interval | None:
    found = wilson(Count(valid, success))
    return found if isinstance(found, Interval) else None


@dataclass(frozen=True, slots=True)
class Grid:
    """Part of a table, and the whole's size."""

    agents: Sequence[Thing]
    tasks: Sequence[Thing]
    cells: dict[tuple[Thing, Thing], Cell]
    """By agent and task; where there is none, no trial has an outcome."""
    all_agents: int
    all_tasks: int
    page: int
    pages: int


def grid(tallies: Sequence[Tally], page: int = 1) -> Grid:
    """Page 1 is the first; agents beyond the widest table are left out, which is said."""
    agents = _things((t.agent or "", t.agent_digest or "") for t in tallies)
    tasks = _things((t.task, t.task_digest) for t in tallies)
    long = max(5, MAX_CELLS // max(1, min(MAX_AGENTS, len(agents))))
    pages = max(1, -(-len(tasks) // long))
    page = min(max(1, page), pages)
    start = (page - 1) * long
    return Grid(
        agents=list(agents.values())[:MAX_AGENTS],
        tasks=list(tasks.values())[start : start + long],
        cells=_cells(tallies, agents, tasks),
        all_agents=len(agents),
        all_tasks=len(tasks),
        page=page,
        pages=pages,
    )


def _cells(
    tallies: Sequence[Tally], agents: Things, tasks: Things
) -> dict[tuple[Thing, Thing], Cell]:
    cells: dict[tuple[Thing, Thing], Cell] = {}
    for tally in tallies:
        agent = agents[tally.agent or "", tally.agent_digest or ""]
        found = cells.setdefault((agent, tasks[tally.task, tally.task_digest]), Cell()).outcomes
        found[tally.outcome] = found.get(tally.outcome, 0) + tally.trials
    return cells


def _things(keys: Iterable[tuple[str, str]]) -> Things:
    """By name and digest, in order."""
    distinct = sorted(set(keys))
    names = [name for name, _ in distinct]
    return {key: Thing(*key, twice=names.count(key[0]) > 1) for key in distinct}


@dataclass(frozen=True, slots=True)
class Group:
    """Cells of one task or agent with one digest."""

    digest: str
    rows: Sequence[tuple[Thing, Cell]]
    """By agent, or by task."""


def by_digest(tallies: Sequence[Tally], *, of: str) -> list[Group]:
    """Of a task (`of` is "task") or an agent: what has different digests is never together."""
    table = grid(tallies)
    groups: dict[str, list[tuple[Thing, Cell]]] = {}
    for (agent, task), cell in sorted(table.cells.items(), key=_name):
        mine, other = (task, agent) if of == "task" else (agent, task)
        groups.setdefault(mine.digest, []).append((other, cell))
    return [Group(digest, rows) for digest, rows in sorted(groups.items())]


def _name(item: tuple[tuple[Thing, Thing], Cell]) -> tuple[str, ...]:
    (agent, task), _ = item
    return agent.name, agent.digest, task.name, task.digest
