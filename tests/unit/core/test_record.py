"""The row of results.json: every published field, and null where something is not known."""

import json

from benchwright.api.measurements import (
    ChangeNumbers,
    CoverageNumbers,
    CriterionResult,
    Finding,
    Measurements,
    SecondsSpent,
    TestNumbers,
    Usage,
)
from benchwright.core.record import record
from tests.builders import CORPUS, a_trial
from tests.unit.core.evidence import tokens

SECONDS = SecondsSpent(queued=1, prepare=2, agent=3, evaluate=4, total=20, harness=13)
MEASURED = Measurements(
    tests=TestNumbers(added=2, passed=2, failed=0, total=4),
    coverage=CoverageNumbers(base_covered=4, base_total=10, after_covered=6, gained_lines=2),
    changes=ChangeNumbers(files=1, added=9, removed=0, test_files=1, other_files=0),
)
TRIAL = (
    a_trial()
    .with_agent("model", effort="high")
    .in_stage("write", "evaluate")
    .finished()
    .with_status(
        measurements=MEASURED,
        usage=Usage(total=tokens(), stages={"write": tokens()}),
        seconds=SECONDS,
    )
)
ROW = record(TRIAL.view(), TRIAL.status)


def _part(name: str, *fields: str) -> list[int]:
    return [ROW[name][field] for field in fields]


def test_the_fields_that_the_issue_promises() -> None:
    assert (ROW["run"], ROW["agent"], ROW["task"], ROW["index"]) == ("run-1", "model", "task", 0)
    assert (ROW["attempt"], ROW["outcome"], ROW["reason"]) == (1, "success", "CoverageGained")
    assert _part("tests", "added", "passed", "failed") == [2, 2, 0]
    coverage = _part("coverage", "base_covered", "base_total", "after_covered", "gained_lines")
    assert coverage == [4, 10, 6, 2]
    changes = _part("changes", "files", "added", "removed", "test_files", "other_files")
    assert changes == [1, 9, 0, 1, 0]
    assert ROW["usage"] == {
        "requests": 3, "refused": 0, "unknown_usage": 0, "input_tokens": 900,
        "cached_input_tokens": 100, "output_tokens": 60, "reasoning_tokens": 10,
        "known_input_tokens": 0, "known_output_tokens": 0, "cost_usd": None, "known_cost_usd": 0.0,
        "unknown_cost": None, "operations": None, "tool_calls": None, "mismatches": None,
        "answered": {}, "fingerprints": {},
    }  # fmt: skip
    assert ROW["seconds"] == {
        "queued": 1, "prepare": 2, "agent": 3, "evaluate": 4, "total": 20, "harness": 13,
    }  # fmt: skip


def test_what_the_configuration_and_the_corpus_were() -> None:
    assert (ROW["scaffold"], ROW["model"], ROW["effort"]) == ("model", "demo", "high")
    assert ROW["corpus_digest"] == CORPUS
    assert ROW["agent_digest"].startswith("sha256:")
    assert ROW["task_digest"].startswith("sha256:")
    assert (ROW["network"], ROW["protocol"], ROW["version"]) == ("none", "benchwright/1", 1)


def test_stage_seconds_are_the_differences_of_the_operators_stamps() -> None:
    assert ROW["stage_seconds"]["write"] == 10.0


def test_a_row_is_plain_json() -> None:
    assert json.loads(json.dumps(ROW)) == ROW


def test_what_is_not_known_is_null_never_zero() -> None:
    trial = a_trial().in_stage("write").finished("invalid", "PodLost")
    row = record(trial.view(), trial.status)
    for field in (
        "tests",
        "coverage",
        "changes",
        "detect",
        "replay",
        "would_pass",
        "usage",
        "seconds",
    ):
        assert row[field] is None, field
    assert row["criterion_score"] is None
    assert (row["criteria"], row["usage_by_stage"]) == ([], {})


def test_unknown_token_sums_stay_unknown_with_the_known_part_beside() -> None:
    unknown = tokens(
        unknown_usage=1, input_tokens=None, cached_input_tokens=None, output_tokens=None,
        reasoning_tokens=None, known_input_tokens=400, known_output_tokens=7,
    )  # fmt: skip
    trial = TRIAL.with_status(usage=Usage(total=unknown))
    usage = record(a_trial().view(), trial.status)["usage"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (None, None)
    assert (usage["known_input_tokens"], usage["known_output_tokens"]) == (400, 7)


def test_what_was_spent_in_all_is_beside_the_usage_of_the_attempt_that_counts() -> None:
    assert ROW["spent"] == {
        "attempts": 1, "unknown_attempts": 0, "requests": 3, "input_tokens": 900,
        "cached_input_tokens": 100, "output_tokens": 60, "reasoning_tokens": 10, "cost_usd": None,
        "known_requests": 3, "known_input_tokens": 900, "known_output_tokens": 60,
    }  # fmt: skip
    again = a_trial().after_invalid("Disrupted").in_stage("write", attempt=2).finished()
    row = record(again.view(), again.with_status(usage=Usage(total=tokens())).status)
    assert row["usage"]["input_tokens"] == 900
    assert row["spent"]["input_tokens"] is None, "the attempt before is not known to be nothing"
    assert (row["spent"]["attempts"], row["spent"]["known_input_tokens"]) == (2, 900)


def test_findings_are_listed_with_what_to_do() -> None:
    odd = Finding(reason="SolvedWithoutChange", message="check its criteria")
    trial = a_trial().of("repair").in_stage("repair").finished()
    status = trial.with_status(measurements=Measurements(findings=(odd,))).status
    assert record(trial.view(), status)["findings"] == [
        {"reason": "SolvedWithoutChange", "message": "check its criteria"}
    ]
    assert ROW["findings"] == []


def test_a_baselines_row_has_no_agent() -> None:
    trial = a_trial().baseline().in_stage("evaluate").finished()
    row = record(trial.view(), trial.status)
    assert (row["purpose"], row["agent"], row["agent_digest"]) == ("baseline", None, None)
    assert (row["usage"], row["spent"]) == (None, None)


def test_invalid_attempts_are_listed_with_their_reasons() -> None:
    trial = a_trial().after_invalid("Disrupted", "PodLost").in_stage("write", attempt=3).finished()
    row = record(trial.view(), trial.status)
    assert [(a["attempt"], a["reason"]) for a in row["attempts"]] == [
        (1, "Disrupted"),
        (2, "PodLost"),
    ]


def test_criteria_of_a_repair_are_rows_of_their_own() -> None:
    result = CriterionResult(name="regression", passed=True, required=True, weight=2)
    trial = (
        a_trial()
        .of("repair")
        .in_stage("repair", "evaluate")
        .finished()
        .with_status(measurements=Measurements(criteria=(result,), criterion_score=1.0))
    )
    row = record(trial.view(), trial.status)
    assert row["criteria"] == [
        {"name": "regression", "passed": True, "required": True, "weight": 2}
    ]
    assert row["criterion_score"] == 1.0


def test_field_names_are_spelled_in_one_way() -> None:
    """The docstring promises snake_case to readers of the data file."""
    camel = sorted(name for name in ROW if name != name.lower())
    assert camel == []
