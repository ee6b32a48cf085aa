"""What may be said of a run, in sentences."""

import pytest

from benchwright.reports.claims import Claim
from benchwright.reports.claims import claims as claims_of
from benchwright.reports.report import of_records
from tests.unit.reports.samples import measured, record, usage

FIVE = [record(index=i) for i in range(5)]


def claims(records: list[dict[str, object]]) -> list[Claim]:
    return claims_of(of_records("demo", records))


def texts(records: list[dict[str, object]], kind: str) -> list[str]:
    return [c.text for c in claims(records) if c.kind == kind]


def test_a_clean_run_has_nothing_to_stop_it() -> None:
    assert texts(FIVE, "stop") == []
    rates, pass_at_5 = texts(FIVE, "may")
    assert rates.startswith("Success rates (pass@1")
    assert pass_at_5 == "pass@5 and pass^5 of agent mini: every task has five valid trials."


def test_fewer_than_five_valid_trials_are_too_few() -> None:
    trials = [
        *FIVE,
        *(record("b", index=i) for i in range(4)),
        record("b", index=4, outcome="invalid"),
    ]
    assert texts(trials, "stop") == [
        "Too few trials to publish: fewer than 5 valid trials of a task for agent b (4). Of these "
        "agents neither a rate nor a place may be claimed."
    ]


def test_an_agent_with_invalid_trials_only_is_named() -> None:
    trials = [*FIVE, *(record("b", index=i, outcome="invalid") for i in range(5))]
    assert "for agent b (0)" in texts(trials, "stop")[0]


def test_invalid_trials_are_counted_by_agent() -> None:
    trials = [*FIVE, record("mini", index=5, outcome="invalid")]
    assert any(
        t.startswith("1 of 6 trials is invalid (mini 1 of 6)") for t in texts(trials, "note")
    )


@pytest.mark.parametrize(
    "unknown",
    [
        record(index=5, spent=usage(unknown_usage=1, input_tokens=None)),
        {**record(index=5), "spent": None},
    ],
)
def test_unknown_tokens_are_said(unknown: dict[str, object]) -> None:
    assert any("tokens of 1 of 6 trials are unknown" in t for t in texts([*FIVE, unknown], "note"))


def test_a_valid_trial_that_left_nothing_measurable_is_said() -> None:
    broken = record(index=5, outcome="failure", reason="NoReport", coverage=None)
    assert any("1 trial of test writing left nothing" in t for t in texts([*FIVE, broken], "note"))


def test_trials_without_an_outcome_are_said() -> None:
    trials = [*FIVE, *(record("b", index=i) for i in range(3))]
    assert any("At least 2 trials of the plan have no outcome" in t for t in texts(trials, "stop"))


@pytest.mark.parametrize(
    ("field", "kind", "start"),
    [
        ("run_uid", "stop", "2 runs had the name demo: take one of them alone (demo (another), "),
        ("agent_digest", "note", "The agent mini was changed between trials: its 2 digests"),
        ("task_digest", "note", "The task pluggy was changed between trials: its 2 digests"),
    ],
)
def test_what_is_not_one_thing_is_not_pooled_silently(field: str, kind: str, start: str) -> None:
    other = {**record(index=5, measurements=measured()), field: "another"}
    assert any(t.startswith(start) for t in texts([*FIVE, other], kind))


def test_the_gravest_come_first() -> None:
    kinds = [c.kind for c in claims([record(), record(index=1, outcome="invalid")])]
    assert kinds == sorted(kinds, key=["stop", "note", "may"].index)


def test_what_is_odd_about_results_stops_them_and_names_the_task() -> None:
    odd = {"reason": "SolvedWithoutChange", "message": "it may be solved already; check it"}
    trials = [{**record(task="mend", index=i), "findings": [odd]} for i in (5, 6)]
    found = texts([*FIVE, *trials], "stop")
    assert "Task mend, 2 trials: it may be solved already; check it." in found
    assert not any(t.startswith("Task ") for t in texts(FIVE, "stop"))


def test_tokens_of_attempts_that_were_given_up_are_in_no_median() -> None:
    again = {**record(index=5), "attempt": 2}
    assert any(
        t.startswith("1 trial had attempts that were invalid and repeated")
        for t in texts([*FIVE, again], "note")
    )
    assert not any("repeated" in t for t in texts(FIVE, "note"))
