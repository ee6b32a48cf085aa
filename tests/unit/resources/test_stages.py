"""The harness's orders for each kind and stage, and arithmetic on quantities."""

import pytest

from benchwright.resources.settings import PodSettings
from benchwright.resources.stages import role_of, stage_plan
from benchwright.resources.units import multiply
from tests.builders import TrialBuilder, a_measurement, a_task, a_trial

SETTINGS = PodSettings(harness_image="h", proxy_ip="10.0.0.1", results_ip="10.0.0.2")


def steps(trial: TrialBuilder, stage: str) -> list[tuple[str, int]]:
    plan = stage_plan(trial.view(), 1, stage, SETTINGS)
    return [(step["name"], step["seconds"]) for step in plan["steps"]]


def test_an_agent_without_setup_is_one_step_with_its_own_limit() -> None:
    assert steps(a_trial(), "write") == [("agent", 600)]


def test_setup_goes_before_the_agent_with_a_limit_of_its_own() -> None:
    assert steps(a_trial().with_agent("script", setup="x"), "write") == [
        ("setup", 60),
        ("agent", 600),
    ]


def test_criteria_are_steps_of_the_evaluator_in_their_order() -> None:
    assert steps(a_trial().of("repair"), "evaluate") == [
        ("criterion-regression", 300),
        ("criterion-suite", 300),
        ("criterion-style", 300),
    ]


def test_a_repair_that_is_measured_too_measures_first() -> None:
    task = a_task("repair", measurement=a_measurement())
    assert steps(a_trial().of(task), "evaluate")[0] == ("measure", 300)


def test_a_replay_runs_what_the_agent_delivered() -> None:
    plan = stage_plan(a_trial().of("testRunning").view(), 1, "evaluate", SETTINGS)
    assert plan["steps"] == [
        {"name": "setup", "seconds": 300, "answer": {"stage": "setup", "name": "setup.sh"}},
        {"name": "test", "seconds": 300, "answer": {"stage": "setup", "name": "test.sh"}},
    ]


def test_a_baseline_only_measures() -> None:
    assert steps(a_trial().baseline(), "evaluate") == [("measure", 300)]


@pytest.mark.parametrize(
    ("trial", "overlays", "selection"),
    [
        (a_trial(), ["write"], "tests_only"),
        (a_trial().of("repair"), ["repair"], "everything"),
        (a_trial().of("testRunning"), [], "none"),
        (a_trial().baseline(), [], "none"),
    ],
    ids=[
        "only tests cross over",
        "everything crosses over",
        "replayed from the clean source",
        "baseline",
    ],
)
def test_what_crosses_into_the_evaluator(
    trial: TrialBuilder, overlays: list[str], selection: str
) -> None:
    plan = stage_plan(trial.view(), 1, "evaluate", SETTINGS)
    assert (plan["overlays"], plan["selection"]) == (overlays, selection)


@pytest.mark.parametrize(
    ("stage", "answers"),
    [("detect", ["tooling.json"]), ("setup", ["setup.sh", "test.sh"]), ("evaluate", [])],
)
def test_answers_are_asked_for_in_the_stages_of_test_running(
    stage: str, answers: list[str]
) -> None:
    assert stage_plan(a_trial().of("testRunning").view(), 1, stage, SETTINGS)["answers"] == answers


def test_the_other_kinds_ask_for_no_answer() -> None:
    assert stage_plan(a_trial().view(), 1, "write", SETTINGS)["answers"] == []


def test_reports_are_read_in_the_evaluator_alone() -> None:
    assert "coverage" not in stage_plan(a_trial().view(), 1, "write", SETTINGS)
    plan = stage_plan(a_trial().view(), 1, "evaluate", SETTINGS)
    assert plan["coverage"] == {"path": "coverage.json", "format": "coveragepy-json"}
    assert plan["junit"] == "junit.xml"


def test_who_it_is_and_where_the_results_go() -> None:
    plan = stage_plan(a_trial().view(), 3, "write", SETTINGS)
    assert (plan["trialUid"], plan["attempt"], plan["stage"]) == ("uid-trial", 3, "write")
    assert plan["resultsUrl"] == "http://results:8081"


def test_roles() -> None:
    assert [role_of(s) for s in ("write", "detect", "setup", "repair")] == ["workspace"] * 4
    assert role_of("evaluate") == "evaluator"


@pytest.mark.parametrize(
    ("quantity", "factor", "product"),
    [
        ("512Mi", 3, "1536Mi"),
        ("1.5Gi", 2, "3Gi"),
        ("0.1", 3, "0.3"),
        ("500m", 8, "4000m"),
        ("100", 1, "100"),
        ("1000000", 1000, "1000000000"),
    ],
)
def test_a_quantity_times_a_factor_keeps_its_unit(quantity: str, factor: int, product: str) -> None:
    assert multiply(quantity, factor) == product


@pytest.mark.parametrize("text", ["", "Mi", "-1Gi", "1 Gi"])
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a quantity"):
        multiply(text, 2)
