"""Azure: the deployment is in the path on both sides, the key in api-key, and OpenAI's rest."""

import openai
import pytest

from benchwright_proxy.config import HttpProvider
from benchwright_proxy.providers.addresses import endpoint_url
from benchwright_proxy.routes import Endpoint
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
    sse_head,
)

ANSWER = (
    b'{"id":"c","object":"chat.completion","created":1,"model":"gpt-x-2026","choices":[{"index":0,'
    b'"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}'
)


@pytest.mark.parametrize(
    ("base", "version", "endpoint", "url"),
    [
        (
            "https://a.example", "2024-10-21", Endpoint.CHAT,
            "https://a.example/openai/deployments/dep/chat/completions?api-version=2024-10-21",
        ),
        (
            "https://a.example/openai", "2024-10-21", Endpoint.EMBEDDINGS,
            "https://a.example/openai/deployments/dep/embeddings?api-version=2024-10-21",
        ),
        (
            "https://a.example", "2025-04-01-preview", Endpoint.RESPONSES,
            "https://a.example/openai/responses?api-version=2025-04-01-preview",
        ),
        ("https://a.example", None, Endpoint.CHAT, "https://a.example/openai/v1/chat/completions"),
        (
            "https://a.example/openai/v1", None, Endpoint.RESPONSES,
            "https://a.example/openai/v1/responses",
        ),
    ],
)  # fmt: skip
def test_addresses(base: str, version: str | None, endpoint: Endpoint, url: str) -> None:
    provider = HttpProvider(name="a", dialect="azure", base_url=base, api_version=version)
    assert endpoint_url(provider, endpoint, "dep") == url


def test_a_version_belongs_to_azure() -> None:
    with pytest.raises(ValueError, match="apiVersion belongs to dialect azure"):
        HttpProvider(name="a", dialect="openai", base_url="https://a.example", api_version="1")


async def test_the_azure_sdk_reaches_a_deployment(proxy: Running, provider: FakeProvider) -> None:
    provider.script = [json_response(ANSWER)]
    async with openai.AsyncAzureOpenAI(
        azure_endpoint=proxy.data, api_key=sign(claims(), KEY), api_version="2024-10-21"
    ) as sdk:
        found = await sdk.chat.completions.create(
            model="az", messages=[{"role": "user", "content": "hello"}]
        )
    assert found.usage is not None
    assert found.usage.total_tokens == 9
    (heard,) = provider.heard
    assert heard.line == (
        "POST /openai/deployments/my-deployment/chat/completions?api-version=2024-10-21 HTTP/1.1"
    )
    assert heard.headers["api-key"] == PROVIDER_KEY
    assert "authorization" not in heard.headers
    call = (await proxy.settled())[0]
    assert (call["model"], call["model_answered"], call["input_tokens"]) == ("az", "gpt-x-2026", 7)


async def test_the_deployment_must_be_the_model_of_the_body(
    proxy: Running, provider: FakeProvider
) -> None:
    path = "/openai/deployments/az/chat/completions?api-version=1"
    assert (await proxy.post(path, chat_body("chat"))).status == 400
    assert provider.heard == []
    body = chat_body("az")
    del body["model"]
    provider.script = [json_response(ANSWER)]
    assert (await proxy.post(path, body)).status == 200
    assert provider.heard[0].json()["model"] == "my-deployment"


FILTERS = (
    b'data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}],"model":""}\n\n'
    b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n'
)
USAGE = (
    b'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}\n\n'
)
DONE = b"data: [DONE]\n\n"


@pytest.mark.parametrize("asked", [True, False])
async def test_portkey_910_the_usage_chunk_is_counted_and_the_filter_chunk_passes(
    proxy: Running, provider: FakeProvider, asked: bool
) -> None:
    provider.script = [sse_head(), chunk(FILTERS + USAGE + DONE), LAST_CHUNK]
    options = chat_body("az", stream=True)
    if asked:
        options["stream_options"] = {"include_usage": True}
    reply = await proxy.post("/v1/chat/completions", options)
    assert reply.body == FILTERS + (USAGE if asked else b"") + DONE
    call = (await proxy.settled())[0]
    assert (call["input_tokens"], call["output_tokens"], call["usage_source"]) == (7, 2, "provider")
