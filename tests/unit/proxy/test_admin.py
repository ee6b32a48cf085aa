"""The operator's port."""

import asyncio
import errno
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from benchwright_proxy.journal.writing import JournalError
from benchwright_proxy.jsonvalue import JsonObject, as_list, as_object
from benchwright_proxy.server import Proxy
from benchwright_proxy.token import sign

from .helpers import (
    KEY,
    FakeProvider,
    Running,
    bearer,
    chat_body,
    claims,
    json_response,
    options,
    running,
    until,
)
from .test_relay import CHAT

EMPTY: JsonObject = {
    "requests": 0,
    "succeeded": 0,
    "failed": 0,
    "refused": 0,
    "unknown_usage": 0,
    "input_tokens": 0,
    "cached_input_tokens": 0,
    "cache_write_tokens": 0,
    "output_tokens": 0,
    "reasoning_tokens": None,
    "operations": 0,
    "tool_calls": 0,
    "cost_nanos": 0,
    "unknown_cost": 0,
    "mismatches": 0,
    "models": {},
    "answered": {},
    "fingerprints": {},
    "prices": {},
}


async def test_usage_of_an_attempt_never_seen(proxy: Running) -> None:
    assert await proxy.usage("nobody", 3) == {
        "trial_uid": "nobody",
        "attempt": 3,
        "stages": {},
        "total": EMPTY,
        "in_flight": 0,
        "interrupted": 0,
        "limit_hit": None,
        "handed_over": False,
    }


async def test_usage(proxy: Running) -> None:
    await proxy.chat()
    usage = await proxy.usage()
    expected = {
        **EMPTY,
        "requests": 1,
        "succeeded": 1,
        "input_tokens": 1200,
        "cached_input_tokens": 1000,
        "output_tokens": 55,
        "reasoning_tokens": 12,
        "operations": 1,
        "unknown_cost": 1,
        "models": {"demo": 1},
        "answered": {"demo": 1},
    }
    assert (usage["total"], usage["stages"]) == (expected, {"work": expected})


async def test_calls(proxy: Running, provider: FakeProvider) -> None:
    gate = asyncio.Event()
    provider.script = [gate, json_response(CHAT)]
    await proxy.chat()
    task = asyncio.create_task(proxy.chat("chat"))
    await until(lambda: provider.heard)
    done, running_call = await proxy.calls()
    assert {
        name: done[name]
        for name in ("status", "http_status", "dialect", "provider", "stream", "stage", "role")
    } == {
        "status": "ok",
        "http_status": 200,
        "dialect": "openai",
        "provider": "scripted",
        "stream": False,
        "stage": "work",
        "role": "workspace",
    }
    assert float(str(done["finished_at"])) >= float(str(done["started_at"]))
    assert (running_call["status"], running_call["model"]) == (None, "chat")
    assert (await proxy.usage())["in_flight"] == 1
    gate.set()
    await task


@pytest.mark.parametrize("role", ["workspace", "evaluator", "harness"])
async def test_other_roles_are_refused(proxy: Running, role: str) -> None:
    for method, path in (("GET", "usage"), ("GET", "calls"), ("POST", "close"), ("GET", "models")):
        url = f"{proxy.admin}/v1/{path}?trial_uid=uid-1&attempt=1"
        async with proxy.http.request(method, url, headers=bearer(claims(role=role))) as response:
            assert response.status == 403
        async with proxy.http.request(method, url) as response:
            assert response.status == 401
    await proxy.chat()
    assert (await proxy.total())["requests"] == 1, "nobody closed the attempt"


async def test_the_data_port_has_none_of_this(proxy: Running) -> None:
    headers = bearer(claims(role="operator"))
    async with proxy.http.get(proxy.data + "/v1/usage", headers=headers) as response:
        assert response.status == 403


@pytest.mark.parametrize(
    "query", ["", "?trial_uid=u", "?attempt=1", "?trial_uid=u&attempt=x", "?trial_uid=u&attempt=-1"]
)
async def test_bad_queries(proxy: Running, query: str) -> None:
    headers = bearer(claims(role="admin"))
    async with proxy.http.get(f"{proxy.admin}/v1/usage{query}", headers=headers) as response:
        assert response.status == 400


async def test_models(proxy: Running) -> None:
    reply = await proxy.operator("GET", "/v1/models")
    found = [as_object(model) for model in as_list(reply.json()["models"])]
    assert [(m["name"], m["provider"], m["dialects"]) for m in found] == [
        ("demo", "scripted", ["openai", "anthropic", "gemini"]),
        ("chat", "openai", ["openai"]),
        ("claude", "anthropic", ["anthropic"]),
        ("gem", "gemini", ["gemini"]),
        ("az", "azure", ["openai"]),
        ("renamed", "openai", ["openai"]),
    ]
    assert {(m["priced"], m["throttled_seconds"], m["throttled_recently"]) for m in found} == {
        (False, 0.0, 0)
    }


async def test_closing_refuses_what_comes_and_waits_for_what_is_there(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [0.2, json_response(CHAT)]
    task = asyncio.create_task(proxy.chat("chat"))
    await until(lambda: provider.heard)
    closed = await proxy.operator("POST", "/v1/close", trial_uid="uid-1", attempt=1)
    assert as_object(closed.json()["total"])["output_tokens"] == 20
    assert closed.json()["in_flight"] == 0
    assert (await task).status == 200
    refused = await proxy.chat()
    assert refused.status == 403
    assert as_object(refused.json()["error"])["type"] == "permission_error"
    counted = await proxy.post("/v1/messages/count_tokens", chat_body())
    assert counted.status == 403
    again = await proxy.operator("POST", "/v1/close", trial_uid="uid-1", attempt=1)
    assert as_object(again.json()["total"])["refused"] == 2
    assert again.json()["limit_hit"] is None


async def test_closing_does_not_wait_for_ever(proxy: Running, provider: FakeProvider) -> None:
    gate = asyncio.Event()
    provider.script = [gate, json_response(CHAT)]
    proxy.proxy.admin.close_seconds = 0.1
    task = asyncio.create_task(proxy.chat("chat"))
    await until(lambda: provider.heard)
    closed = await proxy.operator("POST", "/v1/close", trial_uid="uid-1", attempt=1)
    assert closed.json()["in_flight"] == 1
    gate.set()
    await task


async def test_a_closed_attempt_stays_closed(tmp_path: Path) -> None:
    async with running(tmp_path) as proxy:
        await proxy.operator("POST", "/v1/close", trial_uid="uid-1", attempt=1)
    async with running(tmp_path) as proxy:
        assert (await proxy.chat()).status == 403
        other = await proxy.post("/v1/chat/completions", chat_body(), token=claims(attempt=2))
        assert other.status == 200


async def test_health_needs_no_token(proxy: Running) -> None:
    for path in ("/healthz", "/readyz", "/metrics"):
        async with proxy.http.get(proxy.admin + path) as response:
            assert response.status == 200


async def test_a_journal_that_cannot_be_written_stops_calls_not_the_process(
    proxy: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(fd: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    await proxy.chat()
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        reply = await proxy.chat()
        assert reply.status == 503
        async with proxy.http.get(proxy.admin + "/readyz") as response:
            assert response.status == 503
            assert await response.json() == {"ready": False, "journal": "No space left on device"}
        async with proxy.http.get(proxy.admin + "/healthz") as response:
            assert response.status == 200
    assert len(proxy.scripted_log()) == 1, "no call without its record"
    assert (await proxy.chat()).status == 200
    async with proxy.http.get(proxy.admin + "/readyz") as response:
        assert response.status == 200
    assert (await proxy.total())["requests"] == 2


async def test_a_stage_is_on_the_disk_before_its_first_call_goes_out(
    proxy: Running, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = threading.Event()

    def sync(fd: int) -> None:
        if not disk.wait(5):
            raise OSError(errno.EIO, "somebody waited for it")

    provider.script = [json_response(CHAT)] * 4
    monkeypatch.setattr(os, "fdatasync", sync)
    evaluator = sign(replace(claims(role="evaluator"), stage="evaluate"), KEY)
    path, body = "/v1/chat/completions", chat_body("chat")
    first = [
        asyncio.create_task(proxy.post(path, body, token=evaluator)),
        asyncio.create_task(proxy.chat("chat")),
        asyncio.create_task(proxy.chat("chat")),  # nor before the first of its stage is there
    ]
    await until(lambda: proxy.proxy.ledger.in_flight() == 3)
    await asyncio.sleep(0.1)
    assert provider.heard == []
    disk.set()
    assert [(await task).status for task in first] == [200] * 3
    disk.clear()
    assert (await proxy.chat("chat")).status == 200, "later calls wait for no disk"
    disk.set()


async def test_an_attempt_is_closed_when_that_is_on_the_disk(
    proxy: Running, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = threading.Event()
    provider.script = [json_response(CHAT)]
    await proxy.chat("chat")
    monkeypatch.setattr(os, "fdatasync", lambda fd: disk.wait(10))
    closing = asyncio.create_task(proxy.operator("POST", "/v1/close", trial_uid="uid-1", attempt=1))
    await asyncio.sleep(0.1)
    assert not closing.done()
    disk.set()
    await closing


async def test_no_call_is_made_once_nothing_reaches_the_disk_any_more(
    proxy: Running, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(fd: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fdatasync", fail)
        assert (await proxy.chat("chat")).status == 503
    reply = await proxy.chat("chat")
    assert reply.status == 503
    assert b"sync failed: Input/output error" in reply.body
    assert (provider.heard, proxy.proxy.ledger.in_flight()) == ([], 0)
    for path in ("/readyz", "/healthz"):  # only a restart helps
        async with proxy.http.get(proxy.admin + path) as response:
            assert response.status == 503


async def test_metrics_have_bounded_labels(proxy: Running, provider: FakeProvider) -> None:
    provider.script = [json_response(b"{}", "529 Overloaded")]
    await proxy.chat()
    await proxy.chat("chat")
    await proxy.chat("made-up-by-an-agent")
    text = (await proxy.operator("GET", "/metrics")).body.decode()
    who = 'dialect="openai",model="{}",provider="{}"'
    assert f"benchwright_proxy_calls_total{{{who.format('demo', 'scripted')}" in text
    assert 'status_class="5xx"} 1.0' in text
    assert 'benchwright_proxy_tokens_total{dialect="openai",kind="cache_read"' in text
    assert 'benchwright_proxy_refusals_total{reason="model_not_allowed"} 1.0' in text
    for absent in ("made-up-by-an-agent", "uid-1", "run-1"):
        assert absent not in text


async def test_stopping_lets_calls_end_and_settles_the_rest(
    tmp_path: Path, provider: FakeProvider
) -> None:
    gate = asyncio.Event()
    async with running(tmp_path, provider.port, grace_seconds=1.5) as proxy:
        provider.script = [gate, json_response(CHAT)]
        quick = asyncio.create_task(proxy.chat("chat"))
        await until(lambda: len(provider.heard) == 1)
        provider.script = [30.0]
        slow = asyncio.create_task(proxy.chat("chat"))
        await until(lambda: len(provider.heard) == 2)
        asyncio.get_running_loop().call_later(0.05, gate.set)
        await proxy.proxy.stop()
        assert (await quick).status == 200
        assert isinstance((await asyncio.gather(slow, return_exceptions=True))[0], Exception)
    async with running(tmp_path) as proxy:
        usage = await proxy.usage()
        total = as_object(usage["total"])
        assert (total["succeeded"], total["failed"], usage["interrupted"]) == (1, 1, 1)
        assert total["unknown_usage"] == 1


async def test_no_new_call_while_stopping(proxy: Running) -> None:
    proxy.proxy.data.stopping = True
    reply = await proxy.chat()
    assert (reply.status, reply.headers["retry-after"]) == (503, "1")


async def test_two_proxies_on_one_journal(proxy: Running) -> None:
    with pytest.raises(JournalError, match="another proxy"):
        Proxy(structs.replace(options(proxy.folder, 1), lock_seconds=0))


async def test_refusals_are_no_calls(proxy: Running) -> None:
    await proxy.chat("nope")
    assert await proxy.calls() == []
