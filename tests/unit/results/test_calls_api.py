"""Model calls at the results service: kept once an attempt, read back in order."""

from dataclasses import replace

import pytest

from tests.unit.results.support import HARNESS, OPERATOR, Reply, Service


async def put(service: Service, attempt: int, body: bytes) -> Reply:
    path = f"/v1/attempts/uid-1/{attempt}/calls"
    return await service.call("PUT", path, OPERATOR, body, port="internal")


async def get(service: Service, uid: str = "uid-1") -> Reply:
    return await service.call("GET", f"/trials/{uid}/calls.jsonl", None, port="internal")


async def test_calls_of_all_attempts_are_read_back(service: Service) -> None:
    assert (await put(service, 2, b'{"call":"b"}\n')).status == 200
    assert (await put(service, 1, b'{"call":"a"}\n')).status == 200
    reply = await get(service)
    assert (reply.status, reply.body) == (200, b'{"call":"a"}\n{"call":"b"}\n')


async def test_the_first_that_came_whole_stay(service: Service) -> None:
    """An operator that was killed brings them again, when the proxy has let go of their bodies."""
    await put(service, 1, b'{"call":"a","request":"q"}\n')
    assert (await put(service, 1, b'{"call":"a"}\n')).status == 200
    assert b'"request":"q"' in (await get(service)).body


async def test_only_the_operator_brings_them(service: Service) -> None:
    path = "/v1/attempts/uid-1/1/calls"
    for who in (None, HARNESS, replace(HARNESS, stage="proxy")):
        reply = await service.call("PUT", path, who, b"{}\n", port="internal")
        assert reply.status in (401, 403)
    reply = await service.call(
        "PUT",
        "/v1/attempts/uid-1/1/proxy/files/calls.jsonl",
        HARNESS,
        b"{}\n",
        port="trial",
    )
    assert reply.status == 403


@pytest.mark.parametrize("uid", ["nobody", "..%2Fuid-1"])
async def test_an_unknown_trial_is_not_found(service: Service, uid: str) -> None:
    assert (await get(service, uid)).status == 404
