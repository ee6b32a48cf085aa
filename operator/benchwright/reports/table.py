"""results.csv: one row a trial, flat columns. Unknown is an empty cell, never 0.

The columns of the nested parts come from the models, so that a new measurement cannot be left out.
"""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel

from benchwright.api.measurements import (
    ChangeNumbers,
    CoverageNumbers,
    DetectResult,
    ReplayResult,
    SecondsSpent,
    StageUsage,
    TestNumbers,
)
from benchwright.api.spent import Spent
from benchwright.reports.rows import Value, written, written_rows
from benchwright.reports.summary import Record, findings

_PLAIN = {
    "namespace": "namespace", "run": "run", "run_uid": "run_uid", "trial": "trial",
    "trial_uid": "trial_uid", "purpose": "purpose", "agent": "agent", "agent_digest": "agent_digest",
    "scaffold": "scaffold", "model": "model", "effort": "effort", "task": "task",
    "task_digest": "task_digest", "kind": "kind", "split": "split", "corpus_digest": "corpus_digest",
    "protocol": "protocol", "network": "network", "index": "index", "order": "order",
    "attempt": "attempt", "outcome": "outcome", "reason": "reason", "message": "message",
    "would_pass": "would_pass", "criterion_score": "criterion_score",
    "started_at": "started_at", "finished_at": "finished_at", "evidence": "evidence",
}  # fmt: skip
_NESTED: Mapping[str, tuple[type[BaseModel], tuple[str, ...]]] = {
    "tests": (TestNumbers, ()),
    "coverage": (CoverageNumbers, ()),
    "changes": (ChangeNumbers, ()),
    "detect": (DetectResult, ()),
    "replay": (ReplayResult, ()),
    "usage": (StageUsage, ()),
    "spent": (Spent, ()),
    "seconds": (SecondsSpent, ()),
}


def columns() -> list[str]:
    """All column names, in order."""
    return [*_PLAIN, *(name for name, _, _ in _nested_columns()), *_COUNTED]


def to_csv(records: Sequence[Record]) -> str:
    """One row a trial, in the order given, with a header line (RFC 4180)."""
    return written(columns(), ()) + csv_rows(records)


def csv_rows(records: Sequence[Record]) -> str:
    """The same without the header line."""
    return written_rows(_row(record) for record in records)


def _nested_columns() -> Iterator[tuple[str, str, str]]:
    for part, (model, more) in _NESTED.items():
        for field in (*model.model_fields, *more):
            yield f"{part}_{field}", part, field


def _row(record: Record) -> list[Value]:
    plain = [record.get(key) for key in _PLAIN.values()]
    nested = [(record.get(part) or {}).get(field) for _, part, field in _nested_columns()]
    return [*plain, *nested, *(f(record) for f in _COUNTED.values())]


def _criteria_passed(record: Record) -> int | None:
    criteria = record.get("criteria") or []
    return sum(bool(c["passed"]) for c in criteria) if criteria else None


def _criteria_total(record: Record) -> int | None:
    return len(record.get("criteria") or []) or None


def _findings(record: Record) -> str | None:
    return " ".join(findings(record)) or None


def _node(record: Record) -> str | None:
    """Of each stage, in their order: `stage=node`."""
    nodes = record.get("nodes") or {}
    return " ".join(f"{stage}={node}" for stage, node in nodes.items() if node) or None


def _invalid_attempts(record: Record) -> int | None:
    attempts = record.get("attempts")
    return None if attempts is None else len(attempts)


_COUNTED = {
    "criteria_passed": _criteria_passed,
    "criteria_total": _criteria_total,
    "invalid_attempts": _invalid_attempts,
    "findings": _findings,
    "nodes": _node,
}
