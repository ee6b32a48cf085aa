"""Where a trial's time went: differences on one clock, and unknown is None, never 0."""

import pytest

from benchwright.api import labels
from benchwright.api.facts import StageFacts
from benchwright.api.trial import TrialStatus
from benchwright.control.views import trial_view
from benchwright.core.seconds import seconds_spent
from tests.builders import TrialBuilder, a_trial, at
from tests.unit.core.evidence import broken, killed, measured, step, worked

CREATED = at(-30)


def _status(trial: TrialBuilder, finished: float = 30.0) -> TrialStatus:
    return trial.with_status(finished_at=at(finished)).status


BOTH = _status(a_trial().in_stage("write", "evaluate"))


def test_a_whole_trial_adds_up() -> None:
    facts = {
        (1, "write"): worked(setup=step("setup", seconds=4.0)),
        (1, "evaluate"): measured(),
    }
    spent = seconds_spent(CREATED, BOTH, facts)
    assert spent is not None
    assert (spent.queued, spent.total) == (30.0, 30.0)
    assert (spent.agent, spent.evaluate, spent.prepare) == (6.0, 3.0, 2.5)
    assert spent.harness == 21.0  # total less the agent's and the evaluator's own commands


def test_where_there_was_nothing_to_evaluate_that_took_no_time() -> None:
    status = _status(a_trial().in_stage("write")).model_copy(update={"outcome": "failure"})
    spent = seconds_spent(CREATED, status, {(1, "write"): worked()})
    assert spent is not None
    assert (spent.evaluate, spent.harness) == (0.0, 28.0)


def test_both_stages_of_a_test_running_trial_count_as_the_agents() -> None:
    status = _status(a_trial().of("testRunning").in_stage("detect", "setup", "evaluate"))
    facts = {(1, s): worked() for s in ("detect", "setup")} | {(1, "evaluate"): measured()}
    spent = seconds_spent(CREATED, status, facts)
    assert spent is not None
    assert spent.agent == 4.0


def test_only_the_attempt_that_counts_is_counted() -> None:
    status = _status(a_trial().after_invalid("Disrupted").in_stage("write", "evaluate", attempt=2))
    facts = {(1, "write"): worked(), (2, "write"): worked(), (2, "evaluate"): measured()}
    spent = seconds_spent(CREATED, status, facts)
    assert spent is not None
    assert spent.agent == 2.0


def test_no_pod_was_ever_made() -> None:
    assert seconds_spent(CREATED, TrialStatus(finished_at=at(5)), {}) is None


def test_a_lost_workspace_leaves_the_agents_seconds_unknown_not_zero() -> None:
    spent = seconds_spent(CREATED, _status(a_trial().in_stage("write")), {})
    assert spent is not None
    assert (spent.agent, spent.prepare, spent.harness) == (None, None, None)
    assert spent.evaluate is None


def test_a_lost_second_stage_leaves_the_agents_seconds_unknown_not_those_of_the_first() -> None:
    status = _status(a_trial().of("testRunning").in_stage("detect", "setup"))
    spent = seconds_spent(CREATED, status, {(1, "detect"): worked()})
    assert spent is not None
    assert spent.agent is None
    assert spent.harness is None


def test_a_killed_runner_leaves_the_agents_seconds_unknown_not_zero() -> None:
    status = _status(a_trial().in_stage("write"))
    spent = seconds_spent(CREATED, status, {(1, "write"): killed(prepare_seconds=1.0)})
    assert spent is not None
    assert spent.agent is None
    assert spent.harness is None


def test_a_lost_evaluator_leaves_the_known_agents_seconds_in_place() -> None:
    spent = seconds_spent(CREATED, BOTH, {(1, "write"): worked()})
    assert spent is not None
    assert (spent.agent, spent.evaluate, spent.harness) == (2.0, None, None)


def test_a_harness_that_never_prepared_leaves_prepare_unknown() -> None:
    spent = seconds_spent(CREATED, _status(a_trial().in_stage("write")), {(1, "write"): broken()})
    assert spent is not None
    assert spent.prepare is None


def test_a_command_that_never_ran_because_setup_failed_took_no_time() -> None:
    facts = StageFacts(
        steps=(step("setup", 1, seconds=4.0), step("agent", None, seconds=None)),
        prepare_seconds=1.0,
    )
    spent = seconds_spent(CREATED, _status(a_trial().in_stage("write")), {(1, "write"): facts})
    assert spent is not None
    assert spent.agent == 4.0


@pytest.mark.parametrize(("created", "queued"), [(at(0), 0.0), (at(0.5), None), (at(100), None)])
def test_a_pod_before_its_trial_leaves_the_wait_unknown_neither_negative_nor_zero(
    created: str, queued: float | None
) -> None:
    """The API server's clock was ahead of the operator's."""
    spent = seconds_spent(created, BOTH, {})
    assert spent is not None
    assert spent.queued == queued
    assert spent.total == 30.0, "that is the operator's clock alone"


def test_the_wait_is_read_off_one_clock_however_wrong_the_api_servers_is() -> None:
    raw = a_trial().in_stage("write").obj()
    raw["metadata"]["creationTimestamp"] = at(5000)
    raw["metadata"]["annotations"] = {labels.CREATED_AT: at(-2.25)}
    spent = seconds_spent(trial_view(raw).created_at, BOTH, {})
    assert spent is not None
    assert spent.queued == 2.25


@pytest.mark.parametrize("stamp", ["", "yesterday", "2026-11-30T12:00:00"])
def test_a_stamp_that_somebody_broke_is_left_out_of_account(stamp: str) -> None:
    raw = a_trial().in_stage("write").obj()
    raw["metadata"]["annotations"] = {labels.CREATED_AT: stamp}
    assert trial_view(raw).created_at == raw["metadata"]["creationTimestamp"]


def test_commands_longer_than_the_whole_by_rounding_leave_no_negative_rest() -> None:
    facts = {(1, "write"): worked(setup=step("setup", seconds=40.0)), (1, "evaluate"): measured()}
    spent = seconds_spent(CREATED, BOTH, facts)
    assert spent is not None
    assert spent.harness == 0.0
