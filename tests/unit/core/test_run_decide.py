"""run.decide: which trials to make now, and when there is nothing more to do."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.api import labels
from benchwright.api.agent import AgentSnapshot
from benchwright.api.measurements import Outcome
from benchwright.api.task import TaskSnapshot
from benchwright.core.run import decide
from benchwright.core.runview import Inputs, RunDecision, RunView, TrialSummary
from tests.builders import CORPUS, NOW, RunBuilder, a_run, a_snapshot, a_task, an_agent, at

AGENTS = (an_agent("nop"), an_agent("script"))
WRITE = a_snapshot(a_task(name="parse"))
REPAIR = a_snapshot(a_task("repair", name="mend"))


def inputs(*tasks: TaskSnapshot, baselines: int = 2, **more: Any) -> Inputs:
    tasks = tasks or (REPAIR,)
    good = {t.digest: baselines for t in tasks if t.spec.kind == "testWriting"}
    return Inputs(**{"agents": AGENTS, "tasks": tasks, "corpus": CORPUS, "baselines": good, **more})


def started(decision: RunDecision) -> list[TrialSummary]:
    """The trials that the decision creates, as the run sees them afterwards."""
    return [
        TrialSummary(name=t.name, purpose=t.spec.purpose, task=t.spec.task.name)
        for t in decision.create
    ]


def ended(trials: Iterable[TrialSummary], outcome: Outcome = "success") -> list[TrialSummary]:
    return [replace(t, outcome=outcome, reason="Because", message="so") for t in trials]


def on(run: RunView, decision: RunDecision) -> RunView:
    """The run after its status was written."""
    return replace(run, status=decision.status) if decision.status else run


# Room and order


def test_a_new_run_creates_as_many_trials_as_there_is_room_in_the_drawn_order() -> None:
    run = a_run().with_spec(parallelism=3, trials_per_task=2).view()
    decision = decide(run, inputs(), [], NOW)
    assert [t.spec.order for t in decision.create] == [0, 1, 2]
    assert all(t.spec.purpose == "measurement" for t in decision.create)


def test_trials_that_run_take_room_and_finished_ones_do_not() -> None:
    run = a_run().with_spec(parallelism=2, trials_per_task=3).view()
    first = started(decide(run, inputs(), [], NOW))
    assert decide(run, inputs(), first, NOW).create == ()
    more = decide(run, inputs(), [*ended(first[:1]), first[1]], NOW).create
    assert [t.spec.order for t in more] == [2]


def test_lowered_parallelism_waits_until_enough_have_ended() -> None:
    run = a_run().with_spec(parallelism=4, trials_per_task=4).view()
    first = started(decide(run, inputs(), [], NOW))
    lower = a_run().with_spec(parallelism=2, trials_per_task=4).view()
    assert decide(lower, inputs(), [*ended(first[:1]), *first[1:]], NOW).create == ()
    assert decide(lower, inputs(), [*ended(first[:2]), *first[2:]], NOW).create == ()
    assert len(decide(lower, inputs(), [*ended(first[:3]), *first[3:]], NOW).create) == 1


def test_a_trial_that_is_there_is_never_created_again() -> None:
    run = a_run().with_spec(parallelism=100).view()
    known = started(decide(run, inputs(), [], NOW))
    assert len(known) == 2
    assert decide(run, inputs(), known, NOW).create == ()


def test_a_suspended_run_starts_nothing_and_says_so_and_goes_on_after() -> None:
    run = a_run().with_spec(suspend=True).view()
    decision = decide(run, inputs(), [], NOW)
    assert decision.create == ()
    assert _condition(decision, "Suspended") == ("True", "Suspended")
    resumed = replace(on(run, decision), spec=a_run().view().spec)
    again = decide(resumed, inputs(), [], NOW)
    assert len(again.create) == 2
    assert _condition(again, "Suspended") == ("False", "Running")


def test_a_run_that_is_being_deleted_creates_nothing_and_writes_nothing() -> None:
    assert decide(a_run().deleting().view(), inputs(), [], NOW) == RunDecision()


# Baselines


def test_the_untouched_base_is_measured_before_any_agent_costs_money() -> None:
    run = a_run().with_spec(parallelism=10).view()
    decision = decide(run, inputs(WRITE, baselines=0), [], NOW)
    assert [(t.spec.purpose, t.spec.index) for t in decision.create] == [
        ("baseline", 0),
        ("baseline", 1),
    ]
    assert all(t.spec.agent is None for t in decision.create)


def test_other_tasks_do_not_wait_for_the_baselines_of_one() -> None:
    run = a_run().with_spec(parallelism=10).view()
    made = decide(run, inputs(WRITE, REPAIR, baselines=0), [], NOW).create
    assert [t.spec.purpose for t in made] == ["baseline"] * 2 + ["measurement"] * 2
    assert {t.spec.task.name for t in made if t.spec.purpose == "measurement"} == {"mend"}


def test_baselines_go_first_and_one_of_each_task_before_the_second_of_any() -> None:
    other = a_snapshot(a_task(name="other"))
    run = a_run().with_spec(parallelism=3).view()
    made = decide(run, inputs(WRITE, other, REPAIR, baselines=0), [], NOW).create
    assert [(t.spec.index, t.spec.task.name) for t in made] == [
        (0, "other"),
        (0, "parse"),
        (1, "other"),
    ]


def test_good_baselines_of_an_earlier_run_are_used() -> None:
    made = decide(a_run().view(), inputs(WRITE, baselines=2), [], NOW).create
    assert [t.spec.purpose for t in made] == ["measurement", "measurement"]


def test_while_the_baselines_run_no_agent_starts() -> None:
    run = a_run().with_spec(parallelism=10).view()
    known = started(decide(run, inputs(WRITE, baselines=0), [], NOW))
    assert decide(run, inputs(WRITE, baselines=1), [*ended(known[:1]), known[1]], NOW).create == ()


def _failed_baseline() -> list[TrialSummary]:
    name = labels.baseline_name("run-1", "parse", 0)
    return [TrialSummary(name, "baseline", "parse", "invalid", "TestsFail", "2 of 9 tests fail")]


def test_a_failed_baseline_makes_its_trials_invalid_without_an_agent() -> None:
    run = a_run().with_spec(parallelism=10).view()
    made = decide(run, inputs(WRITE, REPAIR, baselines=0), _failed_baseline(), NOW).create
    failures = {t.spec.task.name: t.spec.baseline_failure for t in made}
    failure = failures["parse"]
    assert failure is not None
    assert failure.reason == "BaselineTestsFail"
    assert "2 of 9 tests fail" in failure.message
    assert failures["mend"] is None
    assert all(t.spec.purpose == "measurement" for t in made), "no further baseline is measured"


# Baselines that the results store has lost


def _baseline(repetition: int, outcome: Outcome | None = "success") -> TrialSummary:
    name = labels.baseline_name("run-1", "parse", repetition)
    return TrialSummary(name, "baseline", "parse", outcome, "BaselineMeasured", "9 tests pass")


def _made(stored: int, *trials: TrialSummary) -> list[tuple[str, int]]:
    run = a_run().with_spec(parallelism=10, agents=("script",)).view()
    one = inputs(WRITE, agents=AGENTS[1:], baselines=stored)
    return [(t.spec.purpose, t.spec.index) for t in decide(run, one, list(trials), NOW).create]


@pytest.mark.parametrize(
    ("stored", "trials", "expected"),
    [
        (2, (0, 1), [("measurement", 0)]),
        (0, (0, 1), [("baseline", 2), ("baseline", 3)]),
        (1, (0, 1), [("baseline", 2)]),
        (1, (0, 1, 2), [("baseline", 3)]),
        (0, (0, 1, 2, 3), [("baseline", 4), ("baseline", 5)]),
        (1, (0, 1, 2, 3, 4), [("baseline", 5)]),
        (2, (0, 1, 2, 3), [("measurement", 0)]),
        (1, (), [("baseline", 0)]),
    ],
    ids=[
        "the store has both", "it has lost both", "it has lost one", "and one that replaced it",
        "it has lost both twice", "it keeps one only", "the replacements are there",
        "another run has left one",
    ],
)  # fmt: skip
def test_a_baseline_that_the_store_has_lost_is_measured_again_under_the_next_index(
    stored: int, trials: tuple[int, ...], expected: list[tuple[str, int]]
) -> None:
    """The Trial says that it succeeded, the store's volume was replaced: by the Trial's name there
    was nothing to create, by the store's count nothing to judge against, for ever."""
    assert _made(stored, *[_baseline(n) for n in trials]) == expected


def test_a_baseline_that_still_runs_is_not_lost() -> None:
    assert _made(0, _baseline(0, None), _baseline(1, None)) == []
    assert _made(1, _baseline(0), _baseline(1, None)) == []
    assert _made(0, _baseline(0), _baseline(1, None)) == [("baseline", 2)]


def test_after_two_replacements_of_each_the_run_stops_and_says_why() -> None:
    run = a_run().view()
    known = [_baseline(n) for n in range(6)]
    decision = decide(run, inputs(WRITE, REPAIR, baselines=1), known, NOW)
    assert decision.create == (), "nor of other tasks: what they leave would be lost too"
    assert _condition(decision, "Resolved") == ("False", "BaselinesLost")
    assert decision.status is not None
    (message,) = [c.message for c in decision.status.conditions if c.type == "Resolved"]
    assert "task parse" in message
    assert "volume" in message
    stopped = on(run, decision)
    assert decide(stopped, inputs(WRITE, REPAIR, baselines=1), known, NOW).status is None
    again = decide(stopped, inputs(WRITE, REPAIR, baselines=2), known, NOW)
    assert again.create, "the volume came back: it goes on"


def test_replacements_that_still_run_are_waited_for_before_the_run_stops() -> None:
    run = a_run().view()
    known = [*(_baseline(n) for n in range(4)), _baseline(4, None), _baseline(5, None)]
    decision = decide(run, inputs(WRITE, baselines=0), known, NOW)
    assert _condition(decision, "Resolved") == ("True", "InputsFit")


def test_a_lost_baseline_that_nobody_needs_any_more_is_not_measured_again() -> None:
    """All trials of its task have their outcome, and a verdict that was written is never revised."""
    run = a_run().with_spec(parallelism=10).view()
    both = inputs(WRITE, REPAIR, baselines=2)
    known = [_baseline(0), _baseline(1), *started(decide(run, both, [], NOW))]
    known = [t if t.task == "mend" else replace(t, outcome="success") for t in known]
    made = decide(run, inputs(WRITE, REPAIR, baselines=0), known, NOW)
    assert made.create == ()
    assert _condition(made, "Resolved") == ("True", "InputsFit")


# What is missing


def test_a_missing_input_creates_nothing_and_is_looked_for_again() -> None:
    problem = inputs(problem=("AgentNotFound", "there is no Agent 'x': apply it"))
    decision = decide(a_run().view(), problem, [], NOW)
    assert decision.create == ()
    assert _condition(decision, "Resolved") == ("False", "AgentNotFound")
    assert decision.requeue_after is not None
    assert decision.status is not None
    assert [c.message for c in decision.status.conditions if c.type == "Resolved"] == [
        "there is no Agent 'x': apply it"
    ]


def test_an_unchanged_problem_is_not_written_again() -> None:
    problem = inputs(problem=("AgentNotFound", "apply it"))
    run = a_run().view()
    run = on(run, decide(run, problem, [], NOW))
    assert decide(run, problem, [], NOW + timedelta(hours=1)).status is None


def test_once_the_input_is_there_the_run_goes_on() -> None:
    run = a_run().view()
    run = on(run, decide(run, inputs(problem=("AgentNotFound", "apply it")), [], NOW))
    decision = decide(run, inputs(), [], NOW)
    assert len(decision.create) == 2
    assert _condition(decision, "Resolved") == ("True", "InputsFit")


def test_a_selector_that_matches_nothing_is_said_in_words() -> None:
    run = a_run().with_spec(selector={"names": ["nope"]}).view()
    decision = decide(run, inputs(), [], NOW)
    assert _condition(decision, "Resolved") == ("False", "SelectorMatchesNothing")


@pytest.mark.parametrize("name", ["demo.v1", "x" * 64], ids=["with a dot", "64 characters"])
def test_a_run_whose_name_cannot_be_a_label_gets_a_condition_not_a_crash(name: str) -> None:
    """The API server takes such names, but labels and Trial.spec.runName do not: the reconcile
    would fail for ever without a word to the user."""
    decision = decide(a_run().named(name).view(), inputs(), [], NOW)
    assert decision.create == ()
    assert _condition(decision, "Resolved")[0] == "False"


# Inputs that change under a run


def _edited(agents: Sequence[AgentSnapshot]) -> tuple[AgentSnapshot, ...]:
    return (agents[0], an_agent("script", run="another script"))


@pytest.mark.parametrize(
    "later",
    [
        inputs(agents=_edited(AGENTS)),
        inputs(
            a_snapshot(a_task("repair", name="mend", image="other:2")), corpus="sha256:" + "d" * 64
        ),
    ],
    ids=["the Agent was edited", "the TaskSet was edited"],
)
def test_a_run_never_mixes_two_versions_of_what_it_compares(later: Inputs) -> None:
    """Half of the trials with one agent and half with another under the same name is a wrong
    number that nobody could see: the plan was recorded, and only that plan may go on."""
    run = a_run().with_spec(parallelism=1, trials_per_task=2).view()
    first = decide(run, inputs(), [], NOW)
    decision = decide(on(run, first), later, ended(started(first)), NOW)
    assert decision.create == ()
    assert _condition(decision, "Resolved")[0] == "False"
    assert decision.status is not None
    assert first.status is not None
    assert decision.status.plan_digest == first.status.plan_digest


# The end


def _condition(decision: RunDecision, kind: str) -> tuple[str, str]:
    assert decision.status is not None
    return next((c.status, c.reason) for c in decision.status.conditions if c.type == kind)


def _finished(run: RunBuilder, seconds_ago: float) -> RunView:
    view = run.view()
    return replace(view, status=view.status.model_copy(update={"finished_at": at(-seconds_ago)}))


def test_a_finished_run_stays_without_a_ttl() -> None:
    assert decide(_finished(a_run(), 10**6), Inputs(), [], NOW) == RunDecision()


@pytest.mark.parametrize(
    ("ago", "expected"),
    [
        (60.0, RunDecision(requeue_after=40.0)),
        (100.0, RunDecision(delete=True)),
        (101.0, RunDecision(delete=True)),
    ],
)
def test_a_finished_run_is_deleted_after_its_ttl_and_not_before(
    ago: float, expected: RunDecision
) -> None:
    run = _finished(a_run().with_spec(ttl_seconds_after_finished=100), ago)
    assert decide(run, Inputs(), [], NOW) == expected


HOW: tuple[Outcome, ...] = ("success", "success", "failure", "timeout", "invalid")


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_however_trials_end_the_run_completes_and_nothing_is_lost(data: st.DataObject) -> None:
    """A whole run in which any active trials end in any way between two decisions."""
    run = a_run().with_spec(parallelism=data.draw(st.integers(1, 5)), trials_per_task=2).view()
    trials: dict[str, TrialSummary] = {}
    for _ in range(30):
        good = sum(t.purpose == "baseline" and t.outcome == "success" for t in trials.values())
        decision = decide(run, inputs(WRITE, REPAIR, baselines=good), list(trials.values()), NOW)
        assert not set(trials) & {t.name for t in decision.create}, "created twice"
        trials |= {t.name: t for t in started(decision)}
        active = [t for t in trials.values() if t.outcome is None]
        assert len(active) <= run.spec.parallelism
        run = on(run, decision)
        counts = run.status.counts
        assert counts is not None
        assert counts.queued + counts.active + counts.finished == counts.planned == 8
        if run.status.finished_at:
            break
        assert active, "not complete, nothing runs, and nothing is created: stuck"
        for trial in data.draw(st.lists(st.sampled_from(active), min_size=1, unique=True)):
            how: Outcome = data.draw(st.sampled_from(HOW))
            trials |= {t.name: t for t in ended([trial], how)}
    measured = [t for t in trials.values() if t.purpose == "measurement"]
    assert len(measured) == 8
    assert all(t.outcome for t in measured)
