"""Models ↔ JSON: what is written can be read again, by us and by the API server.

`dump()` leaves out what is None, so that a field that may be None must not be required.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from benchwright.api import agent, facts, measurements, run, task, taskset, trial
from benchwright.api.base import Model, parse_stored
from benchwright.api.measurements import (
    CoverageNumbers,
    DetectResult,
    Measurements,
    ReplayResult,
    SecondsSpent,
    StageUsage,
    Usage,
)
from benchwright.api.trial import TrialSpec, TrialStatus
from tests.builders import a_run, a_task, a_trial, an_agent
from tests.unit.api.schemas import defaulted, problems, schema_of
from tests.unit.core.evidence import broken, killed, measured, unmeasured, worked

MODULES = (agent, facts, measurements, run, task, taskset, trial)


def _models() -> Iterator[type[Model]]:
    for module in MODULES:
        for value in vars(module).values():
            if (
                isinstance(value, type)
                and issubclass(value, Model)
                and value.__module__ == module.__name__
            ):
                yield value


MODELS = list(_models())


def _takes_none(annotation: Any) -> bool:
    return type(None) in getattr(annotation, "__args__", ())


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_what_may_be_none_may_be_left_out(model: type[Model]) -> None:
    """dump() drops None: a required field that may be None is written and never read again, and
    the CRD's `required` makes the API server refuse it."""
    required = [
        n for n, f in model.model_fields.items() if f.is_required() and _takes_none(f.annotation)
    ]
    assert required == []


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_models_are_frozen_and_refuse_unknown_fields(model: type[Model]) -> None:
    assert model.model_config["frozen"]
    assert model.model_config["extra"] == "forbid"


UNKNOWN_USAGE = StageUsage(
    requests=2, unknown_usage=1, input_tokens=None, cached_input_tokens=None, output_tokens=None,
    reasoning_tokens=None, known_input_tokens=5, known_output_tokens=1,
)  # fmt: skip
STATUSES: dict[str, TrialStatus] = {
    "new": TrialStatus(),
    "working": a_trial().in_stage("write").status,
    "repeated": a_trial().after_invalid("Disrupted").in_stage("write", attempt=2).status,
    "finished": a_trial().in_stage("write", "evaluate").finished().status,
    "usage unknown": a_trial().finished().with_status(
        usage=Usage(total=UNKNOWN_USAGE, stages={"write": UNKNOWN_USAGE})
    ).status,
    "times unknown": a_trial().finished().with_status(
        seconds=SecondsSpent(queued=1, prepare=None, agent=None, evaluate=None, total=9, harness=None)
    ).status,
    "measured": a_trial().finished().with_status(
        measurements=Measurements(
            coverage=CoverageNumbers(base_covered=1, base_total=2, after_covered=2, gained_lines=1),
            detect=DetectResult(answered=False),
            replay=ReplayResult(delivered=True, test_exit=1),
            would_pass=False,
        )
    ).status,
}  # fmt: skip


@pytest.mark.parametrize("status", STATUSES.values(), ids=STATUSES)
def test_a_trials_status_is_read_as_it_was_written(status: TrialStatus) -> None:
    assert parse_stored(TrialStatus, json.loads(json.dumps(status.dump()))) == status


@pytest.mark.parametrize("status", STATUSES.values(), ids=STATUSES)
def test_a_trials_status_is_accepted_by_the_api_server(status: TrialStatus) -> None:
    schema = schema_of("Trial")["properties"]["status"]
    assert problems(schema, defaulted(schema, status.dump())) == []


@pytest.mark.parametrize("kind", ["testWriting", "testRunning", "repair"])
@pytest.mark.parametrize("name", ["nop", "model"])
def test_a_trials_spec_is_read_as_it_was_written_and_accepted(kind: Any, name: str) -> None:
    spec = a_trial().of(kind).with_agent(name).with_budget(requests=3).spec()
    stored = defaulted(schema_of("Trial")["properties"]["spec"], spec.dump())
    assert problems(schema_of("Trial")["properties"]["spec"], stored) == []
    assert parse_stored(TrialSpec, stored) == spec


def test_a_runs_spec_is_read_as_it_was_written() -> None:
    view = a_run().with_spec(selector={"names": ["a*"]}, budget={"trial": {"requests": 3}}).view()
    schema = schema_of("BenchmarkRun")["properties"]["spec"]
    stored = defaulted(schema, view.spec.dump())
    assert problems(schema, stored) == []
    assert parse_stored(run.BenchmarkRunSpec, stored) == view.spec


@pytest.mark.parametrize(
    "found",
    [worked(), measured(), unmeasured(), broken(), killed(), worked(None, timed_out=True)],
    ids=["worked", "measured", "unmeasured", "broken", "killed", "past its limit"],
)
def test_facts_are_read_as_they_were_written(found: facts.StageFacts) -> None:
    """By the results service (stored as JSON) and by the operator (as it hands them out)."""
    stored = found.model_dump_json(by_alias=True, exclude_none=True)
    assert facts.StageFacts.model_validate_json(stored) == found
    assert facts.StageFacts.model_validate(found.dump()) == found


def test_names_outside_are_camel_case_and_both_are_read() -> None:
    spec = an_agent("model").spec
    assert "baselineRuns" in a_task().dump()["measurement"]  # type: ignore[operator]
    assert agent.AgentSpec.model_validate(spec.dump()) == spec
    assert task.TaskLimits.model_validate({"agent_seconds": 5}) == task.TaskLimits.model_validate(
        {"agentSeconds": 5}
    )


def test_what_a_newer_version_stored_is_read_without_the_unknown_parts() -> None:
    stored = {**a_trial().finished().status.dump(), "fromTheFuture": {"a": 1}}
    assert parse_stored(TrialStatus, stored) == a_trial().finished().status
    nested = {
        **stored,
        "conditions": [],
        "stages": [{"name": "w", "pod": "p", "createdAt": "x", "new": 1}],
    }
    assert parse_stored(TrialStatus, nested).stages[0].pod == "p"


def test_what_a_user_writes_with_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError, match="trialPerTask"):
        run.BenchmarkRunSpec.model_validate({"agents": ["a"], "taskSet": "t", "trialPerTask": 2})


def test_the_operator_folder_is_no_package() -> None:
    """operator/__init__.py would shadow the standard library's operator module."""
    root = Path(__file__).parents[3]
    assert (root / "operator" / "benchwright" / "__init__.py").is_file()
    assert not (root / "operator" / "__init__.py").exists()
