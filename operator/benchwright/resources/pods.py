"""The pod of a stage: one native sidecar (harness), the main container, perhaps the agent's bundle.

Everything is started at once and waits for files, for the kubelet looks at containers once a
second: each container that must follow another would cost a trial about a second (DESIGN.md).
"""

import json
from typing import Any

from benchwright.api import labels, stageplan
from benchwright.api.agent import AgentSpec
from benchwright.api.base import API_VERSION
from benchwright.core.trialview import TrialView
from benchwright.resources.presets import dialect_of
from benchwright.resources.security import container_security, pod_security
from benchwright.resources.settings import PodSettings
from benchwright.resources.stages import role_of, stage_plan
from benchwright.resources.units import multiply

Dict = dict[str, Any]

_POLL = "sleep 0.05 2>/dev/null || sleep 1"


def _main_command(*, bundle: bool) -> str:
    """Wait for the harness, and for the bundle's copy where there is one; then be the runner."""
    copied = f"until [ -e {stageplan.BUNDLE_READY} ]; do {_POLL}; done\n" if bundle else ""
    return f"""
until [ -p {stageplan.GATE} ]; do {_POLL}; done
read -r word < {stageplan.GATE}
[ "$word" = go ] || exit 125
{copied}exec /bin/sh {stageplan.CONTROL}/runner
"""


# Not -a: times and owners of the volume itself cannot be set without privileges.
_BUNDLE = f"cp -R /bundle/. {stageplan.AGENT_DIR}/ && : > {stageplan.BUNDLE_READY}"


def stage_pod(
    trial: TrialView,
    attempt: int,
    stage: str,
    settings: PodSettings,
    *,
    upload_token: str,
    proxy_token: str | None,
) -> Dict:
    """The pod that runs `stage` of `attempt`. The tokens are the caller's: they hold a time."""
    plan = stage_plan(trial, attempt, stage, settings)
    agent = trial.spec.agent.spec if trial.spec.agent and role_of(stage) == "workspace" else None
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _metadata(trial, attempt, stage),
        "spec": {
            "restartPolicy": "Never",
            "activeDeadlineSeconds": _deadline(plan, settings),
            "terminationGracePeriodSeconds": settings.grace_seconds,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            # No DNS: names would be a way out. What a pod may reach is in its hosts file.
            "dnsPolicy": "None",
            "dnsConfig": {"nameservers": ["127.0.0.1"]},
            "hostAliases": _hosts(settings),
            "securityContext": pod_security(settings.user),
            **({"runtimeClassName": settings.runtime_class} if settings.runtime_class else {}),
            "initContainers": [_harness(plan, settings, upload_token)],
            "containers": [
                *([_bundle(agent.bundle.image, settings)] if agent and agent.bundle else []),
                _main(trial, stage, agent, settings, proxy_token),
            ],
            "volumes": _volumes(trial, agent),
        },
    }


def _metadata(trial: TrialView, attempt: int, stage: str) -> Dict:
    owner = {
        "apiVersion": API_VERSION,
        "kind": "Trial",
        "name": trial.name,
        "uid": trial.uid,
        "controller": True,
        "blockOwnerDeletion": False,
    }
    return {
        "name": labels.pod_name(trial.name, attempt, stage),
        "namespace": trial.namespace,
        "labels": {
            labels.RUN: trial.spec.run_name,
            labels.TRIAL: trial.name,
            labels.ROLE: role_of(stage),
            labels.ATTEMPT: str(attempt),
            labels.STAGE: stage,
        },
        "ownerReferences": [owner],
    }


def _deadline(plan: stageplan.StagePlan, settings: PodSettings) -> int:
    return sum(step["seconds"] for step in plan["steps"]) + settings.slack_seconds


def _hosts(settings: PodSettings) -> list[Dict]:
    return [
        {"ip": settings.proxy_ip, "hostnames": ["proxy"]},
        {"ip": settings.results_ip, "hostnames": ["results"]},
    ]


def _harness(plan: stageplan.StagePlan, settings: PodSettings, token: str) -> Dict:
    mounts = [
        _mount("workspace", stageplan.WORKSPACE),
        _mount("control", stageplan.CONTROL),
        _mount("exchange", stageplan.EXCHANGE),
        _mount("harness", "/var/harness"),
    ]
    return {
        "name": "harness",
        "image": settings.harness_image,
        "imagePullPolicy": settings.image_pull_policy,
        "restartPolicy": "Always",  # what makes an init container a native sidecar
        "env": [
            _variable(stageplan.PLAN_ENV, json.dumps(plan, separators=(",", ":"))),
            {"name": stageplan.TOKEN_ENV, "value": token},
        ],
        "resources": {
            "requests": {"cpu": "20m", "memory": "64Mi", "ephemeral-storage": "64Mi"},
            "limits": {"memory": "512Mi", "ephemeral-storage": "4Gi"},
        },
        "securityContext": container_security(read_only_root=True),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [*mounts, _mount("tmp", "/tmp", subPath="harness")],  # noqa: S108
    }


def _bundle(image: str, settings: PodSettings) -> Dict:
    return {
        "name": "bundle",
        "image": image,
        "imagePullPolicy": settings.image_pull_policy,
        "command": ["sh", "-c", _BUNDLE],
        "resources": {
            "requests": {"cpu": "10m", "memory": "16Mi", "ephemeral-storage": "64Mi"},
            "limits": {"memory": "256Mi", "ephemeral-storage": "4Gi"},
        },
        "securityContext": container_security(),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [_mount("agent", stageplan.AGENT_DIR)],
    }


def _main(
    trial: TrialView, stage: str, agent: AgentSpec | None, settings: PodSettings, token: str | None
) -> Dict:
    task = trial.spec.task.spec
    storage = task.resources.ephemeral_storage
    mounts = [
        _mount("workspace", stageplan.WORKSPACE),
        _mount("control", stageplan.CONTROL, readOnly=True),
        _mount("exchange", stageplan.EXCHANGE),
        _mount("tmp", "/tmp", subPath="main"),  # noqa: S108
        _mount("tmp", stageplan.HOME, subPath="home"),
    ]
    if agent and agent.bundle:
        mounts.append(_mount("agent", stageplan.AGENT_DIR, readOnly=True))
    return {
        "name": "main",
        "image": task.image,
        "imagePullPolicy": settings.image_pull_policy,
        "command": ["/bin/sh", "-c", _main_command(bundle=bool(agent and agent.bundle))],
        "workingDir": "/",
        "env": _environment(stage, agent, settings, token),
        "resources": {
            "requests": {
                "cpu": task.resources.cpu,
                "memory": task.resources.memory,
                "ephemeral-storage": "64Mi",
            },
            "limits": {
                "memory": multiply(task.resources.memory, task.resources.memory_headroom),
                "ephemeral-storage": storage,
            },
        },
        "securityContext": container_security(),
        "volumeMounts": mounts,
    }


def _environment(
    stage: str, agent: AgentSpec | None, settings: PodSettings, token: str | None
) -> list[Dict]:
    env = {"HOME": stageplan.HOME, "BENCHWRIGHT_STAGE": stage, "LANG": "C.UTF-8"}
    if agent is None:
        env |= {
            "BENCHWRIGHT_EVALUATION": stageplan.EVALUATION,
            "BENCHWRIGHT_REPORTS": stageplan.REPORTS,
        }
        return _pairs(env)
    env |= {
        "BENCHWRIGHT_PROMPT_FILE": stageplan.PROMPT_FILE,
        "BENCHWRIGHT_ANSWER_DIR": stageplan.ANSWERS,
        "BENCHWRIGHT_AGENT_DIR": stageplan.AGENT_DIR,
        "BENCHWRIGHT_MODEL": agent.model or "",
        "BENCHWRIGHT_PROXY_URL": settings.proxy_url,
    }
    env |= _dialect(dialect_of(agent), settings.proxy_url, token)
    env |= {e.name: e.value for e in agent.env}
    return _pairs(env)


def _dialect(dialect: str, url: str, token: str | None) -> dict[str, str]:
    """Variables that the clients of an API read (research/proxies.md, table e)."""
    if token is None:
        return {}
    if dialect == "openai":
        return {
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_BASE": f"{url}/v1",
            "OPENAI_API_KEY": token,
        }
    if dialect == "anthropic":
        return {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_BASE": url,
            "ANTHROPIC_API_KEY": token,
            "ANTHROPIC_AUTH_TOKEN": token,
        }
    if dialect == "gemini":
        return {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": token}
    return {}


def _volumes(trial: TrialView, agent: AgentSpec | None) -> list[Dict]:
    size = trial.spec.task.spec.resources.ephemeral_storage
    volumes = [_volume("workspace", size), _volume("tmp", size)]
    volumes += [_volume("control", "256Mi"), _volume("exchange", "1Gi"), _volume("harness", "4Gi")]
    return [*volumes, _volume("agent", "4Gi")] if agent and agent.bundle else volumes


def _volume(name: str, size: str) -> Dict:
    return {"name": name, "emptyDir": {"sizeLimit": size}}


def _mount(name: str, path: str, **more: object) -> Dict:
    return {"name": name, "mountPath": path, **more}


def _pairs(env: dict[str, str]) -> list[Dict]:
    return [_variable(name, value) for name, value in env.items()]


def _variable(name: str, value: str) -> Dict:
    """The kubelet expands $(NAME) and turns $$ into $: a script's `$$` would be another one."""
    return {"name": name, "value": value.replace("$", "$$")}
