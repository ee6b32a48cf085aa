"""The plan of a run: the same seed gives the same order, in blocks that compare all agents alike."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.api import labels
from benchwright.api.run import BenchmarkRunSpec, LimitOverrides, TaskSelector
from benchwright.api.task import Kind, TaskSnapshot
from benchwright.core import plan
from tests.builders import CORPUS, a_snapshot, a_task, an_agent


def spec(**more: object) -> BenchmarkRunSpec:
    return BenchmarkRunSpec(**{"agents": ("a",), "task_set": "set", **more})


def snapshots(*names: str, kind: Kind = "testWriting", **more: object) -> list[TaskSnapshot]:
    return [a_snapshot(a_task(kind, name=name, **more)) for name in names]


AGENTS = [an_agent(name) for name in ("nop", "script", "model")]
TASKS = snapshots("parse", "tabulate", "intervals", "other")


def test_the_same_seed_gives_the_same_plan_in_whatever_order_things_were_listed() -> None:
    one = plan.draw("r", spec(seed=7, trials_per_task=3), AGENTS, TASKS)
    other = plan.draw("r", spec(seed=7, trials_per_task=3), AGENTS[::-1], TASKS[::-1])
    assert one == other
    assert plan.plan_digest(one) == plan.plan_digest(other)


def test_another_seed_gives_another_order_of_the_same_trials() -> None:
    one = plan.draw("r", spec(seed=1, trials_per_task=2), AGENTS, TASKS)
    other = plan.draw("r", spec(seed=2, trials_per_task=2), AGENTS, TASKS)
    assert [p.name for p in one] != [p.name for p in other]
    assert {p.name for p in one} == {p.name for p in other}
    assert plan.plan_digest(one) != plan.plan_digest(other)


def test_the_recorded_order_of_a_seed_never_changes() -> None:
    """results.json of old runs is reproduced by the seed: a changed shuffle would be a silent break."""
    drawn = plan.draw("r", spec(seed=20261130), AGENTS, TASKS[:2])
    assert [(p.agent.name, p.task.name, p.order) for p in drawn] == [
        ("nop", "tabulate", 0),
        ("nop", "parse", 1),
        ("script", "tabulate", 2),
        ("model", "parse", 3),
        ("script", "parse", 4),
        ("model", "tabulate", 5),
    ]


SHORT = st.from_regex(r"\A[a-z]([-a-z0-9]{0,10}[a-z0-9])?\Z")


@given(
    agents=st.lists(SHORT, min_size=1, max_size=4, unique=True),
    tasks=st.lists(SHORT, min_size=1, max_size=5, unique=True),
    trials=st.integers(1, 4),
    seed=st.integers(0, 2**53 - 1),
)
@settings(max_examples=40, deadline=None)
def test_every_cell_is_in_every_block_once_and_names_are_unique(
    agents: list[str], tasks: list[str], trials: int, seed: int
) -> None:
    drawn = plan.draw(
        "run",
        spec(seed=seed, trials_per_task=trials),
        [an_agent(a) for a in agents],
        snapshots(*tasks),
    )
    size = len(agents) * len(tasks)
    cells = {(a, t) for a in agents for t in tasks}
    for index in range(trials):
        block = drawn[index * size : (index + 1) * size]
        assert Counter((p.agent.name, p.task.name) for p in block) == Counter(cells)
        assert {p.index for p in block} == {index}
    assert [p.order for p in drawn] == list(range(size * trials))
    assert len({p.name for p in drawn}) == len(drawn)
    assert all(len(p.name) <= labels.TRIAL_NAME_MAX for p in drawn)


def test_the_first_block_does_not_depend_on_how_many_follow() -> None:
    """A run that is continued with more trials has begun in the same order."""
    short = plan.draw("r", spec(seed=5), AGENTS, TASKS)
    long = plan.draw("r", spec(seed=5, trials_per_task=9), AGENTS, TASKS)
    assert long[: len(short)] == short


# Selecting


@pytest.mark.parametrize(
    ("selector", "chosen"),
    [
        ({}, ["one", "two", "mend"]),
        ({"kinds": ["repair"]}, ["mend"]),
        ({"names": ["t*"]}, ["two"]),
        ({"names": ["draft"]}, ["draft"]),
        ({"names": ["one", "mend"], "kinds": ["testWriting"]}, ["one"]),
    ],
    ids=["all active ones", "by kind", "by glob", "a draft by its name", "by name and kind"],
)
def test_selector(selector: dict[str, list[str]], chosen: list[str]) -> None:
    tasks = [
        *snapshots("one", "two"),
        *snapshots("mend", kind="repair"),
        *snapshots("draft", lifecycle="draft"),
        *snapshots("old", lifecycle="retired"),
    ]
    found = plan.select(tasks, TaskSelector.model_validate(selector))
    assert [t.name for t in found] == chosen


def test_a_name_that_matches_nothing_is_an_error_that_says_what_there_is() -> None:
    with pytest.raises(
        plan.SelectorError, match=r"no task matches 'prase'; there are: parse, tabulate"
    ):
        plan.select(TASKS, TaskSelector(names=("parse", "prase")))


def test_a_selector_that_leaves_nothing_is_an_error_not_an_empty_run() -> None:
    with pytest.raises(plan.SelectorError, match="leaves no task"):
        plan.select(TASKS, TaskSelector(kinds=("repair",)))
    with pytest.raises(plan.SelectorError, match="leaves no task"):
        plan.select(snapshots("a", lifecycle="draft"), TaskSelector())


# Specs of trials


def test_a_trial_is_a_frozen_snapshot_of_agent_task_and_protocol() -> None:
    run = spec(budget={"trial": {"requests": 9}}, limits=LimitOverrides(agent_seconds=11))
    (item, *_) = plan.draw("r", run, AGENTS[:1], TASKS[:1])
    made = plan.measurement("r", run, CORPUS, item, None)
    assert (made.run_name, made.purpose, made.task_set_digest) == ("r", "measurement", CORPUS)
    assert (made.agent, made.task, made.index, made.order) == (AGENTS[0], TASKS[0], 0, 0)
    assert made.budget.requests == 9
    assert made.failure_policy == run.failure_policy


def test_the_runs_limits_replace_the_tasks_and_only_those_given() -> None:
    task = TASKS[0]
    found = plan.limits(spec(limits=LimitOverrides(agent_seconds=11)), task)
    assert found.agent_seconds == 11
    assert found.setup_seconds == task.spec.limits.setup_seconds
    assert found.evaluate_seconds == task.spec.limits.evaluate_seconds


def test_a_baseline_has_no_agent_and_the_same_limits() -> None:
    run = spec(limits=LimitOverrides(evaluate_seconds=99))
    made = plan.baseline("r", run, CORPUS, TASKS[0], 1)
    assert (made.purpose, made.agent, made.index) == ("baseline", None, 1)
    assert made.limits.evaluate_seconds == 99
