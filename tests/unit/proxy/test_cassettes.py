"""Cassettes: what was recorded is played back byte for byte, and nothing else is."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest

from benchwright_proxy.jsonvalue import Json, JsonObject, as_list, as_object
from benchwright_proxy.token import sign

from .helpers import (
    KEY,
    LAST_CHUNK,
    PROVIDER_KEY,
    FakeProvider,
    Running,
    chat_body,
    chunk,
    claims,
    json_response,
    message_body,
    running,
    sse_head,
    with_each,
)

TELL = (
    b'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}\n\n'
)
HI = b'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n'
DONE = b"data: [DONE]\n\n"


def answer(text: str, given: int = 7) -> bytes:
    usage: Json = {"prompt_tokens": given, "completion_tokens": 2, "total_tokens": given + 2}
    choices: Json = [{"message": {"content": text}, "finish_reason": "stop"}]
    return json_response(json.dumps({"model": "m", "choices": choices, "usage": usage}).encode())


@asynccontextmanager
async def taped(folder: Path, mode: str, port: int = 1, **more: Json) -> AsyncIterator[Running]:
    """A proxy whose providers are recorded to, or played from, one cassette."""
    place = folder / mode
    place.mkdir(exist_ok=True)
    cassette: Json = {"folder": str(folder / "tape"), "mode": mode, **more}
    extra = with_each(place, port, {"cassette": cassette})
    async with running(place, port, extra=extra) as proxy:
        yield proxy


async def test_a_stream_is_played_back_with_its_usage_and_no_provider(
    tmp_path: Path, provider: FakeProvider
) -> None:
    provider.script = [
        sse_head("x-request-id: r-1\r\n"),
        chunk(HI),
        0.1,
        chunk(TELL + DONE),
        LAST_CHUNK,
    ]
    body = chat_body("chat", stream=True, stream_options={"include_usage": True})
    async with taped(tmp_path, "record", provider.port) as proxy:
        first = await proxy.post("/v1/chat/completions", body)
        recorded = (await proxy.settled())[0]
    async with taped(tmp_path, "replay") as proxy:
        began = time.monotonic()
        second = await proxy.post("/v1/chat/completions", body)
        assert time.monotonic() - began >= 0.09, "at the original pace"
        played = (await proxy.settled())[0]
    assert first.body == second.body == HI + TELL + DONE
    assert (first.status, second.status) == (200, 200)
    for name in ("status", "input_tokens", "output_tokens", "upstream_request_id", "chunks"):
        assert played[name] == recorded[name]
    assert len(provider.heard) == 1


async def test_without_a_pace_it_comes_at_once(tmp_path: Path, provider: FakeProvider) -> None:
    provider.script = [sse_head(), chunk(HI), 0.3, chunk(DONE), LAST_CHUNK]
    body = chat_body("chat", stream=True)
    async with taped(tmp_path, "record", provider.port) as proxy:
        await proxy.post("/v1/chat/completions", body)
    async with taped(tmp_path, "replay", pace="none") as proxy:
        await proxy.post("/v1/chat/completions", body)
        call = (await proxy.settled())[0]
    assert isinstance(call["duration_seconds"], float)
    assert call["duration_seconds"] < 0.3


async def test_a_request_that_was_not_recorded_is_an_error_that_says_so(
    tmp_path: Path, provider: FakeProvider
) -> None:
    provider.script = [answer("Hi")]
    async with taped(tmp_path, "record", provider.port) as proxy:
        await proxy.chat("chat")
    async with taped(tmp_path, "replay") as proxy:
        missed = await proxy.chat("chat", temperature=0.5)
        again = [await proxy.chat("chat") for _ in range(2)]
        calls = await proxy.settled()
    assert (missed.status, missed.headers["x-should-retry"]) == (404, "false")
    assert b"the cassette has not an answer to this request" in missed.body
    assert [reply.status for reply in again] == [200, 404]
    assert b"answer number 2" in again[1].body
    assert [call["status"] for call in calls] == ["http_error", "ok", "http_error"]
    assert len(list((tmp_path / "tape" / "missed").iterdir())) == 2


async def test_litellm_28826_what_is_new_each_time_makes_no_difference(
    tmp_path: Path, provider: FakeProvider
) -> None:
    def body(day: str, user: str) -> JsonObject:
        said: Json = [{"role": "user", "content": f"Today is {day}. Mend it."}]
        return chat_body("chat", messages=said, user=user, metadata={"run": user})

    provider.script = [answer("Hi")]
    ignore: Json = [r"Today is \d{4}-\d\d-\d\d"]
    async with taped(tmp_path, "record", provider.port, ignore=ignore) as proxy:
        await proxy.post(
            "/v1/chat/completions", body("2026-12-01", "a"), headers={"x-client-request-id": "1"}
        )
    async with taped(tmp_path, "replay", ignore=ignore) as proxy:
        reply = await proxy.post(
            "/v1/chat/completions", body("2027-01-05", "b"), headers={"x-client-request-id": "2"}
        )
    assert reply.status == 200


async def test_each_trial_gets_the_answers_that_it_got(
    tmp_path: Path, provider: FakeProvider
) -> None:
    trials = [replace(claims(trial_uid=f"uid-{n}"), trial=f"run-1-{n}") for n in range(3)]
    async with taped(tmp_path, "record", provider.port) as proxy:
        for number, trial in enumerate(trials):
            for turn in range(2):
                provider.script = [answer(f"{number}.{turn}")]
                await proxy.post("/v1/chat/completions", chat_body("chat"), token=trial)
    texts = []
    async with taped(tmp_path, "replay") as proxy:
        other = replace(claims(trial_uid="another"), trial="run-2-0")
        for trial in (*reversed(trials), other):
            for _ in range(2):
                reply = await proxy.post("/v1/chat/completions", chat_body("chat"), token=trial)
                choice = as_object(as_list(reply.json()["choices"])[0])
                texts.append(as_object(choice["message"])["content"])
    assert texts == ["2.0", "2.1", "1.0", "1.1", "0.0", "0.1", "0.0", "0.1"]


async def test_errors_and_broken_answers_are_played_as_they_were(
    tmp_path: Path, provider: FakeProvider
) -> None:
    async with taped(tmp_path, "record", provider.port) as proxy:
        provider.script = [
            json_response(b'{"error":{"type":"x"}}', "429 Slow", "Retry-After: 3\r\n")
        ]
        await proxy.chat("chat")
        provider.script = [sse_head(), chunk(HI)]
        with pytest.raises(aiohttp.ClientPayloadError):
            await proxy.post("/v1/chat/completions", chat_body("chat", stream=True))
        await proxy.settled()
    async with taped(tmp_path, "replay") as proxy:
        limited = await proxy.chat("chat")
        assert (limited.status, limited.headers["retry-after"]) == (429, "3")
        with pytest.raises(aiohttp.ClientPayloadError):
            await proxy.post("/v1/chat/completions", chat_body("chat", stream=True))
        assert [call["status"] for call in await proxy.settled()] == ["http_error", "truncated"]


async def test_a_cassette_holds_no_secret(tmp_path: Path, provider: FakeProvider) -> None:
    token = sign(claims(), KEY)
    said: Json = [{"role": "user", "content": f"env: {token} ghp_{'a' * 36}"}]
    provider.script = [json_response(json.dumps({"quoted": PROVIDER_KEY}).encode())]
    async with taped(tmp_path, "record", provider.port) as proxy:
        await proxy.post("/v1/messages", message_body("claude", messages=said), token=token)
    async with taped(tmp_path, "replay") as proxy:
        other = sign(replace(claims(), attempt=2), KEY)
        said = [{"role": "user", "content": f"env: {other} ghp_{'b' * 36}"}]
        reply = await proxy.post("/v1/messages", message_body("claude", messages=said), token=other)
    assert reply.json() == {"quoted": "[removed]".ljust(len(PROVIDER_KEY), "x")}
    (path,) = (tmp_path / "tape").glob("*.json")
    for secret in (token, PROVIDER_KEY, "ghp_aaa"):
        assert secret not in path.read_text()


async def test_a_damaged_answer_is_told(tmp_path: Path, provider: FakeProvider) -> None:
    provider.script = [answer("Hi")]
    async with taped(tmp_path, "record", provider.port) as proxy:
        await proxy.chat("chat")
    (path,) = (tmp_path / "tape").glob("*.json")
    path.write_text("{}")
    async with taped(tmp_path, "replay") as proxy:
        reply = await proxy.chat("chat")
    assert (reply.status, b"cannot be read" in reply.body) == (404, True)


async def test_an_answer_that_nobody_waited_for_is_no_recording(
    tmp_path: Path, provider: FakeProvider
) -> None:
    provider.script = ["reset"]
    async with taped(tmp_path, "record", provider.port) as proxy:
        assert (await proxy.chat("chat")).status == 502
    assert not (tmp_path / "tape").exists()
