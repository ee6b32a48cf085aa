"""The official Anthropic SDK in front of the scripted model: what it reads is what the journal says."""

from collections.abc import AsyncIterator

import anthropic
import pytest
from anthropic.types import MessageParam, ToolParam

from benchwright_proxy.token import Limits, sign

from .helpers import KEY, Running, claims

TOOL: ToolParam = {
    "name": "bash",
    "input_schema": {"type": "object", "properties": {"command": {"type": "string"}}},
}
HELLO: list[MessageParam] = [{"role": "user", "content": "hello"}]
SECOND: list[MessageParam] = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": "Hello there."},
    {"role": "user", "content": "go on"},
]


@pytest.fixture
async def sdk(proxy: Running) -> AsyncIterator[anthropic.AsyncAnthropic]:
    async with anthropic.AsyncAnthropic(api_key=sign(claims(), KEY), base_url=proxy.data) as client:
        yield client


async def uncached_and_output(proxy: Running) -> tuple[object, object]:
    call = (await proxy.settled())[-1]
    assert call["status"] == "ok"
    return call["input_uncached"], call["output_tokens"]


async def test_a_message(proxy: Running, sdk: anthropic.AsyncAnthropic) -> None:
    found = await sdk.messages.create(model="demo", max_tokens=100, messages=HELLO)
    (block,) = found.content
    assert block.type == "text"
    assert block.text == "Hello there."
    assert (found.usage.input_tokens, found.usage.output_tokens) == (
        await uncached_and_output(proxy)
    )
    assert found.usage.cache_read_input_tokens == 1000


async def test_a_streamed_message(proxy: Running, sdk: anthropic.AsyncAnthropic) -> None:
    async with sdk.messages.stream(model="demo", max_tokens=100, messages=HELLO) as stream:
        text = "".join([part async for part in stream.text_stream])
        found = await stream.get_final_message()
    assert (text, found.stop_reason) == ("Hello there.", "end_turn")
    assert (found.usage.input_tokens, found.usage.output_tokens) == (
        await uncached_and_output(proxy)
    )


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_tool_is_called(
    proxy: Running, sdk: anthropic.AsyncAnthropic, streamed: bool
) -> None:
    if streamed:
        async with sdk.messages.stream(
            model="demo", max_tokens=100, messages=SECOND, tools=[TOOL]
        ) as stream:
            found: anthropic.types.Message = await stream.get_final_message()
    else:
        found = await sdk.messages.create(
            model="demo", max_tokens=100, messages=SECOND, tools=[TOOL]
        )
    block = found.content[-1]
    assert block.type == "tool_use"
    assert (block.name, block.input, found.stop_reason) == ("bash", {"command": "ls"}, "tool_use")
    assert (await uncached_and_output(proxy))[1] == 20


async def test_counting_tokens_costs_nothing(proxy: Running, sdk: anthropic.AsyncAnthropic) -> None:
    found = await sdk.messages.count_tokens(model="demo", messages=HELLO)
    assert found.input_tokens > 0
    assert await proxy.settled() == []


async def test_a_budget_that_is_spent_ends_it_at_once(proxy: Running) -> None:
    """An SDK that retries would wait for what never comes."""
    token = sign(claims(limits=Limits(requests=1)), KEY)
    async with anthropic.AsyncAnthropic(api_key=token, base_url=proxy.data) as client:
        await client.messages.create(model="demo", max_tokens=100, messages=HELLO)
        with pytest.raises(anthropic.APIStatusError, match="requests"):
            await client.messages.create(model="demo", max_tokens=100, messages=HELLO)
    assert (await proxy.total())["refused"] == 1
