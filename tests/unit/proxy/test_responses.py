"""OpenAI Responses through the proxy: relayed as it comes, counted, and refused where it cannot be."""

import json

import pytest

from benchwright_proxy.jsonvalue import Json, JsonObject, as_object
from benchwright_proxy.scripted import conversation

from .helpers import (
    LAST_CHUNK,
    FakeProvider,
    Running,
    bearer,
    chunk,
    claims,
    json_response,
    sse_head,
)
from .test_usage_responses import SAID, WHOLE, response

PATHS = ["/responses", "/v1/responses", "/openai/responses", "/openai/v1/responses"]


def body(model: str = "demo", **options: Json) -> JsonObject:
    return {"model": model, "input": "hello", **options}


@pytest.mark.parametrize("path", PATHS)
async def test_a_response_is_relayed_and_counted(
    proxy: Running, provider: FakeProvider, path: str
) -> None:
    answer = json.dumps(response("completed", SAID)).encode()
    provider.script = [json_response(answer)]
    reply = await proxy.post(path, body("chat", max_output_tokens=100, store=False))
    assert (reply.status, reply.body) == (200, answer)
    (heard,) = provider.heard
    assert heard.line == "POST /v1/responses HTTP/1.1"
    assert heard.json() == body("chat", max_output_tokens=100, store=False)
    (call,) = await proxy.settled()
    assert (call["status"], call["input_tokens"], call["output_tokens"]) == ("ok", 1000, 60)


async def test_a_stream_is_relayed_byte_for_byte(proxy: Running, provider: FakeProvider) -> None:
    provider.script = [sse_head(), chunk(WHOLE[:100]), chunk(WHOLE[100:]), LAST_CHUNK]
    reply = await proxy.post("/v1/responses", body("chat", stream=True))
    assert reply.body == WHOLE
    assert provider.heard[0].json() == body("chat", stream=True)  # nothing is asked for beside it
    (call,) = await proxy.settled()
    assert (call["status"], call["reasoning_tokens"], call["input_tokens"]) == ("ok", 40, 1000)


async def test_a_model_has_its_upstream_name(proxy: Running, provider: FakeProvider) -> None:
    provider.script = [json_response(b"{}")]
    await proxy.post("/v1/responses", body("renamed"))
    assert provider.heard[0].json()["model"] == "real-name"


@pytest.mark.parametrize("path", PATHS)
async def test_a_websocket_is_told_to_use_http(proxy: Running, path: str) -> None:
    headers = {
        **bearer(claims()), "Connection": "Upgrade", "Upgrade": "websocket",
        "Sec-WebSocket-Key": "x", "Sec-WebSocket-Version": "13",
    }  # fmt: skip
    async with proxy.http.get(proxy.data + path, headers=headers) as answer:
        assert answer.status == 426
        assert "use HTTP" in await answer.text()


async def test_what_goes_on_in_the_background_is_refused(proxy: Running) -> None:
    reply = await proxy.post("/v1/responses", body(background=True))
    assert reply.status == 400
    assert "background: true" in str(as_object(reply.json()["error"])["message"])
    assert reply.headers["x-should-retry"] == "false"


async def test_the_scripted_model_keeps_nothing(proxy: Running) -> None:
    reply = await proxy.post("/v1/responses", body(previous_response_id="resp_1"))
    assert reply.status == 400
    assert "send the whole input" in reply.body.decode()


USER: JsonObject = {"role": "user", "content": [{"type": "input_text", "text": "mend it"}]}
SAYS: JsonObject = {"type": "message", "role": "assistant", "content": []}
CALLS: JsonObject = {"type": "function_call", "call_id": "c", "name": "bash", "arguments": "{}"}
THINKS: JsonObject = {"type": "reasoning", "summary": []}
HEARS: JsonObject = {"type": "function_call_output", "call_id": "c", "output": "2 files"}


@pytest.mark.parametrize(
    ("said", "turn", "last", "first"),
    [
        ("mend it", 0, "mend it", "mend it"),
        ([USER], 0, "mend it", "mend it"),
        ([USER, SAYS, USER], 1, "mend it", "mend it"),
        ([USER, THINKS, SAYS, CALLS, HEARS], 1, "2 files", "mend it"),
        ([USER, CALLS, CALLS, HEARS, HEARS, CALLS, HEARS], 2, "2 files", "mend it"),
        ([{"role": "developer", "content": "be brief"}, USER], 0, "mend it", "mend it"),
        ([], 0, "", ""),
        (None, 0, "", ""),
        ([3, None, {"type": "x"}], 0, "", ""),
    ],
)
def test_turns_are_told_by_whose_items_follow_each_other(
    said: Json, turn: int, last: str, first: str
) -> None:
    found = conversation.read({"input": said})
    assert (found.turn, found.last_message) == (turn, last)
    assert (found.asked[0][1] if found.asked else "") == first
