"""The official SDKs, cancelled by their agents: the provider goes on billing, so it is counted."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

from benchwright_proxy.token import sign

from .helpers import KEY, Running, claims, running, until

SLOW = """\
name: demo
turns:
  - text: "a b c d e f g h"
    chunks: 8
    chunk_delay_seconds: 0.05
    delay_seconds: 0.3
    usage: {input_tokens: 1200, cached_input_tokens: 1000, output_tokens: 55}
"""
Asking = Callable[[Running, bool], Awaitable[None]]


@pytest.fixture
async def slow(tmp_path: Path) -> AsyncIterator[Running]:
    async with running(tmp_path, dialogue=SLOW) as started:
        yield started


async def ask_openai(proxy: Running, streamed: bool) -> None:
    """Ask, and leave after the first event of a stream."""
    token = sign(claims(), KEY)
    async with openai.AsyncOpenAI(api_key=token, base_url=f"{proxy.data}/v1") as sdk:
        if not streamed:
            await sdk.responses.create(model="demo", input="hello")
            return
        async with sdk.responses.stream(model="demo", input="hello") as stream:
            await anext(aiter(stream))


async def ask_anthropic(proxy: Running, streamed: bool) -> None:
    """Likewise."""
    async with anthropic.AsyncAnthropic(api_key=sign(claims(), KEY), base_url=proxy.data) as sdk:
        if not streamed:
            await sdk.messages.create(
                model="demo", max_tokens=100, messages=[{"role": "user", "content": "hello"}]
            )
            return
        async with sdk.messages.stream(
            model="demo", max_tokens=100, messages=[{"role": "user", "content": "hello"}]
        ) as stream:
            await anext(aiter(stream))


async def ask_gemini(proxy: Running, streamed: bool) -> None:
    """Likewise."""
    options = types.HttpOptions(base_url=proxy.data)
    client = genai.Client(api_key=sign(claims(), KEY), vertexai=False, http_options=options)
    async with client.aio as sdk:
        if not streamed:
            await sdk.models.generate_content(model="demo", contents="hello")
            return
        stream = await sdk.models.generate_content_stream(model="demo", contents="hello")
        await anext(aiter(stream))


ASKING: dict[str, Asking] = {
    "openai": ask_openai, "anthropic": ask_anthropic, "gemini": ask_gemini,
}  # fmt: skip


@pytest.mark.parametrize("sdk", ASKING)
async def test_a_stream_that_is_left_after_its_first_event(slow: Running, sdk: str) -> None:
    await ASKING[sdk](slow, True)
    (call,) = await slow.settled()
    assert (call["status"], call["client_gone"]) == ("ok", True)
    assert (call["input_tokens"], call["output_tokens"]) == (1200, 55)


@pytest.mark.parametrize("sdk", ASKING)
async def test_a_call_whose_task_is_cancelled_while_it_waits(slow: Running, sdk: str) -> None:
    task = asyncio.ensure_future(ASKING[sdk](slow, False))
    await until(lambda: slow.proxy.ledger.in_flight())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (call,) = await slow.settled()
    # Whether it was there for the answer, one packet, TCP does not say: it may have half-closed.
    assert call["status"] == "ok"
    assert (call["input_tokens"], call["output_tokens"]) == (1200, 55)
