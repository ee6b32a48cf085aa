"""The Python twins of the CEL rules: none is missing, and each says no where CEL does."""

from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import BaseModel

from benchwright.api.agent import AgentSpec
from benchwright.api.crd import RULES
from benchwright.api.run import BenchmarkRunSpec
from benchwright.api.task import Task
from benchwright.api.taskset import TaskSetSpec
from benchwright.api.trial import TrialSpec, TrialStatus
from benchwright.cli.rules import TWINS, broken_rules

STAMP = "2026-01-01T00:00:00Z"
DIGEST = "sha256:" + "0" * 64
AGENT = {"scaffold": "s", "run": "true"}
RUN = {"agents": ["a"], "taskSet": "t"}
GIT = {"url": "https://example.org/t.git", "ref": "main"}
REPAIR = {
    "name": "r", "kind": "repair", "image": "p", "criteria": [{"name": "c", "command": "true"}],
}  # fmt: skip
TRIAL = {
    "runName": "r", "task": {"name": "r", "digest": DIGEST, "spec": REPAIR}, "index": 0, "order": 0,
    "taskSetDigest": DIGEST, "limits": {},
}  # fmt: skip
SNAPSHOT = {"name": "a", "digest": DIGEST, "spec": AGENT}


def state_rules() -> set[str]:
    """Messages of all rules that look at one object alone."""
    return {r["message"] for rules in RULES.values() for r in rules if "oldSelf" not in r["rule"]}


def test_every_rule_has_a_twin_and_every_twin_a_rule() -> None:
    assert set(TWINS) == state_rules()


def test_twins_are_of_the_model_that_has_the_rule() -> None:
    by_model = {r["message"]: name for name, rules in RULES.items() for r in rules}
    assert {m: kind.__name__ for m, (kind, _) in TWINS.items()} == {
        m: by_model[m] for m in state_rules()
    }


@pytest.mark.parametrize(
    ("model", "data", "broken"),
    [
        (AgentSpec, AGENT, {}),
        (AgentSpec, {**AGENT, "dialect": "openai", "model": "m"}, {}),
        (AgentSpec, {**AGENT, "dialect": "openai"}, {("dialect",): "dialect needs a model"}),
        (AgentSpec, {**AGENT, "model": "m"}, {("model",): "model needs a dialect"}),
        (AgentSpec, {**AGENT, "env": [{"name": "A"}, {"name": "BENCHWRIGHTX"}]}, {}),
        (AgentSpec, {**AGENT, "env": [{"name": "A"}, {"name": "BENCHWRIGHT_X"}]},
         {("env", 1, "name"): "environment names that start with"}),
        (BenchmarkRunSpec, {**RUN, "agents": ["a", "b"]}, {}),
        (BenchmarkRunSpec, {**RUN, "agents": ["a", "b", "a"]},
         {("agents", 2): "an agent is named twice"}),
        (TaskSetSpec, {"source": {"git": GIT}}, {}),
        (TaskSetSpec, {"source": {"inline": [{"task": REPAIR}]}}, {}),
        (TaskSetSpec, {"source": {}}, {("source",): "source takes exactly one"}),
        (TaskSetSpec, {"source": {"git": GIT, "configMap": {"name": "c"}}},
         {("source",): "source takes exactly one"}),
        (TrialSpec, {**TRIAL, "agent": SNAPSHOT}, {}),
        (TrialSpec, {**TRIAL, "purpose": "baseline"}, {}),
        (TrialSpec, TRIAL, {("agent",): "a measurement needs spec.agent"}),
        (TrialSpec, {**TRIAL, "agent": SNAPSHOT, "purpose": "baseline"},
         {("agent",): "a measurement needs spec.agent"}),
        (TrialStatus, {}, {}),
        (TrialStatus, {"outcome": "success", "reason": "R", "phase": "Finished"}, {}),
        (TrialStatus, {"outcome": "success", "phase": "Finished"},
         {("outcome",): "an outcome needs a reason"}),
        (TrialStatus, {"outcome": "success", "reason": "R"},
         {("outcome",): "an outcome needs a reason"}),
    ],
)  # fmt: skip
def test_a_twin_names_the_field_at_fault(
    model: type[BaseModel], data: Mapping[str, Any], broken: dict[tuple[str, ...], str]
) -> None:
    found = dict(broken_rules(model.model_validate(data)))
    assert found.keys() == broken.keys()
    assert all(found[path].startswith(words) for path, words in broken.items())


TASK = Task.model_validate(REPAIR)


@pytest.mark.parametrize(
    ("update", "words"),
    [
        ({"criteria": ()}, "a repair task needs criteria"),
        ({"criteria": TASK.criteria * 2}, "two criteria have the same name"),
        ({"kind": "testWriting"}, "a testWriting task needs measurement.command"),
        ({"kind": "testRunning"}, "a testRunning task needs measurement"),
    ],
)
def test_task_rules_are_those_of_the_model(update: dict[str, Any], words: str) -> None:
    (found,) = broken_rules(TASK.model_copy(update=update))
    assert found[0] == ()
    assert found[1].startswith(words)
