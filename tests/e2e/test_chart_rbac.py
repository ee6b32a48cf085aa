"""The operator's Role: exactly what its calls need, found by listening to them."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from benchwright.tasks.pack import pack
from tests.e2e.chart import NO_CRDS, named, of_kind, render
from tests.sim.apiserver import ApiServer
from tests.sim.kubelet import Life
from tests.sim.world import World, a_world

Call = tuple[str, str]
"""Verb and resource."""
VERBS = {"POST": "create", "PATCH": "patch", "DELETE": "delete", "PUT": "update"}
BY_KOPF = {
    (verb, kind) for verb in ("list", "watch") for kind in ("benchmarkruns", "agents", "tasksets")
}
"""kopf lists and watches what it has handlers for; the simulation stands in for it."""
IN_A_RACE = {("get", "pods"), ("get", "trials")}
"""Where a create is answered AlreadyExists: control.trials._create, control.runs._create_one."""
TASK = b"name: mend\nkind: repair\nimage: x\nprompt: Mend it.\ncriteria: [{name: a, command: b}]\n"


def _call(request: web.Request) -> Call:
    info = request.match_info
    resource = "/".join(filter(None, (info["plural"], info.get("sub"))))
    if request.method != "GET":
        return VERBS[request.method], resource
    if info.get("name"):
        return "get", resource
    return ("watch" if request.query.get("watch") else "list"), resource


@asynccontextmanager
async def listening(
    monkeypatch: pytest.MonkeyPatch, calls: set[Call], script: dict[tuple[str, str, int], Life]
) -> AsyncIterator[World]:
    original = ApiServer._handle

    async def handle(server: ApiServer, request: web.Request) -> web.StreamResponse:
        calls.add(_call(request))
        return await original(server, request)

    monkeypatch.setattr(ApiServer, "_handle", handle)
    async with a_world(monkeypatch, script) as world:
        yield world


async def test_the_operators_role_is_what_its_calls_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run to its end and its time to live, a task set from a ConfigMap, a run without an agent."""
    calls: set[Call] = {*BY_KOPF, *IN_A_RACE}
    async with listening(monkeypatch, calls, {}) as world:
        world.apply_inputs("script")
        packed = base64.b64encode(pack({"mend/task.yaml": TASK})).decode()
        world.store.create(
            "configmaps", {"metadata": {"name": "tasks"}, "binaryData": {"tasks.tar.gz": packed}}
        )
        world.apply("tasksets", "packed", {"source": {"configMap": {"name": "tasks"}}})
        world.apply_run("script", ttlSecondsAfterFinished=1)
        world.start_operator()
        await world.until(lambda: not world.store.all("benchmarkruns"))
    (role,) = of_kind(render(NO_CRDS), "Role")
    allowed = {
        (verb, resource)
        for rule in role["rules"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }
    assert calls - allowed == set(), "the API server would refuse these"
    assert allowed - calls == set(), "nothing needs these"


def test_a_rule_names_its_group_and_nothing_by_star() -> None:
    (role,) = of_kind(render(NO_CRDS), "Role")
    groups = {
        resource: group
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }
    core = {"pods", "configmaps", "events"}
    assert all(groups[r] == ("" if r in core else "benchwright.dev") for r in groups)
    every = [x for rule in role["rules"] for part in rule.values() for x in part]
    assert "*" not in every
    assert not {"secrets", "pods/exec", "pods/log", "serviceaccounts"} & set(every)


def test_nothing_is_allowed_outside_the_namespace() -> None:
    objects = render(NO_CRDS)
    assert not of_kind(objects, "ClusterRole", "ClusterRoleBinding")
    binding = named(objects, "RoleBinding", "benchwright-operator")
    assert binding["roleRef"]["kind"] == "Role"
    assert [s["name"] for s in binding["subjects"]] == ["benchwright-operator"]
