"""What is made of raw resources: counts, waiting, problems."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from benchwright.cli.progress import Progress, counts, invalid_summary, problems
from benchwright.cli.views import parse_run, parse_trial
from tests.unit.cli.states import complete_run, run_object, running_run, trial

NOW = datetime(2026, 1, 1, 10, 1, tzinfo=UTC)


def named(name: str, raw: dict[str, Any]) -> dict[str, Any]:
    meta = {"name": name, "uid": f"uid-{name}", "creationTimestamp": "2026-01-01T10:00:00Z"}
    return {**raw, "metadata": {**meta, **raw["metadata"]}}


def progress(
    run: dict[str, Any], *trials: dict[str, Any], starting: tuple[str, ...] = (), idle: float = 0.0
) -> Progress:
    parsed = tuple(parse_trial(named(f"t{i}", t)) for i, t in enumerate(trials))
    return Progress(parse_run(named("r", run)), parsed, frozenset(starting), NOW, idle)


def test_counts_by_what_the_trials_are_at() -> None:
    trials = [
        trial("r", "a", 0, phase="Pending"),
        trial("r", "a", 1, phase="Running"),
        trial("r", "a", 2, phase="Running"),
        trial("r", "a", 3, phase="Evaluating"),
        trial("r", "a", 4, phase="Grading"),
        trial("r", "a", 5, "success"),
        trial("r", "a", 6, "timeout"),
        trial("r", "a", 7, "invalid"),
        trial("r", "", 0, phase="Evaluating", baseline=True),
    ]
    found = progress(running_run("r", 10), *trials, starting=("t2",))
    assert counts(found) == {
        "queued": 2, "preparing": 2, "running": 1, "evaluating": 2,
        "success": 1, "failure": 0, "timeout": 1, "invalid": 1,
    }  # fmt: skip
    assert (found.finished, len(found.planned), len(found.active)) == (3, 8, 6)


def test_a_trial_without_a_status_is_being_prepared() -> None:
    raw = trial("r", "a", 0)
    del raw["status"]
    assert counts(progress(running_run("r", 1), raw))["preparing"] == 1


def test_elapsed_ends_with_the_run() -> None:
    assert progress(running_run("r", 1)).elapsed == 60.0
    assert progress(complete_run("r", 1)).elapsed == 9.5


def test_settled_waits_for_trials_that_the_watch_has_not_seen_yet() -> None:
    assert not progress(complete_run("r", 1)).settled
    assert progress(complete_run("r", 1), trial("r", "a", 0, "failure")).settled


@pytest.mark.parametrize(
    ("run", "idle", "found"),
    [
        (complete_run("r", 0), 99.0, []),
        (running_run("r", 3), 0.0, []),
        (running_run("r", 3), 11.0, ["no trial is active and none is being started: is the operator "
                                     "running?"]),
        (run_object("r"), 1.0, []),
        (run_object("r"), 11.0, ["the operator has not looked at this run yet: is Benchwright installed, "
                                 "and does it watch this namespace?"]),
        (run_object("r", Resolved=("False", "AgentNotFound", "no Agent x: apply it")), 0.0,
         ["Resolved is False, AgentNotFound: no Agent x: apply it"]),
        (run_object("r", 3, Resolved=("True", "", ""), Suspended=("True", "Suspended", "")), 0.0,
         ["the run is suspended: set spec.suspend to false to go on"]),
        (run_object("r", 3, Resolved=("True", "", ""), TrialsRefused=("True", "QuotaExceeded", "raise it")),
         0.0, ["TrialsRefused, QuotaExceeded: raise it"]),
    ],
)  # fmt: skip
def test_problems_in_words(run: dict[str, Any], idle: float, found: list[str]) -> None:
    assert problems(progress(run, idle=idle)) == found


def test_failed_attempts_are_read() -> None:
    attempts = [{"attempt": 1, "reason": "NodeLost", "message": "gone", "finishedAt": "x"}]
    (found,) = progress(running_run("r", 1), trial("r", "a", 0, attempts=attempts)).trials
    assert [(f.number, f.reason, f.message) for f in found.failed_attempts] == [
        (1, "NodeLost", "gone")
    ]


def test_stage_and_since_come_from_the_last_stage() -> None:
    stages = [
        {"name": "detect", "createdAt": "2026-01-01T10:00:00Z"},
        {"name": "setup", "createdAt": "2026-01-01T10:00:30Z"},
    ]
    (found,) = progress(running_run("r", 1), trial("r", "a", 0, stages=stages)).trials
    assert found.stage == "setup"
    assert found.since == NOW - timedelta(seconds=30)


def test_invalid_trials_are_summed_up_by_reason() -> None:
    reasons = ("ImagePull", "NodeLost", "ImagePull")
    trials = [trial("r", "a", i, "invalid", reason=r, message="m") for i, r in enumerate(reasons)]
    found = progress(complete_run("r", 3), *trials)
    assert invalid_summary(found.planned) == (
        "2 × ImagePull (such as t0: m); 1 × NodeLost (such as t1: m)"
    )


def test_a_trial_past_all_of_its_limits_is_a_problem() -> None:
    raw = trial("r", "a", 0, phase="Running")
    limits = {"setupSeconds": 1, "agentSeconds": 5, "evaluateSeconds": 3}
    raw["spec"] |= {"limits": limits, "failurePolicy": {"pendingTimeoutSeconds": 10}}
    found = progress(running_run("r", 1), raw)
    assert found.trials[0].allowed == 10 + 1 + 5 + 120
    assert (found.overdue, problems(found)) == ((), [])
    late = replace(found, now=NOW + timedelta(seconds=100))
    assert problems(late) == [
        "trial t0 is at stage write for longer than its limits allow (136 s): see the log of the "
        "operator"
    ]


def test_each_criterion_may_take_its_time() -> None:
    raw = trial("r", "a", 0, phase="Evaluating", stage="evaluate")
    raw["spec"]["limits"] = {"evaluateSeconds": 10}
    assert progress(running_run("r", 1), raw).trials[0].allowed == 900 + 2 * 10 + 120
