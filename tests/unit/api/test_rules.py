"""CEL rules: what the API server refuses, in words that say what to do, and `first_problem` in step.

Objects are defaulted first, as the API server does before it evaluates a rule.
"""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from benchwright.api.agent import AGENT_RULES
from benchwright.api.run import MUTABLE_FIELDS, RUN_RULES, BenchmarkRunSpec
from benchwright.api.task import TASK_RULES, Task
from benchwright.api.taskset import TASKSET_RULES
from benchwright.api.trial import TRIAL_SPEC_RULES, TRIAL_STATUS_RULES
from tests.builders import a_measurement, a_run, a_task, a_trial
from tests.unit.api.schemas import defaulted, problems, schema_of, violations

Rules = list[dict[str, str]]
Json = dict[str, Any]
TASK = schema_of("TaskSet")["properties"]["spec"]["properties"]["source"]["properties"]["inline"][
    "items"
]["properties"]["task"]
AGENT = schema_of("Agent")["properties"]["spec"]
RUN = schema_of("BenchmarkRun")["properties"]["spec"]
ALL = [
    *AGENT_RULES,
    *RUN_RULES,
    *TASK_RULES,
    *TASKSET_RULES,
    *TRIAL_SPEC_RULES,
    *TRIAL_STATUS_RULES,
]


def refusal(rules: Rules, value: Any, old: Any = None) -> str | None:
    """The message of the first rule that does not hold."""
    found = violations({"x-kubernetes-validations": rules}, value, old)
    return found[0] if found else None


@pytest.mark.parametrize("rule", ALL, ids=lambda r: r["message"][:50])
def test_every_message_is_one_sentence_of_reasonable_length(rule: Mapping[str, str]) -> None:
    assert set(rule) == {"rule", "message"}
    assert 20 <= len(rule["message"]) <= 256
    assert "\n" not in rule["message"]
    assert len(rule["rule"]) <= 2048


# Tasks: the same refusals by the API server and by `benchwright validate`

GIT = {"git": {"url": "https://example.org/x.git", "commit": "a" * 40}}
ARCHIVE = {"archive": {"sha256": "b" * 64}}
CRITERION = st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "b"]), "command": st.just("true")},
    optional={"required": st.booleans()},
)
MEASUREMENT = st.booleans().map(
    lambda command: a_measurement(**({} if command else {"command": None})).dump()
)
TASKS = st.fixed_dictionaries(
    {
        "name": st.just("t"),
        "kind": st.sampled_from(["testWriting", "testRunning", "repair"]),
        "image": st.just("x"),
    },
    optional={
        "source": st.sampled_from([{}, GIT, ARCHIVE, GIT | ARCHIVE]),
        "measurement": MEASUREMENT,
        "truth": st.just({"tooling": "none"}),
        "criteria": st.lists(CRITERION, max_size=3),
    },
)


@given(TASKS)
@settings(max_examples=300, deadline=None)
def test_the_api_server_and_the_models_refuse_the_same_tasks_with_the_same_words(
    task: Json,
) -> None:
    stored = defaulted(TASK, task)
    assert problems(TASK, stored) == []
    assert refusal(TASK_RULES, stored) == _refused_by_the_model(task)


def _refused_by_the_model(task: Json) -> str | None:
    try:
        Task.model_validate(task)
    except ValidationError as error:
        return str(error.errors()[0]["msg"]).removeprefix("Value error, ")
    return None


@pytest.mark.parametrize("kind", ["testWriting", "testRunning", "repair"])
def test_a_task_of_each_kind_with_what_it_needs_is_accepted(kind: Any) -> None:
    stored = defaulted(TASK, a_task(kind).dump())
    assert problems(TASK, stored) == []
    assert refusal(TASK_RULES, stored) is None


# Agents


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ({}, None),
        ({"model": "m", "dialect": "openai"}, None),
        ({"dialect": "openai"}, "dialect needs a model"),
        ({"model": "m"}, "model needs a dialect"),
        ({"env": [{"name": "BENCHWRIGHT_X", "value": "1"}]}, "belong to the harness"),
        ({"env": [{"name": "MY_BENCHWRIGHT_X"}]}, None),
    ],
)
def test_agents(agent: Json, words: str | None) -> None:
    stored = defaulted(AGENT, {"scaffold": "s", "run": "true", **agent})
    assert problems(AGENT, stored) == []
    found = refusal(AGENT_RULES, stored)
    assert (found is None) is (words is None)
    assert words is None or (found and words in found)


# Task sets


@pytest.mark.parametrize(
    ("source", "accepted"),
    [
        ({"git": {}}, True),
        ({"configMap": {}}, True),
        ({"inline": []}, True),
        ({}, False),
        ({"git": {}, "inline": []}, False),
        ({"git": {}, "configMap": {}, "inline": []}, False),
    ],
)
def test_a_task_set_has_exactly_one_source(source: Json, accepted: bool) -> None:
    assert (refusal(TASKSET_RULES, {"source": source}) is None) is accepted


# Runs

SPEC = defaulted(RUN, a_run().obj()["spec"])
CHANGES: Mapping[str, Any] = {
    "agents": ["nop"],
    "taskSet": "other",
    "selector": {"kinds": ["repair"]},
    "trialsPerTask": 9,
    "parallelism": 9,
    "seed": 9,
    "limits": {"agentSeconds": 9},
    "budget": {"trial": {"requests": 9}},
    "evidence": {"calls": "full"},
    "network": "open",
    "failurePolicy": {"maxInfraRetries": 8},
    "suspend": True,
    "ttlSecondsAfterFinished": 9,
}


def test_every_field_of_a_run_has_a_say_here() -> None:
    """A new field is either mutable or frozen; this fails until it is decided."""
    assert set(CHANGES) == {f.alias for f in BenchmarkRunSpec.model_fields.values()}


@pytest.mark.parametrize("field", CHANGES)
def test_the_plan_is_frozen_and_only_the_three_mutable_fields_change(field: str) -> None:
    found = refusal(RUN_RULES, {**SPEC, field: CHANGES[field]}, SPEC)
    if field in MUTABLE_FIELDS:
        assert found is None
    else:
        assert found is not None
        assert "apply a new BenchmarkRun" in found


def test_the_budget_of_the_whole_run_may_change_and_no_other_part_of_it() -> None:
    for budget in (
        {"run": {"requests": 9}, "trial": {}},
        {"run": {"costUsd": "2.50"}, "trial": {}},
    ):
        assert refusal(RUN_RULES, {**SPEC, "budget": budget}, SPEC) is None
    found = refusal(RUN_RULES, {**SPEC, "budget": {"run": {}, "trial": {"requests": 1}}}, SPEC)
    assert found is not None
    assert "budget.run" in found


def test_an_unchanged_run_may_be_applied_again() -> None:
    assert refusal(RUN_RULES, SPEC, SPEC) is None


def test_removing_the_ttl_is_a_change_that_is_allowed() -> None:
    assert refusal(RUN_RULES, SPEC, {**SPEC, "ttlSecondsAfterFinished": 5}) is None


def test_an_agent_named_twice_is_refused() -> None:
    found = refusal(RUN_RULES, {**SPEC, "agents": ["nop", "nop"]})
    assert found is not None
    assert "named twice" in found


# Trials


def test_a_trials_spec_never_changes() -> None:
    spec = a_trial().spec().dump()
    assert refusal(TRIAL_SPEC_RULES, spec, spec) is None
    changed = a_trial().with_policy(max_infra_retries=8).spec().dump()
    assert refusal(TRIAL_SPEC_RULES, changed, spec) is not None


@pytest.mark.parametrize(
    ("purpose", "agent", "accepted"),
    [
        ("measurement", True, True),
        ("measurement", False, False),
        ("baseline", False, True),
        ("baseline", True, False),
    ],
)
def test_a_measurement_has_an_agent_and_a_baseline_has_none(
    purpose: str, agent: bool, accepted: bool
) -> None:
    spec = {"purpose": purpose, **({"agent": {}} if agent else {})}
    assert (refusal(TRIAL_SPEC_RULES, spec) is None) is accepted


OVER = {"phase": "Finished", "outcome": "success", "reason": "Good"}


@pytest.mark.parametrize(
    ("old", "new", "accepted"),
    [
        ({"phase": "Running"}, OVER, True),
        (OVER, OVER, True),
        (OVER, {**OVER, "outcome": "failure"}, False),
        (OVER, {"phase": "Finished", "reason": "Good"}, False),
        ({"phase": "Running"}, {"phase": "Running", "outcome": "success", "reason": "Good"}, False),
        ({"phase": "Running"}, {"phase": "Finished", "outcome": "success"}, False),
    ],
    ids=["written", "written again", "changed", "removed", "too early", "without a reason"],
)
def test_an_outcome_is_written_once_with_its_reason(old: Json, new: Json, accepted: bool) -> None:
    assert (refusal(TRIAL_STATUS_RULES, new, old) is None) is accepted
