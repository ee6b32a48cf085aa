"""Raw resources ↔ views: what is patched, what is created, what a summary says."""

from benchwright.api.base import parse_stored
from benchwright.api.run import BenchmarkRunStatus, RunCounts
from benchwright.api.trial import TrialSpec, TrialStatus
from benchwright.control.views import (
    agent_snapshot,
    digest_of,
    run_view,
    status_patch,
    summary,
    trial_object,
    trial_view,
)
from tests.builders import NOW, a_run, a_trial, an_agent


def _merge(old: object, patch: object) -> object:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    out = dict(old) if isinstance(old, dict) else {}
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = _merge(out.get(key), value)
    return out


def test_what_is_none_is_named_so_that_a_merge_patch_removes_it() -> None:
    """A repeat starts without startedAt: left out, the first attempt's would stay."""
    patch = status_patch(a_trial().after_invalid("Disrupted").status)
    assert patch["startedAt"] is None
    assert patch["outcome"] is None
    assert set(patch) == {f.alias for f in TrialStatus.model_fields.values()}


def test_after_the_patch_the_status_is_exactly_the_new_one() -> None:
    old = a_trial().in_stage("write").status
    new = a_trial().after_invalid("Disrupted").status
    stored = _merge(old.dump(), status_patch(new))
    assert parse_stored(TrialStatus, stored) == new
    assert stored == new.dump()


def test_a_runs_status_is_patched_the_same_way() -> None:
    old = BenchmarkRunStatus(
        started_at="2026-01-01T00:00:00Z", counts=RunCounts(planned=4, queued=4)
    )
    new = BenchmarkRunStatus(counts=RunCounts(planned=4, active=4))
    stored = _merge(old.dump(), status_patch(new))
    assert parse_stored(BenchmarkRunStatus, stored) == new


def test_a_trial_view_has_its_owner_its_version_and_whether_it_goes() -> None:
    view = trial_view(a_trial().in_stage("write").obj())
    assert (view.name, view.uid, view.run_uid) == ("run-1-script-task-0", "uid-trial", "uid-run")
    assert (view.resource_version, view.generation, view.deleting) == ("7", 1, False)
    assert view.spec == a_trial().spec()
    assert trial_view(a_trial().deleting().obj()).deleting


def test_a_trial_without_status_is_new() -> None:
    raw = a_trial().obj()
    del raw["status"]
    assert trial_view(raw).status == TrialStatus()


def test_a_run_view_has_its_version_and_whether_it_goes() -> None:
    view = run_view(a_run().obj())
    assert (view.name, view.uid, view.resource_version, view.generation) == (
        "run-1",
        "uid-run",
        "5",
        3,
    )
    assert run_view(a_run().deleting().obj()).deleting


def test_an_agents_digest_is_its_spec_and_not_how_it_was_written() -> None:
    spec = an_agent("model").spec
    raw = {"metadata": {"name": "model"}, "spec": spec.dump()}
    written_out = {"metadata": {"name": "model"}, "spec": {**spec.dump(), "env": []}}
    assert agent_snapshot(raw) == agent_snapshot(written_out) == an_agent("model")
    other = agent_snapshot({"metadata": {"name": "model"}, "spec": {**spec.dump(), "run": "other"}})
    assert other.digest != digest_of(spec)


def test_the_trial_that_a_run_creates_is_owned_labelled_and_complete() -> None:
    run, spec = a_run().view(), a_trial().spec()
    raw = trial_object(run, "run-1-script-task-0", spec, NOW)
    (owner,) = raw["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["uid"], owner["controller"]) == ("BenchmarkRun", "uid-run", True)
    assert raw["metadata"]["labels"] == {
        "benchwright.dev/run": "run-1",
        "benchwright.dev/purpose": "measurement",
        "benchwright.dev/task": "task",
        "benchwright.dev/agent": "script",
    }
    assert parse_stored(TrialSpec, raw["spec"]) == spec


def test_a_baseline_has_no_agent_label() -> None:
    raw = trial_object(a_run().view(), "b", a_trial().baseline().spec(), NOW)
    assert "benchwright.dev/agent" not in raw["metadata"]["labels"]


def test_a_summary_is_what_the_run_needs_to_know() -> None:
    new = summary(a_trial().view())
    assert (new.purpose, new.task, new.outcome, new.reason) == ("measurement", "task", None, "")
    over = summary(a_trial().finished("invalid", "PodLost").view())
    assert (over.outcome, over.reason, over.message) == ("invalid", "PodLost", "it is over")
