"""An agent that sends too much, or too often: it is refused, and nobody else notices."""

import asyncio
import contextlib
import json
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchwright_proxy import ledger
from benchwright_proxy.jsonvalue import JsonObject
from benchwright_proxy.token import Limits

from .helpers import (
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
from .test_relay import CHAT

KIB = 1024
ROOM: JsonObject = {"bounds": {"bodiesBytes": 1000 * KIB, "requestBytes": 900 * KIB}}


def head(uid: str, length: int) -> bytes:
    token = bearer(claims(trial_uid=uid))["Authorization"]
    return (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n"
        f"Content-Length: {length}\r\n\r\n"
    ).encode()


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def connect(proxy: Running, from_: str = "127.0.0.1") -> Connection:
    return await asyncio.open_connection(
        *proxy.proxy.data_address, local_addr=(from_, 0), limit=2**20
    )


async def begin(proxy: Running, uid: str, sent: int, length: int) -> Connection:
    """A request of which only the start of the body is sent."""
    reader, writer = await connect(proxy)
    writer.write(head(uid, length) + b" " * sent)
    await writer.drain()
    return reader, writer


def room(proxy: Running) -> int:
    return proxy.proxy.data.serving.room.total


async def test_bodies_that_never_end_fill_no_memory_and_keep_nobody_out(
    tmp_path: Path, provider: FakeProvider
) -> None:
    provider.script = [json_response(CHAT)]
    async with running(tmp_path, provider.port, extra=ROOM) as proxy:
        greedy = [await begin(proxy, "greedy", 300 * KIB, 800 * KIB) for _ in range(8)]
        await until(lambda: room(proxy) == 900 * KIB)
        refused = greedy[-1][0]
        assert (await refused.readline()).startswith(b"HTTP/1.1 503")
        said = await refused.readuntil(b"\r\n\r\n")
        assert b"x-should-retry: true\r\nretry-after: 1\r\n" in said
        assert (await proxy.total("greedy"))["refused"] == 5
        body = chat_body("chat", user="x" * 300 * KIB)
        modest = await proxy.post("/v1/chat/completions", body, token=claims(trial_uid="modest"))
        assert modest.status == 200
        assert room(proxy) == 900 * KIB
        for _, writer in greedy:
            writer.close()
        await until(lambda: room(proxy) == 0)


async def in_one(proxy: Running, data: bytes) -> None:
    """Send this, and read until the proxy closes, or close after a moment."""
    reader, writer = await connect(proxy)
    writer.write(data)
    with contextlib.suppress(TimeoutError, ConnectionError):
        await asyncio.wait_for(reader.read(), 0.2)
    writer.close()


BODY = json.dumps(chat_body()).encode()
AUTH = head("uid-1", 0).partition(b"Content-Length")[0]
ENDS = {
    "answered": head("uid-1", len(BODY)) + BODY,
    "two, answered": (head("uid-1", len(BODY)) + BODY) * 2,
    "not JSON": head("uid-1", 9) + b"not JSON!",
    "too large": AUTH + b"Transfer-Encoding: chunked\r\n\r\n" + chunk(b" " * 950 * KIB),
    "cut off": head("uid-1", 500) + BODY[:20],
    "broken chunk": AUTH + b"Transfer-Encoding: chunked\r\n\r\n" + chunk(b" " * 99) + b"zz\r\n",
    "cut off behind another": head("uid-1", len(BODY)) + BODY + head("uid-1", 500) + BODY[:20],
}


@pytest.mark.parametrize("end", ENDS)
async def test_room_is_given_back_however_a_request_ends(tmp_path: Path, end: str) -> None:
    async with running(tmp_path, extra=ROOM) as proxy:
        await in_one(proxy, ENDS[end])
        await until(lambda: room(proxy) == 0)
        assert proxy.proxy.data.serving.room._held == {}


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.parametrize(
    "said", [b"", sse_head() + chunk(b": first\n\n")], ids=["thinks", "writes"]
)
async def test_a_body_is_let_go_when_the_provider_has_it(
    tmp_path: Path, provider: FakeProvider, traced: None, said: bytes
) -> None:
    gate = asyncio.Event()
    provider.script = [said, gate]
    piece = b'"' + b"x" * (64 * KIB - 3) + b'",'
    start, pieces = b'{"model":"chat","stream":true,"messages":[', 200
    length = len(start) + pieces * len(piece) + len(b'""]}')
    async with running(tmp_path, provider.port) as proxy:
        reader, writer = await connect(proxy)
        writer.write(head("uid-1", length) + start)
        for _ in range(pieces):
            writer.write(piece)
            await writer.drain()
        writer.write(b'""]}')
        await until(lambda: provider.heard)
        if said:
            await reader.readuntil(b": first")
        provider.heard.clear()
        held, _ = tracemalloc.get_traced_memory()
        assert room(proxy) == 0
        assert held < length // 2, f"{held} bytes are held while an answer streams"
        gate.set()
        writer.close()
        await until(lambda: not proxy.proxy.ledger.in_flight())


@contextlib.asynccontextmanager
async def few_connections(proxy: Running, most: int) -> AsyncIterator[list[asyncio.StreamWriter]]:
    proxy.proxy._listener._most = most
    opened: list[asyncio.StreamWriter] = []
    yield opened
    for writer in opened:
        writer.close()


async def test_connections_of_one_address_keep_no_other_out(
    proxy: Running, provider: FakeProvider
) -> None:
    gate = asyncio.Event()
    provider.script = [gate, json_response(CHAT)]
    listener = proxy.proxy._listener
    async with few_connections(proxy, 12) as opened:
        honest, writer = await connect(proxy)
        opened.append(writer)
        body = json.dumps(chat_body("chat")).encode()
        greedy, busy = await connect(proxy, "127.0.0.2")
        busy.write(head("uid-1", len(body)) + body)
        await until(lambda: provider.heard)
        for _ in range(40):
            opened.append((await connect(proxy, "127.0.0.2"))[1])
        await until(lambda: len(listener._connections) == 12)
        # Another newcomer gets in, at the cost of whoever has most.
        late, later = await connect(proxy, "127.0.0.3")
        for reader, one in ((honest, writer), (late, later)):
            one.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        gate.set()
        assert (await greedy.readline()).startswith(b"HTTP/1.1 200"), "what is answered goes on"
        opened += [busy, later]
    await until(lambda: not listener._connections)
    assert listener._by_peer == {}


async def test_an_attempt_has_so_many_calls_under_way_and_no_more(
    proxy: Running, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "MAX_CONCURRENT", 3)
    gate = asyncio.Event()
    provider.script = [gate, json_response(CHAT)]
    calls = [asyncio.create_task(proxy.chat("chat")) for _ in range(3)]
    await until(lambda: proxy.proxy.ledger.in_flight() == 3)
    fourth = await proxy.chat("chat")
    assert (fourth.status, fourth.headers["retry-after"]) == (429, "1")
    token = replace(claims(limits=Limits(requests=9)), trial_uid="uid-2")
    other = asyncio.create_task(proxy.post("/v1/chat/completions", chat_body("chat"), token=token))
    await until(lambda: proxy.proxy.ledger.in_flight() == 4)
    gate.set()
    assert [reply.status for reply in await asyncio.gather(*calls, other)] == [200] * 4
    assert (await proxy.usage())["limit_hit"] is None


async def test_many_headers_or_parameters_are_refused_before_they_take_time(proxy: Running) -> None:
    reader, writer = await connect(proxy)
    writer.write(b"GET /healthz HTTP/1.1\r\n" + b"a:b\r\n" * 2000 + b"\r\n")
    assert (await reader.readline()).startswith(b"HTTP/1.1 431")
    writer.close()
    reader, writer = await connect(proxy)
    writer.write(b"GET /v1/models?key=x" + b"&a" * 51 + b" HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (await reader.readline()).startswith(b"HTTP/1.1 400")
    writer.close()


async def test_an_attempt_without_a_budget_cannot_fill_the_journal(
    proxy: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "MAX_CALLS", 2)
    assert [(await proxy.chat()).status for _ in range(3)] == [200, 200, 400]
    assert (await proxy.usage())["limit_hit"] == "requests"
