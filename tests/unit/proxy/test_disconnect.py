"""Clients that leave: the usage is read all the same, within bounds; a half-close is no leaving."""

import asyncio
import json
import socket
import struct
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from benchwright_proxy.jsonvalue import JsonObject

from .helpers import (
    LAST_CHUNK,
    FakeProvider,
    Running,
    bearer,
    chat_body,
    chunk,
    claims,
    json_response,
    running,
    sse_head,
    until,
)
from .test_relay import CHAT, DONE, HELLO, STOP, USAGE_ONLY


async def connect(
    proxy: Running, body: JsonObject
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection on which the request has been sent."""
    reader, writer = await asyncio.open_connection(*proxy.proxy.data_address)
    data = json.dumps(body).encode()
    auth = bearer(claims())["Authorization"]
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: {auth}\r\n"
    writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
    return reader, writer


def leave(writer: asyncio.StreamWriter, how: str) -> None:
    """Close politely (FIN) or with a reset, as a killed process with unread data does."""
    if how == "fin":
        writer.close()
        return
    sock: socket.socket = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@pytest.mark.parametrize("how", ["fin", "reset"])
async def test_litellm_33736_and_36008_a_stream_is_drained_for_its_usage(
    proxy: Running, provider: FakeProvider, how: str
) -> None:
    more = [step for _ in range(5) for step in (0.03, chunk(HELLO))]
    provider.script = [sse_head(), chunk(HELLO), *more, chunk(STOP + USAGE_ONLY + DONE), LAST_CHUNK]
    reader, writer = await connect(proxy, chat_body("chat", stream=True))
    await reader.readuntil(b"null}")
    leave(writer, how)
    call = (await proxy.settled())[0]
    assert (call["status"], call["client_gone"]) == ("ok", True)
    assert (call["input_tokens"], call["output_tokens"]) == (100, 20)
    assert provider.finished == 1


async def test_mesh_llm_1406_a_client_that_leaves_before_the_first_byte(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [0.2, json_response(CHAT)]
    _, writer = await connect(proxy, chat_body("chat"))
    await until(lambda: provider.heard)
    leave(writer, "reset")
    call = (await proxy.settled())[0]
    assert (call["status"], call["output_tokens"]) == ("ok", 20)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("model", ["chat", "demo"])
async def test_mesh_llm_1448_a_half_close_still_gets_the_answer(
    proxy: Running, provider: FakeProvider, stream: bool, model: str
) -> None:
    if stream:
        provider.script = [0.1, sse_head(), chunk(HELLO), 0.1, chunk(STOP + DONE), LAST_CHUNK]
    else:
        provider.script = [0.1, json_response(CHAT)]
    reader, writer = await connect(proxy, chat_body(model, stream=stream))
    writer.write_eof()
    answer = await asyncio.wait_for(reader.read(), 5)
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"0\r\n\r\n" if stream else b"}")
    call = (await proxy.settled())[0]
    assert (call["status"], call["client_gone"]) == ("ok", False)
    writer.close()


async def test_a_half_close_in_the_middle_of_the_request_is_a_disconnect(proxy: Running) -> None:
    reader, writer = await asyncio.open_connection(*proxy.proxy.data_address)
    auth = bearer(claims())["Authorization"]
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: {auth}\r\n"
    writer.write(f"{head}Content-Length: 100\r\n\r\n{{".encode())
    writer.write_eof()
    assert await asyncio.wait_for(reader.read(), 5) == b""
    assert (await proxy.total())["requests"] == 0
    writer.close()


async def test_an_idle_connection_ends_with_its_client(proxy: Running) -> None:
    reader, writer = await connect(proxy, chat_body())
    await reader.readuntil(b"}}}")
    writer.write_eof()
    assert await asyncio.wait_for(reader.read(), 5) == b""
    writer.close()


def bounded(
    folder: Path, provider: FakeProvider, **bounds: float
) -> AbstractAsyncContextManager[Running]:
    return running(folder, provider.port, extra={"bounds": dict(bounds)})


async def test_litellm_9178_draining_is_bounded_in_time(
    tmp_path: Path, provider: FakeProvider
) -> None:
    provider.script = [sse_head(), chunk(HELLO), 30]
    async with bounded(tmp_path, provider, drainSeconds=0.1) as proxy:
        reader, writer = await connect(proxy, chat_body("chat", stream=True))
        await reader.readuntil(b"data:")
        leave(writer, "reset")
        call = (await proxy.settled())[0]
        assert (call["status"], call["usage_source"]) == ("drain_cut", "unknown")
        assert (await proxy.total())["unknown_usage"] == 1


async def test_draining_is_bounded_in_bytes(tmp_path: Path, provider: FakeProvider) -> None:
    provider.script = [sse_head(), *[step for _ in range(50) for step in (chunk(HELLO), 0.01)]]
    async with bounded(tmp_path, provider, drainBytes=500) as proxy:
        reader, writer = await connect(proxy, chat_body("chat", stream=True))
        await reader.readuntil(b"data:")
        leave(writer, "reset")
        call = (await proxy.settled())[0]
        assert call["status"] == "drain_cut"
        assert int(str(call["response_bytes"])) < 50 * len(HELLO)
        await until(lambda: provider.broken)


async def test_a_client_that_stops_reading_counts_as_gone(
    tmp_path: Path, provider: FakeProvider
) -> None:
    big = chunk(b": " + b"x" * 50_000 + b"\n\n")
    provider.script = [sse_head(), *[big] * 200, chunk(STOP + USAGE_ONLY + DONE), LAST_CHUNK]
    async with bounded(tmp_path, provider, clientStallSeconds=0.2) as proxy:
        _, writer = await connect(proxy, chat_body("chat", stream=True))
        await until(lambda: provider.heard)
        call = (await proxy.settled())[0]
        assert (call["status"], call["client_gone"]) == ("ok", True)
        assert call["output_tokens"] == 20
        leave(writer, "reset")


async def test_a_provider_that_falls_silent_is_given_up(
    tmp_path: Path, provider: FakeProvider
) -> None:
    provider.script = [sse_head(), chunk(HELLO), 30]
    async with bounded(tmp_path, provider, idleSeconds=0.2) as proxy:
        reader, writer = await connect(proxy, chat_body("chat", stream=True))
        answer = await asyncio.wait_for(reader.read(), 5)
        assert answer.endswith(chunk(HELLO)), "cut, not ended"
        assert (await proxy.settled())[0]["status"] == "truncated"
        writer.close()


async def test_bifrost_2971_the_idle_bound_starts_anew_with_each_event(
    tmp_path: Path, provider: FakeProvider
) -> None:
    slow = [step for _ in range(4) for step in (chunk(HELLO), 0.3)]
    provider.script = [sse_head(), *slow, chunk(STOP + DONE), LAST_CHUNK]
    async with bounded(tmp_path, provider, idleSeconds=1.0) as proxy:
        reply = await proxy.post("/v1/chat/completions", chat_body("chat", stream=True))
        assert reply.body == HELLO * 4 + STOP + DONE
