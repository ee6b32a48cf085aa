"""Bugs of other proxies that are no other test's subject, one test each (docs/proxy-cases.md)."""

import asyncio
import json
import logging
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest

from benchwright_proxy.jsonvalue import Json, JsonObject, as_object
from benchwright_proxy.token import Limits, sign

from .helpers import (
    KEY,
    LAST_CHUNK,
    FakeProvider,
    Running,
    Step,
    bearer,
    chat_body,
    chunk,
    claims,
    json_response,
    message_body,
    sse_head,
)

ROOT = Path(__file__).parents[3]
STREAM = chat_body("chat", stream=True)


def usage(given: int, written: int, cached: int = 0) -> JsonObject:
    return {
        "prompt_tokens": given,
        "completion_tokens": written,
        "total_tokens": given + written,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def event(data: Json) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


TEXT = event({"choices": [{"delta": {"content": "word " * 200}, "finish_reason": "stop"}]})
DONE = b"data: [DONE]\n\n"


async def test_litellm_12970_nothing_is_counted_but_what_the_provider_says(
    proxy: Running, provider: FakeProvider
) -> None:
    prompt = "a long prompt " * 1000
    body = chat_body("chat", stream=True, messages=[{"role": "user", "content": prompt}])
    told = event({"choices": [], "usage": usage(7, 3)})
    for script, expected in ((TEXT + told + DONE, (7, 3)), (TEXT + DONE, (None, None))):
        provider.script = [sse_head(), chunk(script), LAST_CHUNK]
        await proxy.post("/v1/chat/completions", body)
        call = (await proxy.settled())[-1]
        assert (call["input_tokens"], call["output_tokens"]) == expected


@pytest.mark.parametrize("kind", ["completed", "incomplete", "failed"])
async def test_ai_gateway_2184_every_last_event_is_counted(
    proxy: Running, provider: FakeProvider, kind: str
) -> None:
    response: Json = {"status": kind, "usage": {"input_tokens": 9, "output_tokens": 4}}
    data: Json = {"type": f"response.{kind}", "response": response}
    provider.script = [sse_head(), chunk(event(data)), LAST_CHUNK]
    await proxy.post("/v1/responses", {"model": "chat", "input": "x", "stream": True})
    call = (await proxy.settled())[0]
    assert (call["input_tokens"], call["output_tokens"], call["usage_source"]) == (9, 4, "provider")


@pytest.mark.parametrize("stream", [False, True])
async def test_new_api_6144_what_the_client_reads_is_what_is_counted(
    proxy: Running, provider: FakeProvider, stream: bool
) -> None:
    said = usage(100, 5, cached=80)
    if stream:
        last = event({"choices": [], "usage": said})
        provider.script = [sse_head(), chunk(TEXT + last + DONE), LAST_CHUNK]
        body = chat_body("chat", stream=True, stream_options={"include_usage": True})
    else:
        provider.script = [json_response(json.dumps({"choices": [], "usage": said}).encode())]
        body = chat_body("chat")
    reply = await proxy.post("/v1/chat/completions", body)
    assert json.dumps(said).encode() in reply.body
    call = (await proxy.settled())[0]
    assert (call["said"], call["input_tokens"], call["cache_read"]) == (said, 100, 80)


async def test_wasm_shim_372_a_call_that_goes_over_is_not_cut(
    proxy: Running, provider: FakeProvider
) -> None:
    """It declared no maximum and writes more than was left: it is delivered, the next is refused."""
    provider.script = [
        sse_head(),
        chunk(TEXT),
        chunk(event({"choices": [], "usage": usage(5, 900)})),
    ]
    provider.script += [chunk(DONE), LAST_CHUNK]
    token = claims(limits=Limits(output_tokens=100))
    reply = await proxy.post("/v1/chat/completions", STREAM, token=token)
    assert reply.body == TEXT + DONE
    refused = await proxy.post("/v1/chat/completions", STREAM, token=token)
    assert refused.status == 400
    assert b"output_tokens limit is 100: 900 used" in refused.body


async def test_munder_difflin_189_an_input_limit_says_that_it_counts_cached_tokens_too(
    proxy: Running, provider: FakeProvider
) -> None:
    said = json.dumps({"choices": [], "usage": usage(5000, 1, cached=4900)}).encode()
    provider.script = [json_response(said)]
    token = claims(limits=Limits(input_tokens=5100))
    assert (await proxy.post("/v1/chat/completions", chat_body("chat"), token=token)).status == 200
    refused = await proxy.post(
        "/v1/chat/completions", chat_body("chat", user="x" * 200), token=token
    )
    assert b"input_tokens limit is 5100: 5000 used" in refused.body
    assert "cached" in (ROOT / "crds/benchmarkruns.yaml").read_text()


async def test_one_switch_3_an_agent_that_leaves_after_its_tool_call_is_counted(
    proxy: Running, provider: FakeProvider
) -> None:
    """Codex does so as a rule."""
    call = event({"type": "response.output_item.done", "item": {"type": "function_call"}})
    end = event(
        {
            "type": "response.completed",
            "response": {"status": "completed", "usage": {"input_tokens": 9, "output_tokens": 4}},
        }
    )
    more: list[Step] = [step for _ in range(5) for step in (0.03, chunk(call))]
    provider.script = [sse_head(), chunk(call), *more, chunk(end), LAST_CHUNK]
    body = {"model": "chat", "input": "x", "stream": True}
    url = f"{proxy.data}/v1/responses"
    async with proxy.http.post(url, json=body, headers=bearer(claims())) as response:
        assert await response.content.readany() == call
        response.close()
    (found,) = await proxy.settled()
    assert (found["status"], found["input_tokens"], found["client_gone"]) == ("ok", 9, True)


async def test_litellm_29557_streams_ask_proxies_on_the_way_not_to_hold_them(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [sse_head(), chunk(TEXT + DONE), LAST_CHUNK]
    reply = await proxy.post("/v1/chat/completions", STREAM)
    assert (reply.headers["x-accel-buffering"], reply.headers["cache-control"]) == (
        "no",
        "no-cache",
    )


async def test_litellm_32386_a_large_body_is_passed_on_while_it_comes(
    proxy: Running, provider: FakeProvider
) -> None:
    gate = asyncio.Event()
    part = b"x" * 70_000
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {3 * len(part)}\r\n\r\n"
    provider.script = [head.encode(), part, 0.05, part, gate, part]
    url = f"{proxy.data}/v1/embeddings"
    body = {"model": "chat", "input": "x"}
    async with proxy.http.post(url, json=body, headers=bearer(claims())) as response:
        first = await response.content.readexactly(len(part))
        gate.set()
        rest = await response.content.read()
    assert first + rest == 3 * part


CREDENTIALS = {
    "x-api-key": "sk-CANARY-1",
    "api-key": "sk-CANARY-2",
    "x-goog-api-key": "sk-CANARY-3",
    "cookie": "session=sk-CANARY-4",
    "proxy-authorization": "Basic sk-CANARY-5",
    "x-amz-security-token": "sk-CANARY-6",
    "openai-organization": "sk-CANARY-7",
}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", chat_body("chat")),
        ("/v1/chat/completions", chat_body("az")),
        ("/v1/messages", message_body("claude")),
        ("/v1beta/models/gem:generateContent?key=sk-CANARY-8", {"contents": []}),
        ("/v1/responses?api_key=sk-CANARY-9", {"model": "chat", "input": "x"}),
    ],
)
async def test_litellm_38114_37905_and_switchyard_410_no_credential_of_the_caller_goes_out(
    proxy: Running, provider: FakeProvider, path: str, body: JsonObject
) -> None:
    provider.script = [json_response(b"{}")]
    headers = {**CREDENTIALS, **bearer(claims())}
    await proxy.post(path, body, headers=headers)
    (heard,) = provider.heard
    sent = heard.line + json.dumps(heard.headers)
    assert "CANARY-key" in sent, "the provider's own key"
    assert "sk-CANARY" not in sent
    assert sign(claims(), KEY) not in sent


@pytest.mark.parametrize(
    "token", ["sk-bw-' OR 1=1 --", "sk-bw-x'; DROP TABLE t; --.x", "' OR ''='"]
)
async def test_ghsa_r75f_a_token_is_no_query(proxy: Running, token: str) -> None:
    async with proxy.http.get(f"{proxy.data}/v1/models", headers={"x-api-key": token}) as response:
        assert response.status == 401


def test_litellm_18708_1714_6895_15536_there_is_no_database_in_the_proxy() -> None:
    code = (
        "import sys, benchwright_proxy.server\n"
        "print([m for m in sys.modules if m.split('.')[0] in "
        "('sqlite3', 'sqlalchemy', 'aiosqlite', 'asyncpg', 'psycopg', 'redis', 'litellm')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_litellm_24518_what_holds_keys_does_not_depend_on_litellm() -> None:
    for lock in ("runtime.lock", "dev.lock"):
        names = [
            line.partition("==")[0]
            for line in (ROOT / "requirements" / lock).read_text().splitlines()
            if "==" in line
        ]
        assert len(names) > 10
        assert "litellm" not in names


async def test_litellm_13073_5433_a_key_in_an_address_is_in_no_log(
    proxy: Running, provider: FakeProvider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    token = sign(claims(models=("gem",)), KEY)
    provider.script = ["reset"]
    url = f"{proxy.data}/v1beta/models/gem:generateContent?key={token}"
    async with proxy.http.post(url, json={"contents": []}) as response:
        assert response.status == 502
    async with proxy.http.post(f"{proxy.data}/nowhere?key={token}", json={}) as response:
        assert response.status == 404
    assert provider.heard[0].line.endswith("models/gem-real:generateContent HTTP/1.1")
    kept = "".join(p.read_text() for p in proxy.folder.glob("journal/*") if p.is_file())
    assert token not in caplog.text.replace("client", "") + kept


async def test_claude_code_proxy_114_a_slow_call_holds_nobody_up(
    proxy: Running, provider: FakeProvider
) -> None:
    gate = asyncio.Event()
    provider.script = [gate, json_response(b"{}")]
    slow = asyncio.create_task(proxy.chat("chat"))
    assert (await asyncio.wait_for(proxy.chat("demo"), 10)).status == 200
    assert not slow.done()
    gate.set()
    assert (await slow).status == 200


async def test_litellm_40020_a_limit_has_one_counter_however_it_is_reached(proxy: Running) -> None:
    """Stages, dialects and streams of an attempt use up the same limit."""
    limits = Limits(requests=3)
    asked: list[tuple[str, JsonObject]] = [
        ("/v1/chat/completions", chat_body()),
        ("/v1/messages", message_body(stream=True)),
        ("/v1beta/models/demo:generateContent", {"contents": []}),
        ("/v1/responses", {"model": "demo", "input": "x"}),
    ]
    statuses = []
    for number, (path, body) in enumerate(asked):
        token = claims(limits=limits, stage=f"stage-{number}")
        statuses.append((await proxy.post(path, body, token=token)).status)
    assert statuses == [200, 200, 200, 400]
    assert as_object((await proxy.usage())["total"])["requests"] == 3


async def test_a_client_without_a_wish_gets_no_coding(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [json_response(b"{}")]
    headers = {**bearer(claims()), aiohttp.hdrs.ACCEPT_ENCODING: "gzip, br"}
    await proxy.post("/v1/chat/completions", chat_body("chat"), headers=headers)
    assert provider.heard[0].headers["accept-encoding"] == "identity"
