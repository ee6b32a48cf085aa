"""A run's budget: whether it is spent, and what to say of it (pure)."""

from decimal import Decimal

from benchwright.api.run import BudgetUsed, Spendable
from benchwright.core.runview import Ledger

BUDGET_SPENT = "BudgetSpent"
RUN_BUDGET_SPENT = "RunBudgetSpent"
"""Reason of a trial that the run's budget cut short."""
_RUN = "run_"
_NAMES = {
    "requests": "requests",
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "total_tokens": "totalTokens",
    "cost": "costUsd",
}


def spent(budget: Spendable | None, ledger: Ledger | None) -> str | None:
    """Which limit is spent, in a sentence; None while there is something left. A limit that a call
    did not fit into is spent too, for another one would not fit either."""
    if budget is None or ledger is None:
        return None
    name = (ledger.limit_hit or "").removeprefix(_RUN) or _used_up(budget, ledger.used)
    if not name:
        return None
    field, used, allowed = _NAMES.get(name, name), _used(ledger.used, name), _allowed(budget, name)
    return (
        f"spec.budget.run.{field} is {allowed}, {used} are used: no new trial starts. Raise it to go "
        "on; trials that it cut short are invalid"
    )


def cut_short(limit_hit: str | None) -> bool:
    """Whether a trial's calls were refused by its run's budget, not by its own."""
    return (limit_hit or "").startswith(_RUN)


def _used_up(budget: Spendable, used: BudgetUsed) -> str | None:
    for name in _NAMES:
        allowed = _allowed(budget, name)
        if allowed is not None and _used(used, name) >= Decimal(allowed):
            return name
    return None


def _allowed(budget: Spendable, name: str) -> int | str | None:
    return {
        "requests": budget.requests,
        "input_tokens": budget.input_tokens,
        "output_tokens": budget.output_tokens,
        "total_tokens": budget.total_tokens,
        "cost": budget.cost_usd,
    }.get(name)


def _used(used: BudgetUsed, name: str) -> Decimal:
    return Decimal(
        {
            "requests": used.requests,
            "input_tokens": used.input_tokens,
            "output_tokens": used.output_tokens,
            "total_tokens": used.input_tokens + used.output_tokens,
        }.get(name, 0)
        if name != "cost"
        else str(used.cost_usd or 0.0)
    )
