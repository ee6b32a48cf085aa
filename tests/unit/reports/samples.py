"""Records as core.record makes them, with a few fields of interest."""

from typing import Any

from benchwright.api.agent import AgentSnapshot, AgentSpec
from benchwright.api.measurements import (
    ChangeNumbers,
    CoverageNumbers,
    Measurements,
    Outcome,
    SecondsSpent,
    StageUsage,
    TestNumbers,
    Usage,
)
from benchwright.api.task import Task, TaskSnapshot
from benchwright.api.trial import TrialSpec, TrialStatus
from benchwright.core.record import record as row_of
from benchwright.core.trialview import TrialView

DIGEST = "sha256:" + "a" * 64
STARTED, FINISHED = "2026-01-01T10:00:00.000000Z", "2026-01-01T10:00:09.500000Z"


def usage(**more: Any) -> StageUsage:
    base: dict[str, Any] = {
        "requests": 3, "input_tokens": 1000, "cached_input_tokens": 200, "output_tokens": 50,
        "reasoning_tokens": None,
    }  # fmt: skip
    return StageUsage(**{**base, **more})


def measured(gained: int = 12, added: int = 2, **changes: Any) -> Measurements:
    return Measurements(
        tests=TestNumbers(added=added, passed=added, failed=0, total=10 + added),
        coverage=CoverageNumbers(
            base_covered=80, base_total=100, after_covered=80 + gained, gained_lines=gained
        ),
        changes=ChangeNumbers(
            **{"files": 1, "added": 20, "removed": 1, "test_files": 1, "other_files": 0, **changes}
        ),
    )


def seconds(harness: float | None = 3.5) -> SecondsSpent:
    return SecondsSpent(
        queued=0.5, prepare=1.0, agent=4.0, evaluate=2.0, total=9.5, harness=harness
    )


def record(
    agent: str = "mini",
    task: str = "pluggy",
    index: int = 0,
    outcome: Outcome = "success",
    *,
    reason: str = "CoverageGained",
    message: str = "2 added tests pass and cover 12 more lines",
    measurements: Measurements | None = None,
    spent: StageUsage | None = None,
    harness: float | None = 3.5,
    **fields: Any,
) -> dict[str, Any]:
    """One row; `fields` replace what is in it. `outcome="invalid"` has no measurements."""
    status = TrialStatus(
        phase="Finished", attempt=1, started_at=STARTED, finished_at=FINISHED, outcome=outcome,
        reason=reason, message=message, seconds=seconds(harness),
        evidence_uri="/trials/u-1/evidence.tar.gz", usage=Usage(total=spent or usage()),
        measurements=measurements or (None if outcome == "invalid" else measured()),
    )  # fmt: skip
    return {**row_of(_view(agent, task, index), status), **fields}


def _view(agent: str, task: str, index: int) -> TrialView:
    snapshot = AgentSnapshot(
        name=agent, digest=DIGEST, spec=AgentSpec(scaffold="s 1.0", run="true")
    )
    spec = TrialSpec(
        run_name="demo", agent=snapshot,
        task=TaskSnapshot(name=task, digest=DIGEST, spec=_task(task)), task_set_digest=DIGEST,
        index=index, order=index, limits=_task(task).limits,
    )  # fmt: skip
    name = f"demo-{agent}-{task}-{index}"
    return TrialView("default", name, "u-1", spec, TrialStatus(), STARTED, run_uid="run-1")


def _task(name: str) -> Task:
    measurement = {
        "command": "true",
        "coverage": {"path": "c.json", "format": "coveragepy-json"},
        "junit": {"path": "j.xml"},
        "sources": ["src/**"],
    }
    return Task.model_validate(
        {"name": name, "kind": "testWriting", "image": "python", "measurement": measurement}
    )
