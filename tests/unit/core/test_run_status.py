"""What a run says of itself: counts that add up, conditions that change only when the state does."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from benchwright.api.run import BenchmarkRunStatus, RunCounts
from benchwright.core.run import decide
from benchwright.core.runstatus import count
from benchwright.core.runview import RunDecision, TrialSummary
from tests.builders import CORPUS, NOW, a_run, at
from tests.unit.core.test_run_decide import _condition, ended, inputs, on, started

RUN = a_run().with_spec(parallelism=10, trials_per_task=2).view()
FIRST = decide(RUN, inputs(), [], NOW)
TRIALS = started(FIRST)


def _status(decision: RunDecision) -> BenchmarkRunStatus:
    assert decision.status is not None
    return decision.status


def test_at_the_start_everything_is_queued() -> None:
    status = _status(FIRST)
    assert status.counts == RunCounts(planned=4, queued=4)
    assert status.progress == "0/4"
    assert (status.task_set_digest, status.started_at) == (CORPUS, at(0))
    assert status.finished_at is None
    assert status.observed_generation == 3
    assert _condition(FIRST, "Complete") == ("False", "TrialsUnfinished")


def test_each_outcome_has_its_own_counter() -> None:
    one, two, three, four = TRIALS
    known = [
        *ended([one], "failure"), *ended([two], "timeout"), *ended([three], "invalid"), four,
    ]  # fmt: skip
    status = _status(decide(on(RUN, FIRST), inputs(), known, NOW))
    assert status.counts == RunCounts(planned=4, active=1, failed=1, timed_out=1, invalid=1)
    assert status.progress == "3/4"


def test_baselines_are_no_observations_and_are_not_counted() -> None:
    baseline = TrialSummary("run-1-baseline-parse-0", "baseline", "parse", "success")
    counts = count(4, {t.name for t in TRIALS}, {t.name: t for t in [*TRIALS, baseline]})
    assert counts == RunCounts(planned=4, active=4)


OUTCOMES = st.sampled_from(["success", "failure", "timeout", "invalid", None])


@given(
    st.dictionaries(st.integers(0, 19), OUTCOMES, max_size=20),
    st.lists(st.integers(20, 29), max_size=5),
)
def test_counts_always_add_up_to_what_was_planned(mine: dict[int, str], foreign: list[int]) -> None:
    known = {
        str(n): TrialSummary(str(n), "measurement", "t", outcome)  # type: ignore[arg-type]
        for n, outcome in mine.items()
    } | {str(n): TrialSummary(str(n), "baseline", "t", "success") for n in foreign}
    counts = count(20, {str(n) for n in range(20)}, known)
    assert counts.queued + counts.active + counts.finished == counts.planned == 20


def test_when_the_last_trial_has_an_outcome_the_run_is_complete_once() -> None:
    done = decide(on(RUN, FIRST), inputs(), ended(TRIALS), NOW + timedelta(seconds=9))
    assert _status(done).finished_at == at(9)
    assert _status(done).progress == "4/4"
    assert _condition(done, "Complete") == ("True", "AllTrialsFinished")
    assert _status(done).report_uri == "/runs/uid-run"
    assert decide(on(RUN, done), inputs(), ended(TRIALS), NOW + timedelta(hours=1)) == RunDecision()


def test_the_completion_message_says_how_many_were_valid_and_how_many_were_not() -> None:
    known = [*ended(TRIALS[:2]), *ended(TRIALS[2:3], "failure"), *ended(TRIALS[3:], "invalid")]
    status = _status(decide(on(RUN, FIRST), inputs(), known, NOW))
    message = next(c.message for c in status.conditions if c.type == "Complete")
    assert message == "2 of 3 valid trials succeeded; 1 invalid: see their reasons"


def test_nothing_new_is_no_write() -> None:
    run = on(RUN, decide(on(RUN, FIRST), inputs(), TRIALS, NOW))
    assert decide(run, inputs(), TRIALS, NOW + timedelta(hours=1)).status is None


def test_the_start_is_recorded_once() -> None:
    later = decide(
        on(RUN, FIRST), inputs(), ended(TRIALS[:1]) + TRIALS[1:], NOW + timedelta(seconds=50)
    )
    assert _status(later).started_at == at(0)


def test_a_suspended_run_that_never_started_has_no_start_and_no_report() -> None:
    status = _status(decide(a_run().with_spec(suspend=True).view(), inputs(), [], NOW))
    assert (status.started_at, status.report_uri) == (None, None)


def test_a_suspended_run_whose_active_trials_end_keeps_counting() -> None:
    run = replace(on(RUN, FIRST), spec=RUN.spec.model_copy(update={"suspend": True}))
    status = _status(decide(run, inputs(), ended(TRIALS), NOW))
    assert status.counts == RunCounts(planned=4, succeeded=4)
    assert status.finished_at == at(0)


def test_conditions_of_different_kinds_are_there_once_each() -> None:
    types = [c.type for c in _status(FIRST).conditions]
    assert sorted(types) == types == ["Complete", "Resolved", "Suspended"]


def test_a_transition_is_stamped_when_it_happens() -> None:
    problem = inputs(problem=("AgentNotFound", "apply it"))
    run = on(RUN, decide(RUN, problem, [], NOW))
    status = _status(decide(run, inputs(), [], NOW + timedelta(seconds=30)))
    stamps = {c.type: c.last_transition_time for c in status.conditions}
    assert stamps == {"Complete": at(30), "Resolved": at(30), "Suspended": at(0)}


def test_an_input_that_goes_missing_under_a_run_does_not_stop_the_counting() -> None:
    """An Agent deleted while its last trials run: they finish, and the user must see that."""
    run = on(RUN, decide(on(RUN, FIRST), inputs(), TRIALS, NOW))
    problem = inputs(problem=("AgentNotFound", "apply it"))
    status = _status(decide(run, problem, ended(TRIALS[:3]) + TRIALS[3:], NOW))
    assert status.progress == "3/4"
