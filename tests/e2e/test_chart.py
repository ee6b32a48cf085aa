"""The chart's values: what is refused and in which words, what installs beside what."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright_proxy.config import load
from tests.e2e.chart import (
    CHART,
    DEMO,
    MODELS,
    NO_CRDS,
    ROOT,
    Json,
    helm,
    merged,
    named,
    of_kind,
    refused,
    render,
    template,
)

PROVIDER: Json = MODELS["proxy"]["providers"][0]


def proxy(**fields: Any) -> Json:
    return {"proxy": fields}


def provider(**fields: Any) -> Json:
    return proxy(providers=[{k: v for k, v in {**PROVIDER, **fields}.items() if v is not None}])


def model(**fields: Any) -> Json:
    known = {"name": "big", "provider": "openai", **fields}
    found = {k: v for k, v in known.items() if v is not None}
    return merged(MODELS, proxy(models=[found]))


REFUSED: dict[str, tuple[Json, str]] = {
    "a part that does not exist": ({"operater": {}}, "additional properties 'operater' not allowed"),
    "a misspelt setting": ({"operator": {"worker": 3}}, "at '/operator': additional properties 'worker'"),
    "a misspelt setting of a model": (model(upstreamModle="x"), "at '/proxy/models/0': additional"),
    "a misspelt setting of a provider": (provider(baseURL="x"), "at '/proxy/providers/0': additional"),
    "misspelt resources": (
        {"results": {"resources": {"request": {"cpu": "1"}}}}, "additional properties 'request'",
    ),
    "a quantity that is none": (
        {"proxy": {"resources": {"limits": {"memory": "1 GB"}}}}, "at '/proxy/resources/limits/memory'",
    ),
    "a size that is none": ({"results": {"persistence": {"size": "20GB"}}}, "at '/results/persistence/size'"),
    "text where a number is needed": ({"operator": {"workers": "x"}}, "at '/operator/workers': got string"),
    "no worker at all": ({"operator": {"workers": 0}}, "at '/operator/workers': minimum"),
    "text where yes or no is needed": ({"crds": {"install": "no"}}, "at '/crds/install': got string"),
    "an unknown level of the log": ({"proxy": {"logLevel": "debug"}}, "at '/proxy/logLevel'"),
    "an unknown pull policy": ({"images": {"pullPolicy": "Sometimes"}}, "at '/images/pullPolicy'"),
    "an image without a repository": (
        {"images": {"operator": {"repository": "", "tag": "x"}}}, "at '/images/operator/repository'",
    ),
    "an annotation that is a number": ({"podAnnotations": {"a": 1}}, "at '/podAnnotations/a': got number"),
    "a provider of an unknown dialect": (provider(dialect="bedrock"), "at '/proxy/providers/0/dialect'"),
    "a provider without a key": (provider(secret=None), "missing property 'secret'"),
    "a provider without an address": (provider(baseUrl=None), "missing property 'baseUrl'"),
    "an address without a scheme": (provider(baseUrl="api.openai.com"), "at '/proxy/providers/0/baseUrl'"),
    "an address with a password": (provider(baseUrl="https://a:b@c"), "at '/proxy/providers/0/baseUrl'"),
    "a provider's name that is no label": (provider(name="Open AI"), "at '/proxy/providers/0/name'"),
    "a provider's name that is too long": (provider(name="a" * 60), "at '/proxy/providers/0/name'"),
    "the built-in provider again": (provider(name="scripted"), 'two have the name "scripted"'),
    "two providers of one name": (
        proxy(providers=[PROVIDER, PROVIDER]), 'proxy.providers: two have the name "openai": rename one',
    ),
    "a model without a provider": (model(provider=None), "missing property 'provider'"),
    "a model without a name": (model(name=None), "missing property 'name'"),
    "a model of an unknown provider": (
        model(provider="opnai"),
        'model "big": provider "opnai" is not one of scripted, openai, claude: add it to proxy.providers',
    ),
    "two models of one name": (
        merged(MODELS, proxy(models=[{"name": "a", "provider": "openai"}] * 2)),
        'model "a": two have this name: rename one',
    ),
    "a scripted model without a dialogue": (
        model(provider="scripted"), "a scripted model needs a dialogue: a key of proxy.dialogues",
    ),
    "a scripted model of a dialogue that is not there": (
        model(provider="scripted", dialogue="deom.yaml"), 'dialogue "deom.yaml" is no key of proxy.dialogues',
    ),
    "a dialogue of a real model": (model(dialogue="demo.yaml"), "only models of the provider scripted"),
    "a dialogue in a folder": (proxy(dialogues={"a/b.yaml": ""}), "invalid propertyName 'a/b.yaml'"),
    "a selector that is none": (
        {"networkPolicies": {"metricsFrom": [{"name": "monitoring"}]}}, "at '/networkPolicies/metricsFrom/0'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_values_that_cannot_be_meant_are_refused_in_words(name: str) -> None:
    values, words = REFUSED[name]
    assert words in refused(values)


ACCEPTED: dict[str, Json] = {
    "nothing": {},
    "one of every model": MODELS,
    "resources of a kind": {"operator": {"resources": {"requests": {"cpu": 1, "memory": "1.5Gi"}}}},
    "no policies": {"networkPolicies": {"enabled": False}},
    "Prometheus anywhere": {"networkPolicies": {"metricsFrom": [{}]}},
    "what a parent chart passes on": {"global": {"anything": 1}},
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_values_that_can_be_meant_are_rendered(name: str) -> None:
    assert len(of_kind(render(merged(NO_CRDS, ACCEPTED[name])), "Deployment")) == 3


@pytest.mark.parametrize("name", ["nothing", "one of every model"])
def test_the_proxy_starts_with_the_configuration_that_it_is_given(
    name: str, tmp_path: Path
) -> None:
    """Without a model too: agents that call none are what one begins with."""
    objects = render(merged(NO_CRDS, ACCEPTED[name]))
    config = tmp_path / "config.yaml"
    config.write_text(named(objects, "ConfigMap", "benchwright-proxy")["data"]["config.yaml"])
    found = load(config)
    assert [m.name for m in found.models] == [
        m["name"] for m in ACCEPTED[name].get("proxy", {}).get("models", [])
    ]


def test_the_demo_installs_what_it_says() -> None:
    dialogue = f"proxy.dialogues.demo\\.yaml={DEMO / 'dialogues/demo.yaml'}"
    objects = render({}, "--values", DEMO / "values.yaml", "--set-file", dialogue)
    assert len(of_kind(objects, "CustomResourceDefinition")) == 4
    dialogues = named(objects, "ConfigMap", "benchwright-dialogues")["data"]
    assert dialogues == {"demo.yaml": (DEMO / "dialogues/demo.yaml").read_text()}


def test_the_values_of_the_readme_are_accepted(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text()
    text = readme.partition("with my-values.yaml such as\n\n```yaml\n")[2].partition("```")[0]
    assert "providers:" in text
    values = tmp_path / "my-values.yaml"
    values.write_text(text)
    template({}, "--values", values)


@pytest.mark.parametrize("values", [{}, MODELS], ids=["defaults", "one of every model"])
def test_helm_lint_has_nothing_to_say(values: Json, tmp_path: Path) -> None:
    file = tmp_path / "values.json"
    file.write_text(json.dumps(values))
    done = helm("lint", "--strict", CHART, "--values", file)
    assert "0 chart(s) failed" in done.stdout


# Two installations


NAMESPACED = {
    "ConfigMap", "Deployment", "NetworkPolicy", "PersistentVolumeClaim", "Role", "RoleBinding", "Secret",
    "Service", "ServiceAccount",
}  # fmt: skip


def test_only_the_definitions_are_cluster_wide() -> None:
    objects = render()
    assert {o["kind"] for o in objects} == {*NAMESPACED, "CustomResourceDefinition"}
    assert {o["kind"] for o in render(NO_CRDS)} == NAMESPACED


def test_two_installations_in_two_namespaces_have_nothing_in_common() -> None:
    """The second takes --set crds.install=false, as the README says."""
    one, two = render({}, namespace="one"), render(NO_CRDS, namespace="two")
    assert not [o for o in two if o["kind"] not in NAMESPACED]
    assert not [o for o in (*one, *two) if "namespace" in o["metadata"]]
    for objects, other in ((one, "two"), (two, "one")):
        (subject,) = named(objects, "RoleBinding", "benchwright-operator")["subjects"]
        assert subject["namespace"] != other
        (operator,) = named(objects, "Deployment", "benchwright-operator")["spec"]["template"][
            "spec"
        ]["containers"]
        env = {e["name"]: e["value"] for e in operator["env"]}
        assert env["BENCHWRIGHT_NAMESPACE"] == subject["namespace"]


def test_the_definitions_are_kept_when_the_chart_goes() -> None:
    """Removing them would remove every run."""
    for definition in of_kind(render(), "CustomResourceDefinition"):
        assert definition["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
