"""A tidy CSV file → a Dataset: one row a trial, whatever harness it comes from.

Columns: config, model_family, task, trial, outcome, cost_usd, tokens_in, tokens_out, seconds. The last
four, and model_family, may be empty: unknown. Of these four, columns may be missing altogether.
"""

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import get_args

from benchwright.analysis.observations import (
    Config,
    Dataset,
    Observation,
    Provenance,
    Seconds,
    Spent,
    TaskId,
)
from benchwright.stats.cells import Outcome

_NEEDED = ("config", "task", "trial", "outcome")
_OPTIONAL = ("model_family", "cost_usd", "tokens_in", "tokens_out", "seconds")
_OUTCOMES: dict[str, Outcome] = {o: o for o in get_args(Outcome)}
_LONGEST_NAME = 500
# They are not seen, and two names that differ in them alone look the same.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class TidyError(ValueError):
    """A file that cannot be read; the message says in which line, and what is wanted."""


def dataset(title: str, lines: Iterable[str], *, required_trials: int | None = None) -> Dataset:
    """Read everything, or raise TidyError. `required_trials`: the plan for each cell, where known."""
    configs: dict[str, Config] = {}
    tasks: dict[str, TaskId] = {}
    found: dict[tuple[str, str, str], Observation] = {}
    for line, row in _rows(lines):
        one = _observation(line, row)
        key = (one.config, one.task, one.block)
        if key in found:
            raise TidyError(f"line {line}: trial {one.block} of {one.config} at {one.task} again")
        found[key] = one
        _same_family(line, configs.setdefault(one.config, _config(row)), row)
        tasks.setdefault(one.task, TaskId(one.task, one.task))
    if not found:
        raise TidyError("there is no trial in it")
    return Dataset(
        title=title,
        configs=tuple(configs[k] for k in sorted(configs)),
        tasks=tuple(tasks[k] for k in sorted(tasks)),
        observations=tuple(found.values()),
        planned=required_trials,
        plan_known=required_trials is not None,
        provenance=Provenance(runs=(title,)),
    )


def _rows(lines: Iterable[str]) -> Iterator[tuple[int, Mapping[str, str]]]:
    reader = csv.DictReader(lines, strict=True)
    try:
        names = reader.fieldnames or []
        missing = [n for n in _NEEDED if n not in names]
        if missing or len(set(names)) < len(names):
            raise TidyError(
                f"line 1: columns {', '.join(_NEEDED)} are needed, once each, and "
                f"{', '.join(_OPTIONAL)} may be there; it has {', '.join(names) or 'none'}"[:600]
            )
        for row in reader:
            if None in row or None in row.values():
                raise TidyError(f"line {reader.line_num}: it should have {len(names)} fields")
            yield reader.line_num, row
    except (csv.Error, UnicodeDecodeError) as error:
        raise TidyError(f"line {reader.line_num + 1}: {error}") from error


def _config(row: Mapping[str, str]) -> Config:
    return Config(row["config"], row["config"], family=row.get("model_family") or None)


def _same_family(line: int, config: Config, row: Mapping[str, str]) -> None:
    if config.family != (row.get("model_family") or None):
        raise TidyError(f"line {line}: {config.name} had model_family {config.family!r} before")


def _observation(line: int, row: Mapping[str, str]) -> Observation:
    for name in ("config", "task", "trial"):
        if not 0 < len(row[name]) <= _LONGEST_NAME:
            raise TidyError(f"line {line}: {name} is empty or longer than {_LONGEST_NAME}")
        if _CONTROL.search(row[name]):
            raise TidyError(f"line {line}: {name} {row[name][:40]!r} has a control character")
    outcome = _OUTCOMES.get(row["outcome"])
    if outcome is None:
        wanted = ", ".join(_OUTCOMES)
        raise TidyError(f"line {line}: outcome {row['outcome'][:40]!r}: it is one of {wanted}")
    return Observation(
        config=row["config"],
        task=row["task"],
        block=row["trial"],
        outcome=outcome,
        spent=Spent(
            cost_usd=_number(line, row, "cost_usd"),
            tokens_in=_whole(line, row, "tokens_in"),
            tokens_out=_whole(line, row, "tokens_out"),
        ),
        seconds=Seconds(total=_float(_number(line, row, "seconds"))),
    )


def _number(line: int, row: Mapping[str, str], name: str) -> Decimal | None:
    text = row.get(name) or ""
    if not text:
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or value < 0 or not math.isfinite(float(value)):
        raise TidyError(f"line {line}: {name} {text[:40]!r} is no number of 0 or more")
    return value


def _whole(line: int, row: Mapping[str, str], name: str) -> int | None:
    value = _number(line, row, name)
    if value is not None and value != int(value):
        raise TidyError(f"line {line}: {name} {value} is no whole number")
    return None if value is None else int(value)


def _float(value: Decimal | None) -> float | None:
    return None if value is None else float(value)
