"""What a run hears of its trials: what it looks at, once, and nothing of what it did itself."""

from dataclasses import replace

from benchwright.control.roster import Roster
from tests.builders import a_run, a_trial

RUN = a_run().view()
TRIAL = a_trial()


def test_a_new_trial_and_its_outcome_are_news_and_its_stages_are_none() -> None:
    roster = Roster()
    assert roster.take(TRIAL.view())
    assert not roster.take(TRIAL.view())
    assert not roster.take(TRIAL.in_stage("write").view())
    assert not roster.take(TRIAL.after_invalid("NodeLost").in_stage("write", attempt=2).view())
    assert roster.take(TRIAL.finished().view())
    assert [(t.name, t.outcome) for t in roster.of(RUN)] == [(TRIAL.name, "success")]


def test_a_trial_that_its_run_is_making_is_no_news_but_what_becomes_of_it_is() -> None:
    roster = Roster()
    roster.expect(TRIAL.name)
    assert not roster.take(TRIAL.view())
    assert len(roster.of(RUN)) == 1
    assert roster.take(TRIAL.finished().view())


def test_a_deleted_trial_is_forgotten_and_is_news_when_it_is_made_anew() -> None:
    roster = Roster()
    roster.take(TRIAL.view())
    roster.drop(TRIAL.view())
    assert roster.of(RUN) == []
    assert not roster._runs
    assert roster.take(TRIAL.view())


def test_trials_of_a_deleted_run_of_the_same_name_are_not_its_own() -> None:
    roster = Roster()
    roster.take(TRIAL.view())
    assert roster.of(replace(RUN, uid="uid-of-another")) == []
