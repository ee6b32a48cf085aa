"""What the harness says of a stage, in the form that the results service reads."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from pydantic import BaseModel

from benchwright.api import facts, factsdoc
from benchwright.api.stageplan import StagePlan
from benchwright.harness.collect import Collector
from benchwright.harness.folders import Folders
from benchwright.harness.pipes import Pipes
from benchwright.harness.transport import TransportError

PLAN: StagePlan = {
    "resultsUrl": "http://results",
    "trialUid": "uid",
    "attempt": 1,
    "stage": "evaluate",
    "role": "evaluator",
    "taskDigest": "sha256:0",
    "steps": [{"name": "measure", "seconds": 5, "script": "true"}],
    "answers": [],
    "overlays": [],
    "selection": "tests_only",
    "sources": ["**"],
    "tests": ["tests/**"],
}
DONE = b"benchwright-runner-1 done measure:3:100:250:0\n"


class Stored:
    """A results service that keeps what it is given, or refuses the first facts."""

    def __init__(self, refuse: bool = False) -> None:
        self.refuse = refuse
        self.files: dict[str, bytes] = {}

    def store(self, path: str, data: bytes | Path) -> None:
        if self.refuse and path.endswith("/facts"):
            self.refuse = False
            raise TransportError("PUT facts: 413 too large", 413)
        self.files[path] = data if isinstance(data, bytes) else data.read_bytes()

    @property
    def facts(self) -> facts.StageFacts:
        return facts.StageFacts.model_validate_json(self.files["/v1/attempts/uid/1/evaluate/facts"])


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    made = Folders(*(tmp_path / name for name in ("work", "control", "exchange", "private")))
    for folder in (made.workspace, made.control, made.exchange, made.private, made.reports):
        folder.mkdir()
    return made


def _collected(folders: Folders, plan: StagePlan, record: bytes, *, refuse: bool = False) -> Stored:
    stored = Stored(refuse)
    pipes = Pipes(folders.exchange, ["result", "log-measure"])
    pipes.logs["result"].write(record)
    pipes.logs["log-measure"].write(b"hello\n")
    collector = Collector(plan, folders, stored)  # type: ignore[arg-type]
    collector.store(collector.facts(plan["steps"], pipes, None), 0.5, lambda: 0.25)
    return stored


def test_a_step_that_ended(folders: Folders) -> None:
    found = _collected(folders, PLAN, DONE).facts
    step = found.steps[0]
    assert (step.exit_code, step.seconds, step.timed_out) == (3, 1.5, False)
    assert (step.log_bytes, step.log_tail) == (6, "hello")
    assert (found.runner_finished, found.prepare_seconds, found.collect_seconds) == (
        True,
        0.5,
        0.25,
    )
    assert found.error is None


def test_without_the_runners_closing_record_nothing_is_measured(folders: Folders) -> None:
    found = _collected(folders, {**PLAN, "junit": "junit.xml"}, b"").facts
    assert not found.runner_finished
    assert found.steps[0].exit_code is None
    assert found.tests is None
    assert found.tests_problem is None


def test_a_report_that_is_not_there_has_a_reason(folders: Folders) -> None:
    plan: StagePlan = {
        **PLAN,
        "junit": "junit.xml",
        "coverage": {"path": "c", "format": "coveragepy-json"},
    }
    found = _collected(folders, plan, DONE).facts
    assert found.tests_problem is not None
    assert found.tests_problem.reason == "missing"
    assert found.coverage_problem is not None
    assert found.coverage_problem.reason == "missing"


def test_a_junit_report_is_read(folders: Folders) -> None:
    report = b"<testsuite><testcase classname='a' name='b'/></testsuite>"
    (folders.reports / "junit.xml").write_bytes(report)
    found = _collected(folders, {**PLAN, "junit": "junit.xml"}, DONE).facts
    assert found.tests is not None
    assert [case.status for case in found.tests.cases] == ["passed"]


def test_refused_facts_become_an_error_that_says_so(folders: Folders) -> None:
    found = _collected(folders, PLAN, DONE, refuse=True).facts
    assert found.error is not None
    assert found.error.reason == "FactsRefused"
    assert "413" in found.error.message


def test_what_makes_collecting_fail_is_an_error_and_no_lost_trial(folders: Folders) -> None:
    (folders.private / "dropped").write_text("not a number")
    found = _collected(folders, PLAN, DONE).facts
    assert found.error is not None
    assert found.error.reason == "CollectFailed"
    assert found.steps[0].exit_code == 3


TWINS: list[tuple[Any, type[BaseModel]]] = [
    (factsdoc.StepFactsDoc, facts.StepFacts),
    (factsdoc.ProblemDoc, facts.HarnessError),
    (factsdoc.ProblemDoc, facts.ReportProblem),
    (factsdoc.TestCaseDoc, facts.TestCaseFact),
    (factsdoc.TestFactsDoc, facts.TestFacts),
    (factsdoc.StageFactsDoc, facts.StageFacts),
]


@pytest.mark.parametrize(("document", "model"), TWINS)
def test_the_dictionary_has_the_fields_of_the_model(document: Any, model: type[BaseModel]) -> None:
    assert set(get_type_hints(document)) == {f.alias for f in model.model_fields.values()}


def test_the_sidecar_never_imports_pydantic() -> None:
    """Its import costs each pod more CPU than all that the harness does."""
    modules = ("sidecar", "collect", "worked", "measured", "crossing")
    code = "import sys, json\n" + "".join(f"import benchwright.harness.{m}\n" for m in modules)
    code += "print(json.dumps([m for m in sys.modules if m.startswith('pydantic')]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []
