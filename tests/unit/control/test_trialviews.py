"""Trials are read once, and their tasks are kept once."""

import gc

from benchwright.control.trialviews import TrialViews
from benchwright.control.views import trial_view
from tests.builders import a_task, a_trial


def test_what_is_read_is_what_would_be_read_without_a_memory() -> None:
    views = TrialViews()
    for trial in (a_trial(), a_trial().in_stage("write"), a_trial().finished()):
        assert views(trial.obj()) == trial_view(trial.obj())


def test_a_spec_is_read_once_and_a_status_each_time() -> None:
    views = TrialViews()
    first, second = views(a_trial().obj()), views(a_trial().in_stage("write").obj())
    assert first.spec is second.spec
    assert (first.status.attempt, second.status.attempt) == (0, 1)


def test_trials_of_one_task_share_its_snapshot() -> None:
    views = TrialViews()
    other = a_trial().named("other").obj()
    other["metadata"]["uid"] = "uid-other"
    one, two = views(a_trial().obj()), views(other)
    assert one.spec.task is two.spec.task
    assert one.spec is not two.spec


def test_a_task_that_only_claims_to_be_the_same_is_kept_apart() -> None:
    views = TrialViews()
    one = views(a_trial().obj())
    raw = a_trial().of(a_task(prompt="another prompt")).obj()
    raw["metadata"]["uid"] = "uid-other"
    raw["spec"]["task"]["digest"] = one.spec.task.digest
    assert views(raw).spec.task.spec.prompt == "another prompt"


def test_what_no_view_holds_is_forgotten() -> None:
    views = TrialViews()
    views(a_trial().obj())
    gc.collect()
    assert len(views._specs) == len(views._tasks) == 0
