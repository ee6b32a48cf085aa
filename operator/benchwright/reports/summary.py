"""Records → quantities of each agent at each task, by what its kind measures."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

Record = Mapping[str, Any]
VALID = ("success", "failure", "timeout")


@dataclass(frozen=True, slots=True)
class Sample:
    """A quantity over valid trials. Where it is unknown, a trial is left out, and that is said."""

    values: tuple[float, ...]
    of: int
    """Number of valid trials, known or not."""

    @property
    def median(self) -> float | None:
        return median(self.values) if self.values else None

    @property
    def maximum(self) -> float | None:
        return max(self.values, default=None)

    @property
    def unknown(self) -> int:
        return self.of - len(self.values)


@dataclass(frozen=True, slots=True)
class CellSummary:
    """What one agent did at one task, beside how often it succeeded: quantities over valid trials."""

    kind: str
    gained_lines: Sample
    changed_files: Sample
    changed_lines: Sample
    """Lines added and removed."""
    tokens: Sample
    """Input and output."""
    harness_seconds: Sample
    findings: Mapping[str, int]
    """Trials by what is odd about them."""


Key = tuple[str, str]
"""Configuration and task."""


def summarise(placed: Iterable[tuple[str, str, Record]]) -> dict[Key, CellSummary]:
    """By configuration and task."""
    cells: dict[Key, list[Record]] = {}
    for config, task, record in placed:
        cells.setdefault((config, task), []).append(record)
    return {key: _cell(of) for key, of in cells.items()}


def measurements(records: Iterable[Record]) -> list[Record]:
    """Records of trials in which an agent worked."""
    return [r for r in records if r.get("purpose", "measurement") == "measurement"]


def valid_only(records: Iterable[Record]) -> list[Record]:
    """Trials from which something was learnt about the agent."""
    return [r for r in records if r["outcome"] in VALID]


def sample(records: Sequence[Record], read: Callable[[Record], float | None]) -> Sample:
    """What `read` finds in the valid ones of `records`."""
    found = [read(r) for r in valid_only(records)]
    return Sample(tuple(v for v in found if v is not None), len(found))


def harness_seconds(record: Record) -> float | None:
    """Seconds that Benchwright and the cluster took."""
    return number(record, "seconds", "harness")


def tokens(record: Record) -> float | None:
    """Input and output tokens; None where either is unknown."""
    return _add(number(record, "usage", "input_tokens"), number(record, "usage", "output_tokens"))


def findings(record: Record) -> Mapping[str, str]:
    """What is odd about the trial: reason and message."""
    return {str(f["reason"]): str(f["message"]) for f in record.get("findings") or []}


def number(record: Record, part: str, field: str) -> float | None:
    """A nested number; None where it or its part is unknown."""
    value = (record.get(part) or {}).get(field)
    return None if value is None else float(value)


def _cell(records: Sequence[Record]) -> CellSummary:
    return CellSummary(
        kind=str(records[0]["kind"]),
        gained_lines=sample(records, lambda r: number(r, "coverage", "gained_lines")),
        changed_files=sample(records, lambda r: number(r, "changes", "files")),
        changed_lines=sample(records, _changed_lines),
        tokens=sample(records, tokens),
        harness_seconds=sample(records, harness_seconds),
        findings=dict(Counter(reason for r in records for reason in findings(r))),
    )


def _changed_lines(record: Record) -> float | None:
    return _add(number(record, "changes", "added"), number(record, "changes", "removed"))


def _add(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a + b
