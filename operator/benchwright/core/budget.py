"""A run's budget: whether it is spent, and what to say of it (pure)."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from benchwright.api.run import BudgetUsed, Spendable
from benchwright.core.runview import Ledger

BUDGET_SPENT = "BudgetSpent"
RUN_BUDGET_SPENT = "RunBudgetSpent"
"""Reason of a trial that the run's budget cut short."""
_RUN = "run_"


@dataclass(frozen=True, slots=True)
class _Row:
    """One limit: its field in the resource, what it allows (None: anything) and what is used."""

    field: str
    allowed: int | str | None
    used: Decimal


def spent(budget: Spendable | None, ledger: Ledger | None) -> str | None:
    """Which limit is spent, in a sentence; None while there is something left. A limit that a call
    did not fit into is spent too, for another one would not fit either."""
    if budget is None or ledger is None:
        return None
    rows = _rows(budget, ledger.used)
    row = rows.get((ledger.limit_hit or "").removeprefix(_RUN)) or _used_up(rows)
    if row is None:
        return None
    return (
        f"spec.budget.run.{row.field} is {row.allowed}, {row.used} are used: no new trial starts. "
        "Raise it to go on; trials that it cut short are invalid"
    )


def cut_short(limit_hit: str | None) -> bool:
    """Whether a trial's calls were refused by its run's budget, not by its own."""
    return (limit_hit or "").startswith(_RUN)


def _rows(budget: Spendable, used: BudgetUsed) -> Mapping[str, _Row]:
    """By the proxy's name of the limit."""
    tokens = used.input_tokens, used.output_tokens
    cost = Decimal(str(used.cost_usd or 0.0))
    return {
        "requests": _Row("requests", budget.requests, Decimal(used.requests)),
        "input_tokens": _Row("inputTokens", budget.input_tokens, Decimal(tokens[0])),
        "output_tokens": _Row("outputTokens", budget.output_tokens, Decimal(tokens[1])),
        "total_tokens": _Row("totalTokens", budget.total_tokens, Decimal(sum(tokens))),
        "cost": _Row("costUsd", budget.cost_usd, cost),
    }


def _used_up(rows: Mapping[str, _Row]) -> _Row | None:
    spent = (r for r in rows.values() if r.allowed is not None and r.used >= Decimal(r.allowed))
    return next(spent, None)
