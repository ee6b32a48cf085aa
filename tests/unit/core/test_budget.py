"""A run's budget: when it is spent, what stops, what is said; and providers that want a rest."""

from dataclasses import replace
from typing import Any

import pytest

from benchwright.api.run import BudgetUsed, Spendable
from benchwright.core.budget import cut_short, spent
from benchwright.core.run import decide
from benchwright.core.runview import Inputs, Ledger, TrialSummary
from tests.builders import CORPUS, NOW, a_run, a_snapshot, a_task, an_agent

AGENTS = (an_agent("model"), an_agent("nop"))
REPAIR = a_snapshot(a_task("repair", name="mend"))


def inputs(**ledger: Any) -> Inputs:
    return Inputs(agents=AGENTS, tasks=(REPAIR,), corpus=CORPUS, ledger=Ledger(**ledger))


SPENT: list[tuple[str, dict[str, Any], dict[str, Any], str | None]] = [
    ("something is left", {"requests": 10}, {"used": BudgetUsed(requests=9)}, None),
    (
        "calls",
        {"requests": 10},
        {"used": BudgetUsed(requests=10)},
        "spec.budget.run.requests is 10, 10 are used",
    ),
    (
        "both kinds of tokens together",
        {"total_tokens": 100},
        {"used": BudgetUsed(input_tokens=60, output_tokens=45)},
        "spec.budget.run.totalTokens is 100, 105 are used",
    ),
    (
        "money as it was written",
        {"cost_usd": "2.50"},
        {"used": BudgetUsed(cost_usd=2.5)},
        "spec.budget.run.costUsd is 2.50, 2.5 are used",
    ),
    ("money with a rest", {"cost_usd": "2.50"}, {"used": BudgetUsed(cost_usd=2.499999999)}, None),
    (
        "a call did not fit into the rest",
        {"cost_usd": "2.50"},
        {"used": BudgetUsed(cost_usd=2.4), "limit_hit": "run_cost"},
        "spec.budget.run.costUsd is 2.50, 2.4 are used",
    ),
    (
        "what is not limited is not spent",
        {"requests": 10},
        {"used": BudgetUsed(cost_usd=9.0)},
        None,
    ),
]


@pytest.mark.parametrize(
    ("budget", "ledger", "says"), [row[1:] for row in SPENT], ids=[row[0] for row in SPENT]
)
def test_spent(budget: dict[str, Any], ledger: dict[str, Any], says: str | None) -> None:
    words = spent(Spendable(**budget), Ledger(**ledger))
    assert words is None if says is None else (words or "").startswith(says)


def test_a_run_without_a_budget_or_without_models_spends_none() -> None:
    assert spent(None, Ledger(limit_hit="run_cost")) is None
    assert spent(Spendable(requests=1), None) is None


def test_only_limits_of_the_run_cut_a_trial_short() -> None:
    assert [cut_short(hit) for hit in ("run_cost", "cost", None)] == [True, False, False]


RUN = a_run().with_spec(agents=("model", "nop"), parallelism=2, budget={"run": {"requests": 10}})


def test_a_spent_budget_stops_admission_and_the_run_says_so() -> None:
    run = RUN.view()
    decision = decide(run, inputs(used=BudgetUsed(requests=10)), [], NOW)
    assert decision.create == ()
    assert decision.status is not None
    (condition,) = [c for c in decision.status.conditions if c.type == "BudgetSpent"]
    assert (condition.status, condition.reason) == ("True", "BudgetSpent")
    assert "Raise it to go on" in condition.message
    assert decision.status.budget_used == BudgetUsed(requests=10)
    # Somebody raises it.
    more = replace(run, status=decision.status, spec=RUN.with_spec(
        budget={"run": {"requests": 20}}).view().spec)  # fmt: skip
    decision = decide(more, inputs(used=BudgetUsed(requests=10)), [], NOW)
    assert len(decision.create) == 2
    assert decision.status is not None
    (condition,) = [c for c in decision.status.conditions if c.type == "BudgetSpent"]
    assert (condition.status, condition.message) == ("False", "")


def test_trials_know_that_their_run_has_a_budget() -> None:
    budgeted = decide(RUN.view(), inputs(), [], NOW)
    assert {t.spec.run_budget for t in budgeted.create} == {True}
    free = decide(a_run().with_spec(agents=("model", "nop")).view(), inputs(), [], NOW)
    assert {t.spec.run_budget for t in free.create} == {False}
    assert free.status is not None
    assert [c.type for c in free.status.conditions if c.type == "BudgetSpent"] == []


def test_a_provider_at_its_limit_is_left_alone_in_the_drawn_order() -> None:
    run = a_run().with_spec(agents=("model", "nop"), parallelism=4, trials_per_task=2).view()
    free = decide(run, inputs(), [], NOW)
    order = [t.spec.agent.name for t in free.create if t.spec.agent]
    first = order.index("model")
    held = decide(run, inputs(throttled={"demo": 7.5}), [], NOW)
    assert [t.spec.agent.name for t in held.create if t.spec.agent] == order[:first]
    assert held.requeue_after == 7.5
    other = decide(run, inputs(throttled={"another": 7.5}), [], NOW)
    assert len(other.create) == len(free.create)
    assert other.requeue_after is None


def test_it_looks_again_after_a_second_at_the_earliest_and_not_when_all_is_made() -> None:
    run = a_run().with_spec(agents=("model",), parallelism=4).view()
    known = [
        TrialSummary(name=t.name, purpose="measurement", task="mend")
        for t in decide(
            run, Inputs(agents=AGENTS[:1], tasks=(REPAIR,), corpus=CORPUS), [], NOW
        ).create
    ]
    waiting = Inputs(
        agents=AGENTS[:1], tasks=(REPAIR,), corpus=CORPUS, ledger=Ledger(throttled={"demo": 0.01})
    )
    assert decide(run, waiting, [], NOW).requeue_after == 1.0
    full = a_run().with_spec(agents=("model",), parallelism=1).view()
    assert decide(full, waiting, known, NOW).requeue_after is None
