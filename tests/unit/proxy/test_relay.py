"""Relaying natively: what the provider gets, what the client gets, what is recorded."""

import asyncio
import gzip
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from benchwright_proxy.jsonvalue import Json, JsonObject, as_object
from benchwright_proxy.token import sign

from .helpers import (
    KEY,
    LAST_CHUNK,
    PROVIDER_KEY,
    FakeProvider,
    Running,
    bearer,
    chat_body,
    chunk,
    claims,
    json_response,
    message_body,
    running,
    sse_head,
)

USAGE: JsonObject = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 80},
}
CHAT = json.dumps(
    {"model": "gpt-real", "choices": [{"finish_reason": "stop"}], "usage": USAGE}, indent=2
).encode()
MESSAGE = json.dumps(
    {
        "model": "claude-real",
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 20, "cache_read_input_tokens": 80, "output_tokens": 20},
    }
).encode()


def event(data: Json) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


HELLO = event({"model": "gpt-real", "choices": [{"delta": {"content": "hé"}}], "usage": None})
STOP = event({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": None})
USAGE_ONLY = event({"choices": [], "usage": USAGE})
DONE = b"data: [DONE]\n\n"


async def test_the_body_goes_out_and_comes_back_byte_for_byte(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [json_response(CHAT)]
    body = b' {"model" : "chat",\n "messages": [ ], "x": 1.50, "y": "\\u00e9" } '
    reply = await proxy.post("/v1/chat/completions", body)
    assert (reply.status, reply.body) == (200, CHAT)
    assert provider.heard[0].body == body
    assert provider.heard[0].line == "POST /v1/chat/completions HTTP/1.1"


async def test_only_the_model_changes_when_it_is_renamed(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [json_response(CHAT)]
    await proxy.post("/v1/chat/completions", b'{ "model":  "renamed" ,"messages":[ 1 ]}')
    assert provider.heard[0].body == b'{ "model":  "real-name" ,"messages":[ 1 ]}'
    call = (await proxy.calls())[0]
    assert (call["model"], call["upstream_model"], call["model_answered"]) == (
        "renamed", "real-name", "gpt-real",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "model", "sent"),
    [
        ("/v1/chat/completions", "chat", ("authorization", f"Bearer {PROVIDER_KEY}")),
        ("/v1/messages", "claude", ("x-api-key", PROVIDER_KEY)),
    ],
)
async def test_litellm_32202_only_allowed_headers_and_the_providers_key_go_out(
    proxy: Running, provider: FakeProvider, path: str, model: str, sent: tuple[str, str]
) -> None:
    provider.script = [json_response(CHAT)]
    token = sign(claims(), KEY)
    headers = {
        "x-api-key": token,
        "api-key": token,
        "x-goog-api-key": "sk-CANARY-1",
        "Cookie": "CANARY-2",
        "OpenAI-Organization": "CANARY-3",
        "X-Forwarded-For": "10.0.0.1",
        "Proxy-Authorization": "CANARY-4",
        "Connection": "keep-alive, x-hop",
        "x-hop": "CANARY-5",
        "anthropic-version": "2023-06-01",
        "anthropic-beta": "a,b",
        "User-Agent": "agent/1",
    }
    await proxy.post(path + "?key=CANARY-6&beta=true", message_body(model), headers=headers)
    heard = provider.heard[0]
    assert heard.headers == {
        "host": f"127.0.0.1:{provider.port}",
        sent[0]: sent[1],
        "accept": "*/*",
        "accept-encoding": "identity",
        "anthropic-beta": "a,b",
        "anthropic-version": "2023-06-01",
        "content-length": heard.headers["content-length"],
        "content-type": "application/octet-stream",
        "user-agent": "agent/1",
    }
    assert "CANARY-" not in heard.line + str(heard.headers).replace(PROVIDER_KEY, "")
    assert heard.line.endswith("?beta=true HTTP/1.1")


async def test_a_header_that_cannot_be_sent_on_is_left_out(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [json_response(CHAT)]
    headers = {"User-Agent": "agent/é", "openai-beta": "a"}
    assert (await proxy.post("/chat/completions", chat_body("chat"), headers=headers)).status == 200
    assert "user-agent" not in provider.heard[0].headers
    assert provider.heard[0].headers["openai-beta"] == "a"


async def test_long_headers_are_taken(proxy: Running, provider: FakeProvider) -> None:
    provider.script = [json_response(CHAT, headers=f"X-Policy: {'p' * 20_000}\r\n")]
    assert (await proxy.chat("chat")).status == 200


async def test_only_allowed_headers_come_back(proxy: Running, provider: FakeProvider) -> None:
    extra = (
        "request-id: req_7\r\nx-ratelimit-remaining-tokens: 9\r\nSet-Cookie: a=b\r\n"
        "openai-organization: org\r\nanthropic-ratelimit-requests-limit: 5\r\n"
        "Location: http://elsewhere\r\nX-Internal: 1\r\n"
    )
    provider.script = [json_response(CHAT, headers=extra)]
    reply = await proxy.post("/v1/chat/completions", chat_body("chat"))
    assert {name for name in reply.headers if name not in ("date", "server")} == {
        "content-type", "content-length", "request-id", "x-ratelimit-remaining-tokens",
        "anthropic-ratelimit-requests-limit",
    }  # fmt: skip
    assert (await proxy.calls())[0]["upstream_request_id"] == "req_7"


async def test_no_redirect_is_followed(proxy: Running, provider: FakeProvider) -> None:
    target = f"Location: http://127.0.0.1:{provider.port}/stolen\r\n"
    provider.script = [json_response(b"{}", "307 Temporary Redirect", target)]
    async with proxy.http.post(
        proxy.data + "/v1/chat/completions",
        json=chat_body("chat"),
        headers=bearer(claims()),
        allow_redirects=False,
    ) as response:
        assert (response.status, "location" in response.headers) == (307, False)
    assert len(provider.heard) == 1
    assert (await proxy.calls())[0]["status"] == "http_error"


async def test_litellm_24952_a_base_url_in_the_body_is_only_data(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [json_response(CHAT)]
    body = chat_body("chat", api_base="http://127.0.0.1:1", base_url="http://127.0.0.1:1")
    assert (await proxy.post("/v1/chat/completions", body)).status == 200
    assert provider.heard[0].json()["api_base"] == "http://127.0.0.1:1"


@pytest.mark.parametrize(
    "status", ["400 Bad Request", "403 Forbidden", "429 Too Many", "500 Oops", "529 Overloaded"]
)
async def test_aisix_144_and_ccflare_54_errors_pass_with_their_retry_headers(
    proxy: Running, provider: FakeProvider, status: str
) -> None:
    headers = "retry-after: 7\r\nx-should-retry: false\r\n"
    provider.script = [json_response(b'{"error":{"type":"x"}}', status, headers)]
    reply = await proxy.post("/v1/chat/completions", chat_body("chat"))
    assert f"{reply.status}" == status[:3]
    assert reply.body == b'{"error":{"type":"x"}}'
    assert (reply.headers["retry-after"], reply.headers["x-should-retry"]) == ("7", "false")
    assert len(provider.heard) == 1, "the proxy does not retry"
    total = await proxy.total()
    assert (total["failed"], total["unknown_usage"]) == (1, 0)


async def test_the_providers_401_is_about_the_proxys_key_and_never_quotes_it(
    proxy: Running, provider: FakeProvider
) -> None:
    body = b'{"error":"bad key ' + PROVIDER_KEY.encode() + b'"}'
    provider.script = [json_response(body, "401 Unauthorized")]
    reply = await proxy.post("/v1/messages", message_body("claude"))
    assert (reply.status, reply.json()["type"]) == (401, "error")
    assert PROVIDER_KEY.encode() not in reply.body
    assert b"provider anthropic refused the proxy's own key" in reply.body


async def test_a_provider_that_cannot_be_reached(tmp_path: Path) -> None:
    async with running(tmp_path, port=1) as proxy:
        reply = await proxy.post("/v1/messages", message_body("claude"))
        assert (reply.status, b"anthropic cannot be reached" in reply.body) == (502, True)
        assert (await proxy.calls())[0]["status"] == "unreachable"


async def test_a_provider_whose_key_is_missing(proxy: Running) -> None:
    (proxy.folder / "provider-key").write_text("")
    reply = await proxy.post("/v1/chat/completions", chat_body("chat"))
    assert (reply.status, b"no usable key" in reply.body) == (502, True)
    call = (await proxy.calls())[0]
    assert (call["status"], call["usage_source"]) == ("unreachable", "unknown")
    assert (await proxy.total())["unknown_usage"] == 0


async def test_a_provider_that_hangs_up(proxy: Running, provider: FakeProvider) -> None:
    reply = await proxy.post("/v1/messages", message_body("claude"))
    assert reply.status == 502
    assert as_object(reply.json()["error"])["type"] == "upstream_error"
    assert (await proxy.calls())[0]["status"] == "no_response"
    assert (await proxy.total())["unknown_usage"] == 1


async def test_litellm_5364_streamed_and_not_are_recorded_alike(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [json_response(CHAT)]
    await proxy.post("/v1/chat/completions", chat_body("chat"))
    provider.script = [sse_head(), chunk(HELLO + STOP + USAGE_ONLY + DONE), LAST_CHUNK]
    await proxy.post("/v1/chat/completions", chat_body("chat", stream=True))
    one, two = await proxy.settled()
    for name in ("input_tokens", "input_uncached", "cache_read", "output_tokens", "said"):
        assert one[name] == two[name]
    assert (one["input_tokens"], one["input_uncached"], one["usage_source"]) == (
        100, 20, "provider",
    )  # fmt: skip


@pytest.mark.parametrize("asked", [False, True])
async def test_portkey_910_the_usage_chunk_is_seen_by_who_asked_for_it(
    proxy: Running, provider: FakeProvider, asked: bool
) -> None:
    provider.script = [sse_head(), chunk(HELLO + STOP + USAGE_ONLY + DONE), LAST_CHUNK]
    options: Json = {"include_usage": asked, "include_obfuscation": False}
    body = chat_body("chat", stream=True, stream_options=options)
    reply = await proxy.post("/v1/chat/completions", body)
    assert reply.body == HELLO + STOP + (USAGE_ONLY if asked else b"") + DONE
    sent = as_object(provider.heard[0].json()["stream_options"])
    assert sent == {"include_usage": True, "include_obfuscation": False}
    assert (await proxy.settled())[0]["output_tokens"] == 20


async def test_gpustack_6155_a_stream_in_single_bytes_arrives_whole(
    proxy: Running, provider: FakeProvider
) -> None:
    stream = HELLO + STOP + USAGE_ONLY + DONE
    provider.script = [sse_head(), *(chunk(stream[i : i + 1]) for i in range(len(stream)))]
    provider.script.append(LAST_CHUNK)
    reply = await proxy.post("/v1/chat/completions", chat_body("chat", stream=True))
    assert reply.body == HELLO + STOP + DONE
    assert (await proxy.settled())[0]["input_tokens"] == 100


@pytest.mark.parametrize("model", ["chat", "claude"])
async def test_litellm_26102_and_39431_events_arrive_as_they_come(
    proxy: Running, provider: FakeProvider, model: str
) -> None:
    """The provider goes on only when the client has seen what it sent before."""
    gates = [asyncio.Event() for _ in range(3)]
    provider.script = [sse_head(), gates[0], chunk(HELLO), gates[1], chunk(STOP)]
    provider.script += [gates[2], LAST_CHUNK]
    path = "/v1/messages" if model == "claude" else "/v1/chat/completions"
    async with proxy.http.post(
        proxy.data + path, json=message_body(model, stream=True), headers=bearer(claims())
    ) as response:
        assert response.headers["x-accel-buffering"] == "no"
        assert response.headers["cache-control"] == "no-cache"
        seen = []
        for gate in gates:
            gate.set()
            seen.append(await response.content.readany())
    assert seen == [HELLO, STOP, b""]
    call = (await proxy.settled())[0]
    assert 0 < float(str(call["ttfb_seconds"])) < float(str(call["duration_seconds"]))


async def test_who_has_the_whole_body_finds_it_counted(
    proxy: Running, provider: FakeProvider
) -> None:
    """The end of a body that is no stream is held back until the call is settled."""
    gate = asyncio.Event()
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    provider.script = [head, chunk(CHAT[:50]), 0.05, chunk(CHAT[50:]), gate, LAST_CHUNK]
    async with proxy.http.post(
        proxy.data + "/v1/chat/completions", json=chat_body("chat"), headers=bearer(claims())
    ) as response:
        assert await response.content.readexactly(50) == CHAT[:50]
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await response.content.readany()
        gate.set()
        assert await response.content.readexactly(len(CHAT) - 50) == CHAT[50:]
    assert (await proxy.total())["succeeded"] == 1


async def test_mlflow_25897_an_error_in_the_stream_passes_and_is_recorded(
    proxy: Running, provider: FakeProvider
) -> None:
    start = b'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":9}}}\n\n'
    error = b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n'
    provider.script = [sse_head(), chunk(start), chunk(error), LAST_CHUNK]
    reply = await proxy.post("/v1/messages", message_body("claude", stream=True))
    assert reply.body == start + error
    call = (await proxy.settled())[0]
    assert (call["status"], call["error"]) == ("error_in_body", "overloaded_error")
    assert (call["usage_source"], call["input_tokens"], call["output_tokens"]) == (
        "partial", 9, None,
    )  # fmt: skip


async def cut_off(proxy: Running, path: str, body: JsonObject) -> tuple[bytes, bool]:
    """What came, and whether the client could tell that it was not all."""
    got = b""
    async with proxy.http.post(proxy.data + path, json=body, headers=bearer(claims())) as response:
        try:
            async for part in response.content.iter_any():
                got += part
        except Exception:
            return got, True
    return got, False


@pytest.mark.parametrize("end", ["close", "reset"])
async def test_a_truncated_stream_is_not_ended_for_the_provider(
    proxy: Running, provider: FakeProvider, end: str
) -> None:
    provider.script = [sse_head(), chunk(HELLO), 0.05, *(["reset"] if end == "reset" else [])]
    body = chat_body("chat", stream=True)
    assert await cut_off(proxy, "/v1/chat/completions", body) == (HELLO, True)
    call = (await proxy.settled())[0]
    assert (call["status"], call["usage_source"]) == ("truncated", "unknown")
    assert (await proxy.total())["unknown_usage"] == 1


async def test_a_truncated_body_is_short_for_the_client_too(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [json_response(CHAT)[:-30]]
    got, noticed = await cut_off(proxy, "/v1/chat/completions", chat_body("chat"))
    assert (got, noticed) == (CHAT[:-30], True)
    assert (await proxy.settled())[0]["status"] == "truncated"


async def test_ai_gateway_1927_and_2553_a_body_encoded_anyway_keeps_its_header(
    proxy: Running, provider: FakeProvider
) -> None:
    coded = gzip.compress(CHAT)
    provider.script = [json_response(coded, headers="Content-Encoding: gzip\r\n")]
    reply = await proxy.post("/v1/chat/completions", chat_body("chat"))
    assert (reply.body, reply.headers["content-encoding"]) == (coded, "gzip")
    assert (await proxy.calls())[0]["output_tokens"] == 20


async def test_ai_gateway_839_chunked_uploads_go_out_with_a_length(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [json_response(CHAT)]

    async def body() -> AsyncIterator[bytes]:
        yield b'{"model":'
        yield b'"chat","messages":[]}'

    async with proxy.http.post(
        proxy.data + "/v1/chat/completions", data=body(), headers=bearer(claims())
    ) as response:
        assert response.status == 200
    assert "transfer-encoding" not in provider.heard[0].headers
    assert provider.heard[0].body == b'{"model":"chat","messages":[]}'


async def test_count_tokens_is_relayed_and_costs_nothing(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [json_response(b'{"input_tokens": 42}')]
    path = "/v1/messages/count_tokens"
    reply = await proxy.post(path, message_body("claude"))
    assert reply.json() == {"input_tokens": 42}
    assert provider.heard[0].line == "POST /v1/messages/count_tokens HTTP/1.1"
    assert (await proxy.total())["requests"] == 0
    assert (await proxy.post(path, message_body("claude"), token="sk-none")).status == 401


async def test_strings_that_no_file_can_hold_do_not_lose_the_usage(
    proxy: Running, provider: FakeProvider
) -> None:
    body = (
        b'{"model":"\\ud800","choices":[{"finish_reason":"\\udfff"}],"usage":'
        + json.dumps({**USAGE, "x": "\ud800"}).encode()
    )
    provider.script = [json_response(body + b"}", headers="x-request-id: \xff\r\n")]
    assert (await proxy.post("/v1/chat/completions", chat_body("chat"))).status == 200
    call = (await proxy.settled())[0]
    assert (call["output_tokens"], call["said"]) == (20, {})


async def test_usage_that_is_nested_too_deeply_for_a_record_ends_its_call(
    proxy: Running, provider: FakeProvider
) -> None:
    depths = range(880, 1000, 3)  # some can still be read and no longer be written
    for depth in depths:
        usage = json.dumps(USAGE)[:-1].encode() + b',"x":' + b"[" * depth + b"]" * depth + b"}"
        body = b'{"model":"m","choices":[{"finish_reason":"stop"}],"usage":' + usage + b"}"
        provider.script = [json_response(body)]
        assert (await proxy.post("/v1/chat/completions", chat_body("chat"))).status == 200
    calls = await proxy.settled()
    assert [call["status"] for call in calls] == ["ok"] * len(depths)
    known = {call["output_tokens"] for call in calls if call["usage_source"] == "provider"}
    assert known == {20}


async def test_litellm_31620_no_secret_and_no_prompt_in_logs_metrics_or_files(
    proxy: Running, provider: FakeProvider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    token = sign(claims(), KEY)
    body = chat_body("chat", messages=[{"role": "user", "content": "PROMPT-CANARY"}])
    for script in ([json_response(CHAT)], [json_response(b"{}", "401 No")], [], [b"junk\r\n\r\n"]):
        provider.script = list(script)
        await proxy.post("/v1/chat/completions?key=QUERY-CANARY", body, token=token)
    await proxy.post("/v1/chat/completions", b"{ PROMPT-CANARY", token=token)
    await proxy.post("/v1/x", body, token=token + "x")
    metrics = await proxy.operator("GET", "/metrics")
    written = [path.read_text() for path in (proxy.folder / "journal").iterdir()]
    everything = "\n".join([caplog.text, metrics.body.decode(), *written])
    for secret in (token, KEY.decode(), PROVIDER_KEY, "CANARY", "uid-1/"):
        assert secret not in everything, secret
