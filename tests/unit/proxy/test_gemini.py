"""Gemini's dialect on the way through: paths, models in them, keys, errors."""

import pytest

from benchwright_proxy.jsonvalue import Json, JsonObject, as_list, as_object
from benchwright_proxy.token import Limits, sign

from .helpers import KEY, PROVIDER_KEY, FakeProvider, Running, claims, json_response

HELLO: JsonObject = {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}
ANSWER = (
    b'{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}],'
    b'"modelVersion":"g-1","usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":2,'
    b'"totalTokenCount":9}}'
)


@pytest.mark.parametrize("mount", ["/v1beta", "/v1", "/gemini/v1beta", "/gemini/v1"])
async def test_a_call_goes_out_natively_with_the_key_in_a_header(
    proxy: Running, provider: FakeProvider, mount: str
) -> None:
    provider.script = [json_response(ANSWER)]
    reply = await proxy.post(f"{mount}/models/gem:generateContent?key=sk-CANARY-2&alt=json", HELLO)
    assert (reply.status, reply.body) == (200, ANSWER)
    (heard,) = provider.heard
    assert heard.line == "POST /v1beta/models/gem-real:generateContent?alt=json HTTP/1.1"
    assert heard.headers["x-goog-api-key"] == PROVIDER_KEY
    assert "authorization" not in heard.headers
    assert heard.json() == HELLO
    call = (await proxy.settled())[0]
    assert (call["status"], call["input_tokens"], call["output_tokens"]) == ("ok", 7, 2)
    assert (call["model"], call["upstream_model"], call["model_answered"]) == (
        "gem", "gem-real", "g-1",
    )  # fmt: skip


async def test_a_token_may_come_in_the_address_as_old_clients_send_it(proxy: Running) -> None:
    token = sign(claims(models=("demo",)), KEY)
    url = f"{proxy.data}/v1beta/models/demo:generateContent?key={token}"
    async with proxy.http.post(url, json=HELLO) as response:
        assert response.status == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1beta/models/gem:streamGenerateContents", 404),
        ("/v1beta/models/gem:batchGenerateContent", 404),
        ("/v1beta/models/..%2Fx:generateContent", 404),
        ("/v1beta/models/../gem:generateContent", 404),
        ("/v1beta/models/gem/x:generateContent", 404),
        ("/v1beta/models/gem%23:generateContent", 404),
        ("/v1beta/tunedModels/gem:generateContent", 404),
        ("/v1beta/models/other:generateContent", 403),
        ("/v1beta/models/chat:generateContent", 400),
    ],
)
async def test_litellm_26938_no_other_path_is_reached(
    proxy: Running, provider: FakeProvider, path: str, status: int
) -> None:
    reply = await proxy.post(path, HELLO)
    error = as_object(reply.json()["error"])
    assert (reply.status, error["code"]) == (status, status)
    assert isinstance(error["status"], str)
    assert provider.heard == []


@pytest.mark.parametrize(
    ("config", "reserved"),
    [
        ({"generationConfig": {"maxOutputTokens": 50}}, 50),
        ({"generation_config": {"max_output_tokens": 50}}, 50),
        ({"generationConfig": {"maxOutputTokens": 5, "max_output_tokens": 50}}, 50),
        ({"generationConfig": {"maxOutputTokens": 50, "candidateCount": 3}}, 150),
        ({}, 32_768),
    ],
)
async def test_the_maximum_is_reserved_in_each_spelling(
    proxy: Running, provider: FakeProvider, config: JsonObject, reserved: int
) -> None:
    provider.script = [json_response(ANSWER)]
    await proxy.post("/v1beta/models/gem:generateContent", {**HELLO, **config})
    assert (await proxy.settled())[0]["reserved_output"] == reserved


@pytest.mark.parametrize(
    "extra",
    [
        {"model": "models/another"},
        {"generationConfig": {"maxOutputTokens": "many"}},
        {"GenerationConfig": {"maxOutputTokens": 1}},
    ],
)
async def test_what_could_be_read_in_two_ways_is_refused(
    proxy: Running, provider: FakeProvider, extra: JsonObject
) -> None:
    reply = await proxy.post("/v1beta/models/gem:generateContent", {**HELLO, **extra})
    assert reply.status == 400
    assert provider.heard == []


async def test_a_model_in_the_body_is_renamed_like_the_one_in_the_path(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [json_response(ANSWER)]
    await proxy.post("/v1beta/models/gem:generateContent", {"model": "models/gem", **HELLO})
    assert provider.heard[0].json()["model"] == "models/gem-real"


async def test_counting_tokens_is_free(proxy: Running, provider: FakeProvider) -> None:
    provider.script = [json_response(b'{"totalTokens":3}')]
    reply = await proxy.post("/v1beta/models/gem:countTokens", HELLO)
    assert (reply.status, reply.json()) == (200, {"totalTokens": 3})
    assert await proxy.calls() == []


async def test_models_are_listed_as_gemini_does(proxy: Running) -> None:
    headers = {"x-goog-api-key": sign(claims(models=("gem",)), KEY)}
    async with proxy.http.get(f"{proxy.data}/v1beta/models", headers=headers) as response:
        models: Json = (await response.json())["models"]
    assert models == [
        {
            "name": "models/gem",
            "displayName": "gem",
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        }
    ]


async def test_a_spent_budget_is_told_in_geminis_shape(proxy: Running) -> None:
    token = claims(models=("demo",), limits=Limits(requests=0))
    reply = await proxy.post("/v1beta/models/demo:generateContent", HELLO, token=token)
    error = as_object(reply.json()["error"])
    assert (reply.status, error["code"], error["status"]) == (400, 400, "FAILED_PRECONDITION")
    assert reply.headers["x-should-retry"] == "false"
    assert as_object(as_list(error["details"])[0])["reason"] == "budget_exceeded"
