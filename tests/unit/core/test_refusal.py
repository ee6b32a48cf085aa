"""What the API server refused: stopped, said once, or waited for within limits."""

from dataclasses import replace
from datetime import timedelta

import pytest

from benchwright.api.conditions import MESSAGE_MAX
from benchwright.core.refusal import Refusal
from benchwright.core.run import decide, refused
from benchwright.core.runview import RunDecision, RunView
from benchwright.core.trial import decide as decide_trial
from benchwright.core.trialend import refused as pod_refused
from benchwright.core.trialview import Decision, Observed
from tests.builders import NOW, a_run, a_trial, at
from tests.unit.core.evidence import spent, worked
from tests.unit.core.test_run_decide import ended, inputs, on, started
from tests.unit.core.test_trial_progress import seen

QUOTA = Refusal(
    "Trial x", "403 Forbidden: exceeded quota: few, used: 1", quota=True, forbidden=True
)
HOOK = Refusal("pod x", "500 InternalError: failed calling webhook")
NEVER = Refusal("Trial x", "422 Invalid: spec.task: too long", final=True)
RUN = a_run().with_spec(parallelism=3, trials_per_task=2).view()
FIRST = decide(RUN, inputs(), [], NOW)


def _after(refusal: Refusal, run: RunView = RUN, seconds: float = 0.0) -> RunView:
    moment = NOW + timedelta(seconds=seconds)
    status = refused(run, decide(run, inputs(), [], moment), refusal, {}, 60.0, moment)
    return replace(run, status=status) if status else run


def _said(run: RunView) -> dict[str, tuple[str, str, str]]:
    return {c.type: (c.status, c.reason, c.message) for c in run.status.conditions}


# Trials of a run


def test_what_can_never_be_taken_stops_the_run_with_the_api_servers_words() -> None:
    run = _after(NEVER)
    status, reason, message = _said(run)["Resolved"]
    assert (status, reason) == ("False", "TrialInvalid")
    assert "spec.task: too long" in message
    assert "BenchmarkRun" in message
    decision = decide(run, inputs(), [], NOW + timedelta(hours=1))
    assert (decision.create, decision.status) == ((), None)


def test_those_that_run_go_on_and_are_counted() -> None:
    known = started(FIRST)[:2]
    run = on(RUN, decide(RUN, inputs(), known, NOW))
    status = refused(run, RunDecision(), NEVER, {t.name: t for t in known}, 60.0, NOW)
    assert status is not None
    later = decide(replace(run, status=status), inputs(), ended(known), NOW)
    assert later.status is not None
    assert later.status.progress == "2/4"


def test_a_change_of_the_spec_has_it_tried_again() -> None:
    assert decide(replace(_after(NEVER), generation=4), inputs(), [], NOW).create


def test_what_may_be_taken_later_is_said_with_what_to_do_and_stops_nothing() -> None:
    run = _after(QUOTA)
    status, reason, message = _said(run)["TrialsRefused"]
    assert (status, reason) == ("True", "QuotaExceeded")
    assert "exceeded quota: few" in message
    assert "parallelism" in message
    assert _said(run)["Resolved"][0] == "True"
    assert decide(run, inputs(), [], NOW).create == FIRST.create


def test_the_same_refusal_in_other_words_is_not_written_again() -> None:
    run = _after(QUOTA)
    other = replace(QUOTA, words="403 Forbidden: exceeded quota: few, used: 2")
    assert _after(other, run, 60.0) is run


def test_another_reason_is_said_and_since_when() -> None:
    run = _after(replace(QUOTA, quota=False), _after(QUOTA), 60.0)
    (found,) = [c for c in run.status.conditions if c.type == "TrialsRefused"]
    assert (found.reason, found.last_transition_time) == ("Forbidden", at(60))


@pytest.mark.parametrize("suspended", [False, True], ids=["all are made", "nothing is to be made"])
def test_it_is_said_no_more_where_nothing_is_refused_any_more(suspended: bool) -> None:
    run = _after(QUOTA)
    known = [] if suspended else started(FIRST)
    if suspended:
        run = replace(run, spec=run.spec.model_copy(update={"suspend": True}))
    decision = decide(run, inputs(), known, NOW)
    assert decision.status is not None
    assert "TrialsRefused" not in {c.type for c in decision.status.conditions}


def test_long_words_are_cut() -> None:
    for refusal in (QUOTA, NEVER):
        run = _after(replace(refusal, words="x" * 5000))
        assert all(len(c.message) <= MESSAGE_MAX for c in run.status.conditions)


# Pods of a trial

WAITING = a_trial().with_policy(pending_timeout_seconds=900)


def _pod_refused(refusal: Refusal, state: Observed, seconds: float = 0.0) -> Decision:
    return pod_refused(state, 1, refusal, 5.0, NOW + timedelta(seconds=seconds))


def _then(state: Observed, decision: Decision) -> Observed:
    assert decision.status is not None
    return replace(state, trial=replace(state.trial, status=decision.status))


def test_a_refused_pod_is_said_on_the_trial_once_and_tried_again() -> None:
    state = seen(WAITING)
    first = _pod_refused(HOOK, state)
    assert first.requeue_after == 5.0
    assert first.status is not None
    (said,) = first.status.conditions
    assert (said.type, said.status, said.reason) == ("PodRefused", "True", "Refused")
    assert "failed calling webhook" in said.message
    assert _pod_refused(HOOK, _then(state, first), 60) == Decision(requeue_after=5.0)


def test_once_the_pod_is_taken_it_is_said_no_more() -> None:
    state = seen(WAITING)
    decision = decide_trial(_then(state, _pod_refused(HOOK, state)), NOW)
    assert decision.create == (1, "write")
    assert decision.status is not None
    assert decision.status.conditions == ()


def test_what_does_not_pass_ends_the_trial_after_the_pending_timeout() -> None:
    state = seen(WAITING)
    state = _then(state, _pod_refused(HOOK, state))
    assert _pod_refused(HOOK, state, 899).status is None
    end = _pod_refused(HOOK, state, 900).status
    assert end is not None
    assert (end.outcome, end.reason) == ("invalid", "PodRejected")
    assert "failed calling webhook" in (end.message or "")
    assert [c.type for c in end.conditions] == ["Finished"]


def test_a_full_quota_is_waited_for_however_long_and_its_time_counts_for_no_other_refusal() -> None:
    state = seen(WAITING)
    state = _then(state, _pod_refused(QUOTA, state))
    assert _pod_refused(QUOTA, state, 10**6) == Decision(requeue_after=5.0)
    other = _pod_refused(HOOK, state, 10**6)
    assert other.status is not None
    assert other.status.outcome is None


def test_a_pod_that_is_never_taken_ends_the_trial_but_not_before_the_books_are_closed() -> None:
    state = seen(a_trial().in_stage("write"), facts={"write": worked()})
    never = replace(HOOK, final=True)
    assert _pod_refused(never, state) == Decision(close_proxy=1, again=True)
    end = _pod_refused(never, replace(state, usage=spent())).status
    assert end is not None
    assert (end.outcome, end.reason) == ("invalid", "PodRejected")
    assert end.usage == spent().usage
