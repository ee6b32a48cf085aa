"""The official google-genai SDK in front of the scripted model: what it reads is in the journal."""

from collections.abc import AsyncIterator

import pytest
from google import genai
from google.genai import errors, types

from benchwright_proxy.token import Limits, sign

from .helpers import KEY, Running, claims

TOOL = types.Tool(
    function_declarations=[
        types.FunctionDeclaration(
            name="bash",
            parameters=types.Schema(
                type=types.Type.OBJECT,
                properties={"command": types.Schema(type=types.Type.STRING)},
            ),
        )
    ]
)
SECOND: list[types.Content] = [
    types.Content(role="user", parts=[types.Part(text="hi")]),
    types.Content(role="model", parts=[types.Part(text="Hello there.")]),
    types.Content(role="user", parts=[types.Part(text="go on")]),
]


def client(proxy: Running, limits: Limits | None = None) -> genai.Client:
    token = sign(claims(limits=limits), KEY)
    return genai.Client(
        api_key=token, vertexai=False, http_options=types.HttpOptions(base_url=proxy.data)
    )


@pytest.fixture
async def sdk(proxy: Running) -> AsyncIterator[genai.client.AsyncClient]:
    async with client(proxy).aio as found:
        yield found


async def journal(proxy: Running) -> tuple[object, ...]:
    call = (await proxy.settled())[-1]
    assert call["status"] == "ok"
    return call["input_tokens"], call["cache_read"], call["output_tokens"]


def said(usage: types.GenerateContentResponseUsageMetadata | None) -> tuple[object, ...]:
    assert usage is not None
    output = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
    return usage.prompt_token_count, usage.cached_content_token_count, output


async def test_content(proxy: Running, sdk: genai.client.AsyncClient) -> None:
    found = await sdk.models.generate_content(model="demo", contents="hello")
    assert found.text == "Hello there."
    assert said(found.usage_metadata) == (1200, 1000, 55) == await journal(proxy)


async def test_streamed_content(proxy: Running, sdk: genai.client.AsyncClient) -> None:
    stream = await sdk.models.generate_content_stream(model="demo", contents="hello")
    chunks = [chunk async for chunk in stream]
    assert "".join(chunk.text or "" for chunk in chunks) == "Hello there."
    assert len(chunks) > 2
    assert said(chunks[-1].usage_metadata) == (1200, 1000, 55) == await journal(proxy)


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_tool_is_called(
    proxy: Running, sdk: genai.client.AsyncClient, streamed: bool
) -> None:
    config = types.GenerateContentConfig(tools=[TOOL])
    if streamed:
        stream = await sdk.models.generate_content_stream(
            model="demo", contents=SECOND, config=config
        )
        calls = [call async for chunk in stream for call in chunk.function_calls or []]
    else:
        found = await sdk.models.generate_content(model="demo", contents=SECOND, config=config)
        calls = found.function_calls or []
    assert [(call.name, call.args) for call in calls] == [("bash", {"command": "ls"})]
    assert (await journal(proxy))[0] == 1300


async def test_tokens_are_counted_for_nothing(
    proxy: Running, sdk: genai.client.AsyncClient
) -> None:
    found = await sdk.models.count_tokens(model="demo", contents="hello")
    assert (found.total_tokens or 0) > 0
    assert await proxy.calls() == []


async def test_models_are_listed(sdk: genai.client.AsyncClient) -> None:
    names = [model.name async for model in await sdk.models.list()]
    assert "models/demo" in names


async def test_a_spent_budget_ends_at_once(proxy: Running) -> None:
    async with client(proxy, Limits(requests=0)).aio as found:
        with pytest.raises(errors.ClientError) as raised:
            await found.models.generate_content(model="demo", contents="hello")
    assert (raised.value.code, raised.value.status) == (400, "FAILED_PRECONDITION")
    assert "requests limit" in str(raised.value)
