"""Whole pods against YAML files: a reviewer sees every change of what runs in a cluster."""

import json
from typing import Any

import pytest

from benchwright.api.agent import EnvVar
from benchwright.api.stageplan import PLAN_ENV
from benchwright.api.task import Resources
from benchwright.resources.pods import stage_pod
from benchwright.resources.settings import PodSettings
from tests.builders import TrialBuilder, a_task, a_trial
from tests.golden.conftest import Golden

SETTINGS = PodSettings(
    harness_image="benchwright.example/harness:1", proxy_ip="10.0.0.1", results_ip="10.0.0.2"
)

PODS: dict[str, tuple[TrialBuilder, str]] = {
    "workspace-script": (
        a_trial().with_agent("script", setup="sh prepare", env=(EnvVar(name="MODE", value="a $(b)"),)),
        "write",
    ),
    "workspace-bundle-openai": (
        a_trial().with_agent("model", effort="high").of(
            a_task(resources=Resources(cpu="1", memory="1.5Gi", memory_headroom=2))
        ),
        "write",
    ),
    "workspace-detect": (a_trial().of("testRunning"), "detect"),
    "evaluator-test-writing": (a_trial(), "evaluate"),
    "evaluator-repair": (a_trial().of("repair"), "evaluate"),
    "evaluator-test-running-replay": (a_trial().of("testRunning"), "evaluate"),
    "baseline": (a_trial().baseline(), "evaluate"),
}  # fmt: skip


def _expanded(pod: dict[str, Any]) -> dict[str, Any]:
    """The plan, which is JSON inside an environment variable, as YAML to be read."""
    for container in pod["spec"]["initContainers"]:
        for variable in container["env"]:
            if variable["name"] == PLAN_ENV:
                plan = variable["value"].replace("$$", "$")  # as the kubelet does
                variable["value"] = {"json": json.loads(plan)}
    return pod


@pytest.mark.parametrize("name", PODS)
def test_pod(name: str, golden: Golden) -> None:
    trial, stage = PODS[name]
    pod = stage_pod(
        trial.view(), 2, stage, SETTINGS, upload_token="UPLOAD-TOKEN", proxy_token="sk-bw-PROXY"
    )
    golden(f"pods/{name}", _expanded(pod))
