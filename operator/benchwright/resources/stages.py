"""What each stage's pod has to do: trial → StagePlan (pure)."""

from benchwright.api.stageplan import SelectionPolicy, StagePlan, StepPlan
from benchwright.api.trial import TrialSpec
from benchwright.core.trialview import EVALUATE, TrialView
from benchwright.resources.presets import script_of
from benchwright.resources.settings import PodSettings

_ANSWERS = {"detect": ["tooling.json"], "setup": ["setup.sh", "test.sh"]}
"""testRunning: files that a stage's agent is asked to leave in $BENCHWRIGHT_ANSWER_DIR."""
_SELECTION: dict[str, SelectionPolicy] = {
    "testWriting": "tests_only",
    "testRunning": "none",
    "repair": "everything",
}


def role_of(stage: str) -> str:
    return "evaluator" if stage == EVALUATE else "workspace"


def stage_plan(trial: TrialView, attempt: int, stage: str, settings: PodSettings) -> StagePlan:
    """The harness's orders for one pod."""
    spec = trial.spec
    plan: StagePlan = {
        "resultsUrl": settings.results_url,
        "trialUid": trial.uid,
        "attempt": attempt,
        "stage": stage,
        "role": "evaluator" if stage == EVALUATE else "workspace",
        "taskDigest": spec.task.digest,
        "steps": evaluator_steps(spec) if stage == EVALUATE else agent_steps(spec),
        "answers": _ANSWERS.get(stage, []) if spec.task.spec.kind == "testRunning" else [],
        "overlays": _overlays(spec) if stage == EVALUATE else [],
        "selection": "none" if spec.purpose == "baseline" else _SELECTION[spec.task.spec.kind],
        "sources": [],
        "tests": [],
    }
    measurement = spec.task.spec.measurement
    if measurement:
        plan["sources"], plan["tests"] = list(measurement.sources), list(measurement.tests)
        if stage == EVALUATE:
            plan["coverage"] = {
                "path": measurement.coverage.path,
                "format": measurement.coverage.format,
            }
            plan["junit"] = measurement.junit.path
    return plan


def _overlays(spec: TrialSpec) -> list[str]:
    if spec.purpose == "baseline" or spec.task.spec.kind == "testRunning":
        return []  # testRunning is replayed from the clean source
    return list(spec.task.spec.stages)


def agent_steps(spec: TrialSpec) -> list[StepPlan]:
    """Setup script and agent."""
    assert spec.agent is not None
    agent = spec.agent.spec
    steps: list[StepPlan] = []
    if agent.setup:
        steps.append({"name": "setup", "seconds": spec.limits.setup_seconds, "script": agent.setup})
    return [
        *steps,
        {"name": "agent", "seconds": spec.limits.agent_seconds, "script": script_of(agent)},
    ]


def evaluator_steps(spec: TrialSpec) -> list[StepPlan]:
    """Commands that measure what was left."""
    task, seconds = spec.task.spec, spec.limits.evaluate_seconds
    if task.kind == "testRunning":
        return [
            {"name": name, "seconds": seconds, "answer": {"stage": "setup", "name": f"{name}.sh"}}
            for name in ("setup", "test")
        ]
    steps: list[StepPlan] = []
    if task.measurement and task.measurement.command:
        steps.append({"name": "measure", "seconds": seconds, "script": task.measurement.command})
    if spec.purpose == "baseline":
        return steps
    return steps + [
        {"name": f"criterion-{c.name}", "seconds": seconds, "script": c.command}
        for c in task.criteria
    ]
