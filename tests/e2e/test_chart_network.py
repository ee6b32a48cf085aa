"""Who reaches whom: the chart's NetworkPolicies against its pods and ports."""

from collections.abc import Iterator

import pytest

from tests.e2e.chart import NO_CRDS, Json, containers, merged, named, of_kind, pods, render

PARTS = ("benchwright-operator", "benchwright-proxy", "benchwright-results")
METRICS = {"networkPolicies": {"metricsFrom": [{"matchLabels": {"team": "watch"}}]}}


@pytest.fixture(scope="module")
def objects() -> list[Json]:
    return render(merged(NO_CRDS, METRICS))


def _selects(selector: Json, labels: Json) -> bool:
    wanted: dict[str, str] = selector.get("matchLabels", {})
    exists = [e["key"] for e in selector.get("matchExpressions", [])]
    return wanted.items() <= labels.items() and all(key in labels for key in exists)


def _rules(objects: list[Json], labels: Json) -> Iterator[tuple[Json, int]]:
    for policy in of_kind(objects, "NetworkPolicy"):
        if _selects(policy["spec"]["podSelector"], labels):
            for rule in policy["spec"].get("ingress") or []:
                for peer in rule["from"]:
                    for port in rule["ports"]:
                        yield peer, port["port"]


def test_every_policy_and_service_selects_a_pod_that_exists(objects: list[Json]) -> None:
    labels = [pod["metadata"]["labels"] for pod in pods(objects).values()]
    labels += [{"benchwright.dev/role": role} for role in ("workspace", "evaluator")]
    selectors = [p["spec"]["podSelector"] for p in of_kind(objects, "NetworkPolicy")]
    selectors += [{"matchLabels": s["spec"]["selector"]} for s in of_kind(objects, "Service")]
    for selector in selectors:
        assert any(_selects(selector, found) for found in labels), selector


def test_every_port_that_is_let_in_is_one_that_listens(objects: list[Json]) -> None:
    for pod in pods(objects).values():
        (container,) = containers(pod)
        listening = {p["containerPort"] for p in container["ports"]}
        assert {port for _, port in _rules(objects, pod["metadata"]["labels"])} <= listening


PROMETHEUS = {"namespaceSelector": {"matchLabels": {"team": "watch"}}}
METRICS_PORTS = {
    "benchwright-operator": 8090,
    "benchwright-proxy": 8081,
    "benchwright-results": 8090,
}


@pytest.mark.parametrize("part", PARTS)
def test_prometheus_comes_to_the_port_of_the_metrics_alone(objects: list[Json], part: str) -> None:
    """At the results service's other ports is all evidence."""
    labels = pods(objects)[part]["metadata"]["labels"]
    ports = {port for peer, port in _rules(objects, labels) if peer == PROMETHEUS}
    assert ports == {METRICS_PORTS[part]}
    without = render(NO_CRDS)
    assert not any("namespaceSelector" in peer for peer, _ in _rules(without, labels))


@pytest.mark.parametrize(
    ("role", "reached"),
    [
        ("workspace", {("proxy", 8080), ("results", 8081)}),
        ("evaluator", {("results", 8081)}),
    ],
)
def test_trial_pods_reach_this_and_no_more(
    objects: list[Json], role: str, reached: set[tuple[str, int]]
) -> None:
    mine = {"benchwright.dev/role": role}
    out = set()
    for policy in of_kind(objects, "NetworkPolicy"):
        spec = policy["spec"]
        if _selects(spec["podSelector"], mine):
            for rule in spec.get("egress") or []:
                (to,) = rule["to"]
                (port,) = rule["ports"]
                out.add(
                    (to["podSelector"]["matchLabels"]["app.kubernetes.io/component"], port["port"])
                )
    assert out == reached
    for part in PARTS:
        labels = pods(objects)[part]["metadata"]["labels"]
        let_in = {
            port
            for peer, port in _rules(objects, labels)
            if "podSelector" in peer and _selects(peer["podSelector"], mine)
        }
        assert let_in == {port for name, port in reached if part.endswith(name)}


def test_trial_pods_begin_with_nothing(objects: list[Json]) -> None:
    deny = named(objects, "NetworkPolicy", "benchwright-trials-deny")["spec"]
    assert deny == {
        "podSelector": {
            "matchExpressions": [{"key": "benchwright.dev/role", "operator": "Exists"}]
        },
        "policyTypes": ["Ingress", "Egress"],
    }
