"""Records of results.json, and the plans of their runs → a Dataset."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from typing import Any

from benchwright.analysis.observations import (
    Config,
    Dataset,
    Observation,
    Provenance,
    Seconds,
    Spent,
    TaskId,
)

Record = Mapping[str, Any]
Configs = dict[tuple[str, str | None], Config]
Tasks = dict[tuple[str, str | None], TaskId]
"""By name and digest."""
_CLUSTERS = ("issue", "repository", "family")
_SHORT = 8


def dataset(
    title: str, records: Iterable[Record], plans: Iterable[Record] = (), *, by_run: bool = False
) -> Dataset:
    """Measurements only: baselines are of tasks, and no agent worked in them.

    `plans`: what the runs set out to observe (core.record.plan_record), so that what is missing is
    known. `by_run`: an agent of one run is another configuration than that of another, `run/agent`;
    else the runs are taken together.
    """
    rows: list[Record] = [r for r in records if r.get("purpose", "measurement") == "measurement"]
    known = [_read(p) for p in plans]
    if by_run:
        called = _names_of_runs([*rows, *(a for p in known for a in p.agents)])
        rows = [_named_by_run(r, called) for r in rows]
        known = [replace(p, agents=[_named_by_run(a, called) for a in p.agents]) for p in known]
    configs = _configs([*rows, *(a for p in known for a in p.agents)])
    tasks = _tasks([*rows, *(t for p in known for t in p.tasks)])
    whole = bool(known) and {str(r.get("run_uid")) for r in rows} <= {p.run_uid for p in known}
    return Dataset(
        title=title,
        configs=tuple(configs.values()),
        tasks=tuple(tasks.values()),
        observations=tuple(
            _observation(r, configs[_config_id(r)].key, tasks[_task_id(r)].key) for r in rows
        ),
        planned=_most(rows),
        plan_known=whole,
        plan=_planned(known, configs, tasks) if whole else None,
        provenance=_provenance([*rows, *(p.record for p in known)]),
    )


@dataclass(frozen=True)
class _Plan:
    """A plan's agents and tasks, with the fields that records have."""

    run_uid: str
    trials: int
    agents: list[Record]
    tasks: list[Record]
    record: Record


def _read(plan: Record) -> _Plan:
    of = {key: plan.get(key) for key in ("run", "run_uid")}
    return _Plan(
        run_uid=str(plan["run_uid"]),
        trials=int(plan["trials_per_task"]),
        agents=[{**of, **agent} for agent in plan["agents"]],
        tasks=list(plan["tasks"]),
        record=plan,
    )


def _planned(plans: Iterable[_Plan], configs: Configs, tasks: Tasks) -> Counter[tuple[str, str]]:
    """Trials of each cell, over all plans."""
    found: Counter[tuple[str, str]] = Counter()
    for plan in plans:
        for agent, task in product(plan.agents, plan.tasks):
            found[configs[_config_id(agent)].key, tasks[_task_id(task)].key] += plan.trials
    return found


def _names_of_runs(rows: Iterable[Record]) -> dict[str, str]:
    """By UID; with a piece of it where several runs had one name, one after the other."""
    runs = sorted({(str(r.get("run")), str(r.get("run_uid"))) for r in rows})
    names = [name for name, _ in runs]
    return {u: n if names.count(n) == 1 else f"{n}@{u[:_SHORT]}" for n, u in runs}


def _named_by_run(row: Record, called: Mapping[str, str]) -> Record:
    return {**row, "agent": f"{called[str(row.get('run_uid'))]}/{row['agent']}"}


def _config_id(record: Record) -> tuple[str, str | None]:
    return str(record["agent"]), record.get("agent_digest")


def _task_id(record: Record) -> tuple[str, str | None]:
    return str(record["task"]), record.get("task_digest")


def _configs(rows: Sequence[Record]) -> Configs:
    first = {_config_id(r): r for r in reversed(rows)}
    keys = _keys(first)
    return {
        known: Config(
            key=keys[known],
            name=known[0],
            family=row.get("model_family") or row.get("model"),
            digest=known[1],
            scaffold=row.get("scaffold"),
            model=row.get("model"),
            effort=row.get("effort"),
        )
        for known, row in sorted(first.items(), key=lambda item: keys[item[0]])
    }


def _tasks(rows: Sequence[Record]) -> Tasks:
    first = {_task_id(r): r for r in reversed(rows)}
    keys = _keys(first)
    return {
        known: TaskId(
            keys[known],
            *known,
            row.get("kind"),
            _clusters(row.get("identities")),
            private=row.get("split") == "private",
        )
        for known, row in sorted(first.items(), key=lambda item: keys[item[0]])
    }


def _keys(known: Iterable[tuple[str, str | None]]) -> dict[tuple[str, str | None], str]:
    """Names, with a piece of the digest where there are several of a name."""
    found = list(known)
    names = [name for name, _ in found]
    return {
        (name, digest): name
        if names.count(name) == 1
        else f"{name}@{(digest or 'unknown').removeprefix('sha256:')[:_SHORT]}"
        for name, digest in found
    }


def _clusters(identities: Mapping[str, Any] | None) -> dict[str, str]:
    return {k: str(v) for k in _CLUSTERS if (v := (identities or {}).get(k))}


def _observation(record: Record, config: str, task: str) -> Observation:
    spent, seconds = record.get("spent") or {}, record.get("seconds") or {}
    attempts = record.get("attempts")
    return Observation(
        config=config,
        task=task,
        block=f"{record.get('run_uid')}#{record['index']}",
        outcome=record["outcome"],
        score=record.get("criterion_score"),
        spent=Spent(
            cost_usd=_money(spent.get("cost_usd")),
            tokens_in=spent.get("input_tokens"),
            tokens_cached=spent.get("cached_input_tokens"),
            tokens_out=spent.get("output_tokens"),
        ),
        seconds=Seconds(*(seconds.get(k) for k in ("total", "agent", "prepare", "evaluate"))),
        reason=record.get("reason"),
        trial=str(record["trial"]),
        invalid_attempts=None if attempts is None else len(attempts),
        would_pass=record.get("would_pass"),
        node=_node(record),
    )


def _node(record: Record) -> str | None:
    """Of the stages in which the agent worked."""
    nodes = {n for stage, n in (record.get("nodes") or {}).items() if stage != "evaluate" and n}
    return " + ".join(sorted(nodes)) or None


def _money(value: float | str | None) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def _most(rows: Sequence[Record]) -> int:
    """Of each run the highest index, and the runs together: at least so many were planned."""
    highest: dict[str, int] = {}
    for row in rows:
        run = str(row.get("run_uid"))
        highest[run] = max(highest.get(run, 0), int(row["index"]) + 1)
    return sum(highest.values())


def _provenance(rows: Sequence[Record]) -> Provenance:
    starts, ends = _distinct(rows, "started_at"), _distinct(rows, "finished_at")
    return Provenance(
        runs=tuple(sorted({f"{r.get('run')} ({r.get('run_uid')})" for r in rows})),
        corpus_digests=_distinct(rows, "corpus_digest"),
        protocols=_distinct(rows, "protocol"),
        networks=_distinct(rows, "network"),
        first_start=starts[0] if starts else None,
        last_outcome=ends[-1] if ends else None,
        prices=_distinct(rows, "prices"),
    )


def _distinct(rows: Sequence[Record], key: str) -> tuple[str, ...]:
    return tuple(sorted({str(r[key]) for r in rows if r.get(key) is not None}))
