"""Embeddings through the proxy: large, without output, and counted."""

import json

import pytest

from benchwright_proxy.jsonvalue import JsonObject, as_object
from benchwright_proxy.token import Limits
from benchwright_proxy.usage.embeddings import answer_of_body
from benchwright_proxy.usage.record import UNKNOWN, Usage

from .helpers import FakeProvider, Running, claims, json_response


@pytest.mark.parametrize(
    ("said", "usage"),
    [
        (
            {"prompt_tokens": 8, "total_tokens": 8},
            Usage(8, output_tokens=0, source="provider"),
        ),
        ({"prompt_tokens": 0, "total_tokens": 0}, Usage(0, output_tokens=0, source="provider")),
        ({"total_tokens": 8}, Usage(8, output_tokens=0, source="provider")),
        (
            {"prompt_tokens": 8, "total_tokens": 9},
            Usage(8, output_tokens=0, source="provider", notes=("total_mismatch",)),
        ),
        ({"prompt_tokens": "8"}, UNKNOWN),
        ({}, UNKNOWN),
    ],
)
def test_usage(said: JsonObject, usage: Usage) -> None:
    assert answer_of_body({"object": "list", "usage": said}).usage == usage


@pytest.mark.parametrize("path", ["/embeddings", "/v1/embeddings", "/openai/v1/embeddings"])
async def test_agentgateway_1685_a_response_of_megabytes_passes_and_is_counted(
    proxy: Running, provider: FakeProvider, path: str
) -> None:
    vectors = [{"index": n, "embedding": [0.125] * 1536} for n in range(300)]
    usage = {"prompt_tokens": 2400, "total_tokens": 2400}
    answer = json.dumps(
        {"object": "list", "data": vectors, "model": "e-1", "usage": usage}
    ).encode()
    assert len(answer) > 2 * 2**20
    provider.script = [json_response(answer)]
    reply = await proxy.post(path, {"model": "chat", "input": ["a"] * 300})
    assert (reply.status, reply.body) == (200, answer)
    assert provider.heard[0].line == "POST /v1/embeddings HTTP/1.1"
    (call,) = await proxy.settled()
    assert (call["status"], call["input_tokens"], call["output_tokens"]) == ("ok", 2400, 0)


async def test_they_need_no_budget_of_output(proxy: Running, provider: FakeProvider) -> None:
    provider.script = [json_response(b'{"usage": {"prompt_tokens": 1, "total_tokens": 1}}')]
    token = claims(limits=Limits(output_tokens=1))
    body: JsonObject = {"model": "chat", "input": "a"}
    assert (await proxy.post("/v1/embeddings", body, token=token)).status == 200


async def test_the_scripted_models_own_log_has_what_the_journal_counts(proxy: Running) -> None:
    await proxy.post("/v1/embeddings", {"model": "demo", "input": "a" * 100})
    (line,) = proxy.scripted_log()
    (call,) = await proxy.settled()
    usage = as_object(line["usage"])
    assert (usage["input_tokens"], usage["output_tokens"]) == (call["input_tokens"], 0)
