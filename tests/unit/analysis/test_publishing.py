"""What may leave those who keep private tasks."""

from typing import Any

from benchwright.analysis.publishing import MIN_TASKS, private_tasks, public
from benchwright.analysis.records import dataset
from benchwright.stats.values import Undefined
from tests.unit.reports.samples import record


def rows(private: int) -> list[dict[str, Any]]:
    """Two agents at `private` secret tasks, which the first always solves, and two public ones."""
    found = []
    for agent, outcome in (("a", "success"), ("b", "failure")):
        found += [
            record(agent, f"secret-{n}", split="private", outcome=outcome)  # type: ignore[arg-type]
            for n in range(private)
        ]
        found += [record(agent, f"open-{n}", split="public") for n in range(2)]
    return found


def test_of_enough_private_tasks_their_mean_is_told() -> None:
    found = private_tasks(dataset("x", rows(MIN_TASKS)))
    assert found is not None
    assert not isinstance(found.shares, Undefined)
    assert [(s.config, s.rate, s.valid) for s in found.shares] == [("a", 1.0, 10), ("b", 0.0, 10)]


def test_of_fewer_nothing_is_told() -> None:
    found = private_tasks(dataset("x", rows(MIN_TASKS - 1)))
    assert found is not None
    assert isinstance(found.shares, Undefined)
    assert "9 private tasks, and 10 are needed" in found.shares.reason


def test_where_no_task_is_private_all_may_leave() -> None:
    data = dataset("x", rows(0))
    assert private_tasks(data) is None
    assert public(data) is data


def test_the_public_part_has_no_private_task_and_no_digest_of_the_corpus() -> None:
    plan = {
        "run": "nightly", "run_uid": str(record()["run_uid"]), "trials_per_task": 2,
        "agents": [{"agent": a, "agent_digest": record(a)["agent_digest"]} for a in "ab"],
        "tasks": [
            {"task": r["task"], "task_digest": r["task_digest"], "split": r["split"]}
            for r in rows(3) if r["agent"] == "a"
        ],
    }  # fmt: skip
    data = dataset("x", rows(3), [plan])
    found = public(data)
    assert data.provenance.corpus_digests
    assert found.provenance.corpus_digests == ()
    assert [t.key for t in found.tasks] == ["open-0", "open-1"]
    assert {o.task for o in found.observations} == {"open-0", "open-1"}
    assert found.plan == {(a, t): 2 for a in "ab" for t in ("open-0", "open-1")}
