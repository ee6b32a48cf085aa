"""Records of results.json as observations."""

from decimal import Decimal
from typing import Any

from benchwright.analysis.grid import grid
from benchwright.analysis.records import dataset
from tests.unit.reports.samples import DIGEST, record

OTHER = "sha256:" + "b" * 64


def a_plan(
    *agents: str, tasks: tuple[str, ...] = ("pluggy",), trials: int = 2, uid: str = "run-1"
) -> dict[str, Any]:
    return {
        "run": "demo", "run_uid": uid, "trials_per_task": trials, "network": "none",
        "corpus_digest": DIGEST, "protocol": "benchwright/1",
        "agents": [{"agent": a, "agent_digest": DIGEST, "scaffold": "s"} for a in agents],
        "tasks": [{"task": t, "task_digest": DIGEST, "kind": "testWriting"} for t in tasks],
    }  # fmt: skip


def test_an_agent_and_a_task_without_any_outcome_are_missing_where_the_plan_is_known() -> None:
    data = dataset("r", [record()], [a_plan("mini", "late", tasks=("pluggy", "attrs"))])
    assert data.plan_known
    found = grid(data)
    assert {key: cell.cell.missing for key, cell in found.cells.items()} == {
        ("late", "attrs"): 2, ("late", "pluggy"): 2, ("mini", "attrs"): 2, ("mini", "pluggy"): 1,
    }  # fmt: skip
    assert sum(found.totals.values()) == 8


def test_a_plan_without_any_outcome_is_all_missing() -> None:
    found = grid(dataset("r", [], [a_plan("mini")]))
    assert found.totals["missing"] == 2


def test_of_runs_with_different_plans_no_cell_lacks_what_nobody_planned() -> None:
    rows = [record(run_uid="one"), record("b", "attrs", run_uid="two")]
    plans = [
        a_plan("mini", trials=1, uid="one"),
        a_plan("b", tasks=("attrs",), trials=1, uid="two"),
    ]
    found = grid(dataset("r", rows, plans))
    assert {key: cell.state for key, cell in found.cells.items()} == {
        ("b", "attrs"): "measured", ("b", "pluggy"): "unplanned",
        ("mini", "attrs"): "unplanned", ("mini", "pluggy"): "measured",
    }  # fmt: skip
    assert found.totals["missing"] == 0


def test_the_plans_of_some_runs_are_not_the_plan() -> None:
    rows = [record(run_uid="one"), record(run_uid="two")]
    found = dataset("r", rows, [a_plan("mini", uid="one")])
    assert (found.plan_known, found.plan) == (False, None)


def test_plans_are_kept_apart_by_run_as_their_agents_are() -> None:
    rows = [record(run="demo", run_uid="one")]
    found = dataset("r", rows, [a_plan("mini", "b", uid="one")], by_run=True)
    assert [c.key for c in found.configs] == ["demo/b", "demo/mini"]
    assert found.plan == {("demo/mini", "pluggy"): 2, ("demo/b", "pluggy"): 2}


def test_a_changed_task_is_another_task() -> None:
    found = dataset("r", [record(task="t"), record(task="t", index=1, task_digest=OTHER)])
    assert [t.key for t in found.tasks] == ["t@aaaaaaaa", "t@bbbbbbbb"]
    assert [c.key for c in found.configs] == ["mini"]
    assert {o.task for o in found.observations} == {"t@aaaaaaaa", "t@bbbbbbbb"}


def test_a_changed_agent_is_another_configuration() -> None:
    found = dataset("r", [record(), record(index=1, agent_digest=OTHER)])
    assert [c.key for c in found.configs] == ["mini@aaaaaaaa", "mini@bbbbbbbb"]


def test_baselines_are_no_observations() -> None:
    assert dataset("r", [record(), record(purpose="baseline")]).observations[1:] == ()


def test_runs_are_kept_apart_as_blocks_and_add_up_to_the_plan() -> None:
    rows = [record(run_uid="one", index=2), record(run_uid="two", index=0)]
    found = dataset("r", rows)
    assert [o.block for o in found.observations] == ["one#2", "two#0"]
    assert (found.planned, found.plan_known) == (4, False)


def test_what_was_spent_is_of_all_attempts_and_unknown_stays_unknown() -> None:
    spent = {"cost_usd": 0.1, "input_tokens": 5, "cached_input_tokens": None, "output_tokens": 0}
    (one,) = dataset("r", [record(attempts=[{}, {}])]).observations
    assert one.invalid_attempts == 2
    row = {**record(), "spent": spent}
    (one,) = dataset("r", [row]).observations
    assert one.spent.cost_usd == Decimal("0.1")
    assert (one.spent.tokens_in, one.spent.tokens_cached, one.spent.tokens_out) == (5, None, 0)
    (none,) = dataset("r", [{**record(), "spent": None, "seconds": None}]).observations
    assert (none.spent.cost_usd, none.spent.tokens_in, none.seconds.total) == (None, None, None)


def test_the_totals_add_up_to_the_plan() -> None:
    rows = [
        record(index=0), record(index=1, outcome="failure"), record(index=2, outcome="timeout"),
        record(index=3, outcome="invalid"), record("nop", index=0),
    ]  # fmt: skip
    found = grid(dataset("r", rows, [a_plan("mini", "nop", trials=5)]))
    assert found.totals == {"success": 2, "failure": 1, "timeout": 1, "invalid": 1, "missing": 5}
    assert sum(found.totals.values()) == 2 * 5


def test_provenance_is_carried() -> None:
    found = dataset("r", [record(), record(index=1, network="open")]).provenance
    assert found.networks == ("none", "open")
    assert found.protocols == ("benchwright/1",)
    assert (found.first_start, found.last_outcome) == (
        "2026-01-01T10:00:00.000000Z",
        "2026-01-01T10:00:09.500000Z",
    )


def test_runs_are_taken_together_or_kept_apart() -> None:
    rows = [record(run="one", run_uid="u1"), record(run="two", run_uid="u2", index=1)]
    assert [c.key for c in dataset("r", rows).configs] == ["mini"]
    assert [c.key for c in dataset("r", rows, by_run=True).configs] == ["one/mini", "two/mini"]


def test_runs_of_one_name_are_told_apart_by_their_uid() -> None:
    rows = [record(run_uid="11111111-2"), record(run_uid="33333333-4")]
    found = dataset("r", rows, by_run=True)
    assert [c.key for c in found.configs] == ["demo@11111111/mini", "demo@33333333/mini"]
