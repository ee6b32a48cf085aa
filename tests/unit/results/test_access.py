"""Who may do what, and at which port."""

import base64
import json
from dataclasses import replace

import pytest

from benchwright.results.objects import task_key
from benchwright_proxy.token import Claims, sign
from tests.unit.core.evidence import worked
from tests.unit.results.support import (
    DIGEST,
    EVALUATOR,
    HARNESS,
    KEY,
    MINE,
    NOW,
    OPERATOR,
    Reply,
    Service,
    sha256,
)


def forged(claims: Claims, **fields: object) -> str:
    """The signature of one token under the payload of another."""
    body, _, signature = sign(claims, KEY).rpartition(".")
    raw = body.removeprefix("sk-bw-")
    payload = json.loads(base64.urlsafe_b64decode(raw + "=" * (-len(raw) % 4))) | fields
    text = json.dumps(payload, sort_keys=True, separators=(",", ":")).encode()
    return f"sk-bw-{base64.urlsafe_b64encode(text).rstrip(b'=').decode()}.{signature}"


NOBODY: dict[str, Claims | str | None] = {
    "no token": None,
    "an empty token": "",
    "some text": "let me in",
    "a provider's key": "sk-proj-abcdefghijklmnop",
    "a token of another key": sign(HARNESS, b"x" * 40),
    "an expired token": replace(HARNESS, expires_at=NOW),
    "a token for the proxy": replace(HARNESS, audience="proxy"),
    "a payload of one and a signature of another": forged(HARNESS, trial_uid="uid-2"),
    "a role raised by hand": forged(HARNESS, role="admin"),
    "a token that is much too long": "sk-bw-" + "a" * 7500,
}
OTHERS = {
    "of another trial": replace(HARNESS, trial_uid="uid-2"),
    "of another attempt": replace(HARNESS, attempt=2),
    "of another stage": EVALUATOR,
    "of the workspace": replace(HARNESS, role="workspace"),
    "of the evaluator's main container": replace(HARNESS, role="evaluator"),
    "of the operator": OPERATOR,
    "of an administrator": replace(OPERATOR, role="admin"),
}


async def everything(service: Service, who: Claims | str | None) -> list[Reply]:
    """What a harness does."""
    data = b"evidence"
    headers = {"X-Content-SHA256": sha256(data)}
    return [
        await service.call("PUT", f"{MINE}/files/a", who, data, **headers),
        await service.call("PUT", f"{MINE}/facts", who, b"{}"),
    ]


@pytest.mark.parametrize("name", NOBODY)
async def test_nobody_stores_or_fetches_anything(service: Service, name: str) -> None:
    who = NOBODY[name]
    replies = await everything(service, who)
    replies.append(await service.call("GET", f"/v1/tasks/{DIGEST}/visible", who))
    replies.append(await service.call("GET", f"{MINE}/files/a", who))
    assert {r.status for r in replies} == {401}
    assert all(r.text.startswith("token refused: ") for r in replies)
    assert await service.store.all_facts("uid-1") == []
    assert await service.store.files("uid-1") == []


@pytest.mark.parametrize("name", OTHERS)
async def test_a_token_writes_for_its_own_stage_alone(service: Service, name: str) -> None:
    replies = await everything(service, OTHERS[name])
    assert {r.status for r in replies} == {403}
    assert await service.store.all_facts("uid-1") == []
    assert await service.store.files("uid-1") == []


@pytest.mark.parametrize("name", NOBODY)
async def test_nobody_writes_at_the_operators_port(service: Service, name: str) -> None:
    for method, path in (
        ("PUT", f"/v1/archives/{'a' * 64}"),
        ("POST", "/v1/tasksets"),
        ("POST", "/v1/attempts/uid-1/1/verdict"),
        ("PUT", "/v1/records/uid-1"),
    ):
        reply = await service.call(method, path, NOBODY[name], json={}, port="internal")
        assert reply.status == 401, path


@pytest.mark.parametrize("role", ["harness", "workspace", "evaluator"])
async def test_a_pods_token_writes_nothing_at_the_operators_port(
    service: Service, role: str
) -> None:
    """No archive under a hash, no task, no verdict and no record of its own."""
    who = replace(HARNESS, role=role)
    for method, path in (
        ("PUT", f"/v1/archives/{'a' * 64}"),
        ("POST", "/v1/tasksets"),
        ("POST", "/v1/attempts/uid-1/1/verdict"),
        ("PUT", "/v1/records/uid-1"),
    ):
        reply = await service.call(method, path, who, json={}, port="internal")
        assert (reply.status, reply.text) == (403, f"a token of role {role} may not do this")


PARTS = {"repository": 200, "visible": 200, "hidden": 403}


@pytest.mark.parametrize("part", PARTS)
async def test_hidden_files_are_for_the_evaluator(service: Service, part: str) -> None:
    await service.store.objects.put(task_key(DIGEST, part), b"content")
    path = f"/v1/tasks/{DIGEST}/{part}"
    assert (await service.call("GET", path, HARNESS)).status == PARTS[part]
    assert (await service.call("GET", path, EVALUATOR)).body == b"content"


@pytest.mark.parametrize("part", PARTS)
async def test_a_harness_gets_the_parts_of_its_own_trials_task_alone(
    service: Service, part: str
) -> None:
    other = f"sha256:{'e' * 64}"
    await service.store.objects.put(task_key(other, part), b"content")
    reply = await service.call("GET", f"/v1/tasks/{other}/{part}", EVALUATOR)
    assert (reply.status, reply.body) == (403, b"a harness gets the parts of its own trial's task")


READERS = {
    "the stage itself": HARNESS,
    "the evaluator of another trial": replace(EVALUATOR, trial_uid="uid-2"),
    "the evaluator of another attempt": replace(EVALUATOR, attempt=2),
    "a main container": replace(EVALUATOR, role="evaluator"),
    "the operator": OPERATOR,
}


@pytest.mark.parametrize("name", READERS)
async def test_what_a_stage_left_is_for_the_evaluator_of_its_attempt(
    service: Service, name: str
) -> None:
    await service.upload("overlay.tar", b"work")
    assert (await service.fetch("overlay.tar")).body == b"work"
    assert (await service.fetch("overlay.tar", READERS[name])).status == 403


async def test_each_port_serves_its_own_paths_alone(service: Service) -> None:
    """Trial pods reach one port, and NetworkPolicies know ports, not paths."""
    await service.upload("a", b"x")
    await service.facts(worked())
    for path in (
        "/trials/uid-1/evidence.tar.gz",
        "/runs/bench/run-1/results.json",
        "/v1/attempts/uid-1/1/facts",
        "/v1/news",
        f"/v1/corpora/{DIGEST}",
        "/healthz",
    ):
        assert (await service.call("GET", path, EVALUATOR)).status in {404, 405}, path
    upload = await service.call("PUT", f"{MINE}/facts", HARNESS, b"{}", port="internal")
    part = await service.call("GET", f"/v1/tasks/{DIGEST}/hidden", EVALUATOR, port="internal")
    assert (upload.status, part.status) == (404, 404)


async def test_the_cli_has_its_token_in_a_header_that_the_api_server_leaves_alone(
    service: Service,
) -> None:
    """The API server takes Authorization for itself."""
    headers = {"X-Benchwright-Token": sign(OPERATOR, KEY), "Authorization": "Bearer kube"}
    url = service.internal / "v1/archives" / ("a" * 64)
    async with service.http.put(url, data=b"x", headers=headers) as answer:
        assert answer.status == 400
        assert "another file" in await answer.text()
