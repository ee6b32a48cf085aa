"""What the chart runs: as little privilege as the strictest standard asks, and parts that fit together."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.control.settings import from_environment
from benchwright_proxy.cli import parser
from benchwright_proxy.config import load
from tests.e2e.chart import (
    MODELS,
    NO_CRDS,
    Json,
    containers,
    merged,
    named,
    of_kind,
    pods,
    render,
)

PARTS = ("benchwright-operator", "benchwright-proxy", "benchwright-results")


@pytest.fixture(scope="module")
def objects() -> list[Json]:
    return render(merged(NO_CRDS, MODELS))


def test_three_parts_and_one_of_each(objects: list[Json]) -> None:
    assert sorted(pods(objects)) == list(PARTS)
    for deployment in of_kind(objects, "Deployment"):
        spec = deployment["spec"]
        assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})


@pytest.mark.parametrize("part", PARTS)
def test_the_strictest_pod_security_standard_admits_it(objects: list[Json], part: str) -> None:
    """All that `restricted` looks at."""
    spec = pods(objects)[part]["spec"]
    security = spec["securityContext"]
    assert security["runAsNonRoot"] is True
    assert security["runAsUser"] > 0
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(spec)
    for container in containers(pods(objects)[part]):
        own = container["securityContext"]
        assert own["allowPrivilegeEscalation"] is False
        assert own["capabilities"] == {"drop": ["ALL"]}
        assert own["readOnlyRootFilesystem"] is True
        assert not own.get("privileged")
        assert not any("hostPort" in p for p in container.get("ports", []))
    kinds = {kind for volume in spec["volumes"] for kind in volume if kind != "name"}
    assert kinds <= {"configMap", "secret", "emptyDir", "persistentVolumeClaim"}


@pytest.mark.parametrize("part", PARTS)
def test_only_the_operator_speaks_to_the_api_server(objects: list[Json], part: str) -> None:
    spec = pods(objects)[part]["spec"]
    if part == "benchwright-operator":
        assert spec["serviceAccountName"] == "benchwright-operator"
    else:
        assert spec["automountServiceAccountToken"] is False
        assert "serviceAccountName" not in spec
    assert spec["enableServiceLinks"] is False


@pytest.mark.parametrize("part", PARTS)
def test_each_container_says_what_it_needs_and_how_it_is(objects: list[Json], part: str) -> None:
    for container in containers(pods(objects)[part]):
        assert {"cpu", "memory"} <= set(container["resources"]["requests"])
        assert "memory" in container["resources"]["limits"]
        ports = {p["name"] for p in container["ports"]}
        for probe in ("livenessProbe", "readinessProbe"):
            assert container[probe]["httpGet"]["port"] in ports


@pytest.mark.parametrize("part", PARTS)
def test_everything_that_is_mounted_is_there(objects: list[Json], part: str) -> None:
    spec = pods(objects)[part]["spec"]
    volumes = [v["name"] for v in spec["volumes"]]
    assert len(set(volumes)) == len(volumes)
    (container,) = containers(pods(objects)[part])
    assert {m["name"] for m in container["volumeMounts"]} == set(volumes)
    for volume in spec["volumes"]:
        if "configMap" in volume:
            named(objects, "ConfigMap", volume["configMap"]["name"])
        if "persistentVolumeClaim" in volume:
            named(objects, "PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"])


def test_a_providers_key_is_in_the_proxy_alone(objects: list[Json]) -> None:
    found = {
        part: {v["secret"]["secretName"] for v in pod["spec"]["volumes"] if "secret" in v}
        for part, pod in pods(objects).items()
    }
    assert found["benchwright-proxy"] == {"benchwright-keys", "openai", "anthropic"}
    assert found["benchwright-operator"] == found["benchwright-results"] == {"benchwright-keys"}
    mounts = {
        m["name"]: m["mountPath"]
        for c in containers(pods(objects)["benchwright-proxy"])
        for m in c["volumeMounts"]
    }
    assert mounts["provider-openai"] == "/etc/benchwright/providers/openai"


def test_the_signing_key_is_long_and_made_anew_for_each_installation(objects: list[Json]) -> None:
    keys = [
        base64.b64decode(named(found, "Secret", "benchwright-keys")["data"]["signing"])
        for found in (objects, render(NO_CRDS))
    ]
    assert keys[0] != keys[1]
    assert all(len(key) == 64 for key in keys)


def test_a_signing_key_of_ones_own_is_left_alone() -> None:
    """Argo CD renders charts without the cluster: each time there would be another key."""
    own = render({**NO_CRDS, "keys": {"create": False}})
    assert not [o for o in of_kind(own, "Secret") if o["metadata"]["name"] == "benchwright-keys"]
    mounted = [
        v["secret"]["secretName"]
        for v in pods(own)["benchwright-results"]["spec"]["volumes"]
        if "secret" in v
    ]
    assert mounted == ["benchwright-keys"]


# The programs take what they are given


def test_the_operator_takes_its_settings(objects: list[Json]) -> None:
    (container,) = containers(pods(objects)["benchwright-operator"])
    settings = from_environment({e["name"]: e["value"] for e in container["env"]})
    assert (settings.namespace, settings.workers, settings.runtime_class) == ("bench", 8, None)
    assert settings.harness_image == "benchwright.local/harness:0.1.0"
    for host, port, name in (
        (settings.results_host, settings.results_port, "http"),
        (settings.results_host, settings.trial_port, "trials"),
        (settings.proxy_host, settings.proxy_port, "http"),
        (settings.proxy_host, settings.proxy_admin_port, "admin"),
    ):
        ports = {p["name"]: p["port"] for p in named(objects, "Service", host)["spec"]["ports"]}
        assert ports[name] == port
    assert container["ports"] == [{"name": "health", "containerPort": settings.health_port}]


def test_the_proxy_takes_its_arguments(objects: list[Json]) -> None:
    (container,) = containers(pods(objects)["benchwright-proxy"])
    given = parser().parse_args(container["args"])
    ports = {p["name"]: p["containerPort"] for p in container["ports"]}
    assert (given.port, given.admin_port) == (ports["http"], ports["admin"])
    mounts = [m["mountPath"] for m in container["volumeMounts"]]
    for file in (given.config, given.journal, *given.key_file):
        assert any(file.is_relative_to(mount) for mount in mounts)


def test_every_part_logs_at_the_level_that_was_set() -> None:
    levels: Json = {"operator": "DEBUG", "results": "WARNING", "proxy": "ERROR"}
    found = pods(render(merged(NO_CRDS, {p: {"logLevel": x} for p, x in levels.items()})))
    for part in ("operator", "results"):
        (container,) = containers(found[f"benchwright-{part}"])
        assert {"name": "BENCHWRIGHT_LOG_LEVEL", "value": levels[part]} in container["env"]
    (container,) = containers(found["benchwright-proxy"])
    assert parser().parse_args(container["args"]).log_level == "ERROR"


# Text that looks like a number


NUMBERS: Json = {
    "images": {"operator": {"repository": "1", "tag": "1.10"}, "pullSecrets": ["0123"]},
    "podAnnotations": {"a": "true", "b": "1e3"},
    "operator": {"runtimeClass": "12"},
    "results": {"persistence": {"storageClass": "1.0"}},
    "proxy": {
        "persistence": {"existingClaim": "7"},
        "providers": [{
            "name": "1", "dialect": "openai", "baseUrl": "http://a", "secret": {"name": "2", "key": "3"},
        }],
        "models": [{"name": "4", "provider": "1", "upstreamModel": "5"}],
        "dialogues": {"on": "yes"},
    },
}  # fmt: skip


def _texts(node: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield path, key
            yield from _texts(value, (*path, str(key)))
    elif isinstance(node, list):
        for value in node:
            yield from _texts(value, path)
    else:
        yield path, node


def test_text_that_looks_like_a_number_stays_text(tmp_path: Path) -> None:
    """A namespace may be called 123; unquoted it is a number, which the API server refuses."""
    objects = render(merged(NO_CRDS, NUMBERS), release="456", namespace="123")
    numeric = {"replicas", "port", "containerPort", "periodSeconds", "initialDelaySeconds",
               "failureThreshold", "runAsUser", "runAsGroup", "fsGroup", "defaultMode",
               "terminationGracePeriodSeconds"}  # fmt: skip
    for found in objects:
        for path, value in _texts(found):
            if not isinstance(value, str | bool):
                assert path[-1] in numeric, (found["kind"], path, value)
    spec = pods(objects)["benchwright-operator"]["spec"]
    assert spec["containers"][0]["image"] == "1:1.10"
    assert spec["imagePullSecrets"] == [{"name": "0123"}]
    config = tmp_path / "config.yaml"
    config.write_text(named(objects, "ConfigMap", "benchwright-proxy")["data"]["config.yaml"])
    assert [(m.name, m.provider) for m in load(config).models] == [("4", "1")]
