"""What every pod of a trial must be and must never be, for all kinds, stages and agents."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from benchwright.api import labels, stageplan
from benchwright.api.agent import EnvVar
from benchwright.core.trialview import stage_names
from benchwright.resources.pods import stage_pod
from benchwright.resources.settings import PodSettings
from tests.builders import TrialBuilder, a_trial

Json = dict[str, Any]
UPLOAD, PROXY = "UPLOAD-TOKEN", "sk-bw-PROXY"
SETTINGS = PodSettings(harness_image="harness:1", proxy_ip="10.0.0.1", results_ip="10.0.0.2")

TRIALS: Mapping[str, TrialBuilder] = {
    "writing by nop": a_trial().with_agent("nop"),
    "writing by a model with setup": a_trial().with_agent("model", setup="sh prepare"),
    "running": a_trial().of("testRunning").with_agent("model"),
    "repair": a_trial().of("repair").with_agent("model", dialect="anthropic"),
    "baseline": a_trial().baseline(),
}
CASES = [(name, stage) for name, trial in TRIALS.items() for stage in stage_names(trial.spec())]
every_pod = pytest.mark.parametrize(("name", "stage"), CASES, ids=lambda v: str(v))


def pod_of(trial: TrialBuilder, stage: str, settings: PodSettings = SETTINGS) -> Json:
    return stage_pod(trial.view(), 1, stage, settings, upload_token=UPLOAD, proxy_token=PROXY)


def containers(pod: Json) -> Iterator[Json]:
    yield from pod["spec"]["initContainers"]
    yield from pod["spec"]["containers"]


def container(pod: Json, name: str) -> Json:
    return next(c for c in containers(pod) if c["name"] == name)


def env(pod: Json, name: str) -> dict[str, str]:
    return {v["name"]: v["value"] for v in container(pod, name).get("env", [])}


def plan(pod: Json) -> Json:
    found: Json = json.loads(env(pod, "harness")[stageplan.PLAN_ENV].replace("$$", "$"))
    return found


@every_pod
def test_every_container_requests_and_bounds_what_it_needs(name: str, stage: str) -> None:
    """A quota or LimitRange would refuse a pod of which one container says nothing (linkerd#3748)."""
    for each in containers(pod_of(TRIALS[name], stage)):
        assert {"cpu", "memory"} <= each["resources"]["requests"].keys(), each["name"]
        assert "memory" in each["resources"]["limits"], each["name"]
        assert "cpu" not in each["resources"]["limits"], "throttling would change results"


@every_pod
def test_every_container_has_a_limit_of_what_it_may_write(name: str, stage: str) -> None:
    for each in containers(pod_of(TRIALS[name], stage)):
        assert "ephemeral-storage" in each["resources"]["limits"], each["name"]


@every_pod
def test_no_container_has_or_can_gain_a_privilege(name: str, stage: str) -> None:
    pod = pod_of(TRIALS[name], stage)
    for each in containers(pod):
        security = each["securityContext"]
        assert security["capabilities"] == {"drop": ["ALL"]}
        assert security["allowPrivilegeEscalation"] is False
        assert not {"privileged", "runAsUser", "procMount"} & security.keys()
    security = pod["spec"]["securityContext"]
    assert security["runAsNonRoot"] is True
    assert security["runAsUser"] > 0
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not {"hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace"} & pod["spec"].keys()


@every_pod
def test_no_volume_comes_from_outside_the_pod_and_each_is_bounded(name: str, stage: str) -> None:
    for volume in pod_of(TRIALS[name], stage)["spec"]["volumes"]:
        assert set(volume) == {"name", "emptyDir"}
        assert volume["emptyDir"]["sizeLimit"]


@every_pod
def test_the_pod_can_neither_ask_the_api_server_nor_resolve_names(name: str, stage: str) -> None:
    spec = pod_of(TRIALS[name], stage)["spec"]
    assert spec["automountServiceAccountToken"] is False
    assert spec["enableServiceLinks"] is False
    assert spec["dnsPolicy"] == "None"
    assert spec["dnsConfig"] == {"nameservers": ["127.0.0.1"]}
    assert [host["hostnames"] for host in spec["hostAliases"]] == [["proxy"], ["results"]]


@every_pod
def test_a_pod_runs_once_and_belongs_to_its_trial(name: str, stage: str) -> None:
    trial = TRIALS[name]
    pod = pod_of(trial, stage)
    assert pod["spec"]["restartPolicy"] == "Never"
    (owner,) = pod["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["uid"], owner["controller"]) == ("Trial", "uid-trial", True)
    tags = pod["metadata"]["labels"]
    assert (tags[labels.RUN], tags[labels.TRIAL]) == ("run-1", trial.name)
    assert tags[labels.ROLE] == ("evaluator" if stage == "evaluate" else "workspace")
    assert (tags[labels.ATTEMPT], tags[labels.STAGE]) == ("1", stage)
    assert pod["metadata"]["name"] == labels.pod_name(trial.name, 1, stage)


# Tokens


@every_pod
def test_the_upload_token_is_in_the_harness_alone(name: str, stage: str) -> None:
    pod = pod_of(TRIALS[name], stage)
    assert env(pod, "harness")[stageplan.TOKEN_ENV] == UPLOAD
    pod["spec"]["initContainers"][0]["env"] = []
    assert UPLOAD not in json.dumps(pod)


@every_pod
def test_the_model_token_is_in_main_of_a_workspace_alone(name: str, stage: str) -> None:
    trial = TRIALS[name]
    pod = pod_of(trial, stage)
    main = container(pod, "main")
    model = trial.agent is not None and trial.agent.spec.model is not None
    assert (PROXY in json.dumps(main)) is (model and stage != "evaluate")
    main["env"] = []
    assert PROXY not in json.dumps(pod)


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        ("openai", {"OPENAI_BASE_URL": "http://proxy:8080/v1", "OPENAI_API_KEY": PROXY}),
        ("anthropic", {"ANTHROPIC_BASE_URL": "http://proxy:8080", "ANTHROPIC_AUTH_TOKEN": PROXY}),
    ],
)
def test_the_proxy_reaches_the_agent_in_the_variables_of_its_dialect(
    dialect: str, expected: dict[str, str]
) -> None:
    found = env(pod_of(a_trial().with_agent("model", dialect=dialect), "write"), "main")
    assert expected.items() <= found.items()
    other = "ANTHROPIC" if dialect == "openai" else "OPENAI"
    assert not [name for name in found if name.startswith(other)]


def test_an_agent_without_a_model_gets_no_token_and_no_client_variables() -> None:
    trial = a_trial().with_agent("nop").view()
    pod = stage_pod(trial, 1, "write", SETTINGS, upload_token=UPLOAD, proxy_token=None)
    assert not [v for v in env(pod, "main") if v.endswith(("_API_KEY", "_BASE_URL", "_AUTH_TOKEN"))]


def test_without_a_token_there_are_no_client_variables_even_with_a_dialect() -> None:
    trial = a_trial().with_agent("model").view()
    pod = stage_pod(trial, 1, "write", SETTINGS, upload_token=UPLOAD, proxy_token=None)
    assert "OPENAI_API_KEY" not in env(pod, "main")


# What a workspace must not know


@every_pod
def test_a_workspace_knows_nothing_of_how_it_is_judged(name: str, stage: str) -> None:
    """No criterion, no measure command, no path of hidden files, no truth: in no field at all."""
    trial = TRIALS[name]
    text = json.dumps(pod_of(trial, stage)).replace("$$", "$")
    secrets = [c.command for c in trial.task.criteria] + [c.name for c in trial.task.criteria]
    secrets += [trial.task.measurement.command or ""] if trial.task.measurement else []
    secrets += ["BENCHWRIGHT_EVALUATION", "tolerance", "truth", 'tooling":']
    found = [s for s in secrets if s and json.dumps(s)[1:-1] in text]
    if stage != "evaluate":
        assert found == []
    elif trial.task.kind == "repair":
        assert set(found) >= {c.command for c in trial.task.criteria}


def test_an_evaluator_knows_nothing_of_the_agent() -> None:
    trial = a_trial().with_agent("model", env=(EnvVar(name="MODE", value="special"),))
    pod = pod_of(trial, "evaluate")
    assert trial.agent is not None
    for word in (
        "special",
        str(trial.agent.spec.run),
        "agents.example",
        "BENCHWRIGHT_PROMPT_FILE",
        "demo",
    ):
        assert word not in json.dumps(pod)
    assert [c["name"] for c in pod["spec"]["containers"]] == ["main"]


# Deadlines and sizes


@every_pod
def test_the_backstop_lies_beyond_the_sum_of_the_runners_own_limits(name: str, stage: str) -> None:
    pod = pod_of(TRIALS[name], stage)
    limits = sum(step["seconds"] for step in plan(pod)["steps"])
    assert pod["spec"]["activeDeadlineSeconds"] >= limits + SETTINGS.grace_seconds


def test_the_harness_has_its_whole_grace_after_the_main_container_ended() -> None:
    assert pod_of(a_trial(), "write")["spec"]["terminationGracePeriodSeconds"] == 240


def test_main_is_bounded_by_what_the_task_says() -> None:
    main = container(pod_of(a_trial(), "write"), "main")
    assert main["resources"]["requests"]["memory"] == "512Mi"
    assert main["resources"]["limits"] == {"memory": "1536Mi", "ephemeral-storage": "2Gi"}


def test_what_the_harness_writes_for_main_is_read_only_there() -> None:
    mounts = {
        m["name"]: m
        for m in container(pod_of(a_trial().with_agent("model"), "write"), "main")["volumeMounts"]
    }
    assert mounts["control"]["readOnly"] is True
    assert mounts["agent"]["readOnly"] is True
    assert "harness" not in mounts, "what the harness keeps is not the agent's to see"


def test_the_harness_does_not_share_its_temporary_folder_with_the_agent() -> None:
    pod = pod_of(a_trial(), "write")
    paths = {
        n: [m for m in container(pod, n)["volumeMounts"] if m["name"] == "tmp"]
        for n in ("harness", "main")
    }
    assert {m["subPath"] for m in paths["harness"]}.isdisjoint(m["subPath"] for m in paths["main"])


def test_a_bundle_is_copied_by_a_container_that_sees_nothing_else() -> None:
    bundle = container(pod_of(a_trial().with_agent("model"), "write"), "bundle")
    assert [m["name"] for m in bundle["volumeMounts"]] == ["agent"]
    assert "env" not in bundle


def test_a_runtime_class_is_set_where_the_installation_has_one() -> None:
    assert "runtimeClassName" not in pod_of(a_trial(), "write")["spec"]
    gvisor = PodSettings("harness:1", "10.0.0.1", "10.0.0.2", runtime_class="gvisor")
    assert pod_of(a_trial(), "write", gvisor)["spec"]["runtimeClassName"] == "gvisor"


LITERALS = ["$(HOME)", "$$(HOME)", "a$$b", "$$$$", "costs $5", "$(date)", "100$"]


@pytest.mark.parametrize("value", LITERALS)
def test_values_are_literal_the_kubelet_expands_nothing(value: str) -> None:
    """The API says "taken literally"; to the kubelet `$$` is `$` and `$(HOME)` is HOME's value."""
    pod = pod_of(a_trial().with_agent("script", env=(EnvVar(name="MODE", value=value),)), "write")
    found = env(pod, "main")["MODE"]
    assert _as_the_kubelet_expands(found, {"HOME": "/home/agent"}) == value


@pytest.mark.parametrize(
    "script", ["echo $$ > pid", 'test "$(date)"', "make X='$$(Y)'", "kill -9 $$"]
)
def test_scripts_reach_the_harness_unchanged(script: str) -> None:
    """The plan is an environment variable too: `$$`, the shell's own process, must stay `$$`."""
    pod = pod_of(a_trial().with_agent("script", run=script), "write")
    seen = json.loads(_as_the_kubelet_expands(env(pod, "harness")[stageplan.PLAN_ENV], {}))
    assert seen["steps"][-1]["script"] == script


def _as_the_kubelet_expands(text: str, known: Mapping[str, str]) -> str:
    """k8s.io/kubernetes third_party/forked/golang/expansion: $$ is $, $(KNOWN) is its value."""
    out, position = "", 0
    while position < len(text):
        if text[position] != "$" or position + 1 == len(text):
            out, position = out + text[position], position + 1
        elif text[position + 1] == "$":
            out, position = out + "$", position + 2
        elif text[position + 1] == "(" and ")" in text[position:]:
            name = text[position + 2 : text.index(")", position)]
            out += known.get(name, f"$({name})")
            position = text.index(")", position) + 1
        else:
            out, position = out + text[position], position + 1
    return out
