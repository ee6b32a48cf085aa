"""The official OpenAI SDK in front of the scripted model: what it reads is what the journal says."""

from collections.abc import AsyncIterator

import openai
import pytest
from openai.types.responses import FunctionToolParam, Response, ResponseInputItemParam

from benchwright_proxy.token import Limits, sign

from .helpers import KEY, Running, claims

TOOL: FunctionToolParam = {
    "type": "function", "name": "bash", "strict": False,
    "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
}  # fmt: skip


@pytest.fixture
async def sdk(proxy: Running) -> AsyncIterator[openai.AsyncOpenAI]:
    token = sign(claims(), KEY)
    async with openai.AsyncOpenAI(api_key=token, base_url=f"{proxy.data}/v1") as client:
        yield client


async def journal(proxy: Running) -> tuple[object, object, object]:
    call = (await proxy.settled())[-1]
    assert call["status"] == "ok"
    return call["input_tokens"], call["cache_read"], call["output_tokens"]


async def test_a_response(proxy: Running, sdk: openai.AsyncOpenAI) -> None:
    found = await sdk.responses.create(model="demo", input="hello")
    assert (found.output_text, found.status) == ("Hello there.", "completed")
    assert found.usage is not None
    said = found.usage
    assert (said.input_tokens, said.input_tokens_details.cached_tokens, said.output_tokens) == (
        await journal(proxy)
    )
    assert said.output_tokens_details.reasoning_tokens == 12


async def test_a_streamed_response(proxy: Running, sdk: openai.AsyncOpenAI) -> None:
    texts, kinds = [], []
    async with sdk.responses.stream(model="demo", input="hello") as stream:
        async for event in stream:
            kinds.append(event.type)
            if event.type == "response.output_text.delta":
                texts.append(event.delta)
        found = await stream.get_final_response()
    assert "".join(texts) == found.output_text == "Hello there."
    assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")
    assert found.usage is not None
    assert (found.usage.input_tokens, found.usage.output_tokens) == (await journal(proxy))[::2]


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_tool_is_called_and_answered(
    proxy: Running, sdk: openai.AsyncOpenAI, streamed: bool
) -> None:
    said: list[ResponseInputItemParam] = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "Hello there."},
        {"role": "user", "content": "go on"},
    ]
    found: Response
    if streamed:
        async with sdk.responses.stream(model="demo", input=said, tools=[TOOL]) as stream:
            found = await stream.get_final_response()
    else:
        found = await sdk.responses.create(model="demo", input=said, tools=[TOOL])
    (call,) = found.output
    assert call.type == "function_call"
    assert (call.name, call.arguments) == ("bash", '{"command":"ls"}')
    assert (await journal(proxy))[0] == 1300


async def test_a_chat_completion_with_and_without_a_stream(
    proxy: Running, sdk: openai.AsyncOpenAI
) -> None:
    whole = await sdk.chat.completions.create(
        model="demo", messages=[{"role": "user", "content": "hello"}]
    )
    assert whole.choices[0].message.content == "Hello there."
    assert whole.usage is not None
    assert (whole.usage.prompt_tokens, whole.usage.completion_tokens) == (
        (await journal(proxy))[::2]
    )
    stream = await sdk.chat.completions.create(
        model="demo", messages=[{"role": "user", "content": "hello"}], stream=True
    )
    chunks = [part async for part in stream]
    assert "".join(c.choices[0].delta.content or "" for c in chunks) == "Hello there."
    assert all(c.usage is None for c in chunks)  # it did not ask for it, and the journal has it
    assert (await journal(proxy))[0] == 1200


async def test_a_budget_that_is_spent_ends_it_at_once(proxy: Running) -> None:
    """An SDK that retries would wait for what never comes."""
    token = sign(claims(limits=Limits(requests=1)), KEY)
    async with openai.AsyncOpenAI(api_key=token, base_url=f"{proxy.data}/v1") as client:
        await client.responses.create(model="demo", input="hello")
        with pytest.raises(openai.APIStatusError, match="requests"):
            await client.responses.create(model="demo", input="hello")
    assert (await proxy.total())["refused"] == 1


async def test_embeddings_are_input_alone(proxy: Running, sdk: openai.AsyncOpenAI) -> None:
    found = await sdk.embeddings.create(model="demo", input=["one", "two", "one"])
    one, two, again = (each.embedding for each in found.data)
    assert one == again != two
    assert (await journal(proxy))[::2] == (found.usage.prompt_tokens, 0)
