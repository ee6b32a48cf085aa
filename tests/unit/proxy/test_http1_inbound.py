"""The agents' side of HTTP/1.1: what comes is taken as one reading, or refused and nothing behind it."""

import asyncio
import contextlib
import json
import re

import pytest

from benchwright_proxy.http1 import inbound

from .helpers import FakeProvider, Running, bearer, chat_body, chunk, claims, json_response, until
from .test_relay import CHAT

AUTH = bearer(claims())["Authorization"]
BODY = json.dumps(chat_body()).encode()
HEAD = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: {AUTH}\r\n"
WITH_LENGTH = f"{HEAD}Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY
CHUNKED = (
    f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode()
    + chunk(BODY[:9]) + chunk(BODY[9:]) + b"0\r\nX-Trailer: y\r\n\r\n"
)  # fmt: skip
PROBE = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
OLD = b"GET /healthz HTTP/1.0\r\n\r\n"
LAST = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


async def said(proxy: Running, *parts: bytes) -> bytes:
    """All that comes back for these packets, until the proxy closes (it is asked to, at the end)."""
    reader, writer = await asyncio.open_connection(*proxy.proxy.data_address)
    for part in parts:
        writer.write(part)
        await writer.drain()
        await asyncio.sleep(0)
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    return answer


@pytest.mark.parametrize("request_", [WITH_LENGTH, CHUNKED], ids=["length", "chunks"])
async def test_a_request_in_single_bytes_is_the_same_request(
    proxy: Running, request_: bytes
) -> None:
    answer = await said(proxy, *[bytes([byte]) for byte in request_], LAST)
    assert answer.count(b"HTTP/1.1 200 OK") == 2
    assert b"Hello there." in answer
    assert len(await proxy.settled()) == 1


async def test_requests_in_one_packet_are_answered_in_their_order(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [0.05, json_response(CHAT)]
    slow = json.dumps(chat_body("chat")).encode()
    first = f"{HEAD}Content-Length: {len(slow)}\r\n\r\n".encode() + slow
    answer = await said(proxy, first + PROBE + WITH_LENGTH + LAST)
    where = [answer.index(mark) for mark in (CHAT, b'benchwright-proxy"}', b"Hello there.")]
    assert where == sorted(where)
    assert answer.count(b"HTTP/1.1 200 OK") == 4


async def test_a_request_that_is_half_there_when_the_one_before_is_answered_is_read_on(
    proxy: Running,
) -> None:
    reader, writer = await asyncio.open_connection(*proxy.proxy.data_address)
    writer.write(WITH_LENGTH + WITH_LENGTH[:-5])
    await asyncio.wait_for(reader.readuntil(b"Hello there."), 5)
    writer.write(WITH_LENGTH[-5:] + LAST)
    rest = await asyncio.wait_for(reader.read(), 5)
    assert rest.count(b"HTTP/1.1 200 OK") == 2
    writer.close()


NOT_HTTP = {
    "two lengths": b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
    "a length and chunks": b"POST / HTTP/1.1\r\nContent-Length: 4\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a chunk without a size": b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "a space before the colon": b"GET / HTTP/1.1\r\nHost : x\r\n\r\n",
    "a NUL in a header": b"GET / HTTP/1.1\r\nHost: x\0y\r\n\r\n",
    "no HTTP at all": b"\x16\x03\x01\x02\x00\x01",
    "bare line feeds": b"GET / HTTP/1.1\nHost: x\n\n",
}


@pytest.mark.parametrize("name", NOT_HTTP)
async def test_what_can_be_read_in_two_ways_ends_the_connection(proxy: Running, name: str) -> None:
    answer = await said(proxy, NOT_HTTP[name] + PROBE + LAST)
    statuses = re.findall(rb"^HTTP/1\.1 (\d+) ", answer, re.MULTILINE)
    assert statuses[-1] == b"400"
    assert b"200" not in statuses, "nothing behind it is answered"
    assert b"Connection: close" in answer
    assert (await proxy.total())["requests"] == 0


async def test_a_head_without_end_is_not_kept(proxy: Running) -> None:
    endless = b"GET /healthz HTTP/1.1\r\n" + b"X-A: b\r\n" * (inbound.HEAD_BYTES // 32)
    assert (await said(proxy, endless)).startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize("name", ["header", "trailer"])
async def test_one_header_without_end_is_not_kept(proxy: Running, name: str) -> None:
    start = b"GET /healthz HTTP/1.1\r\nX-A: " if name == "header" else CHUNKED[:-3]
    reader, writer = await asyncio.open_connection(*proxy.proxy.data_address)
    writer.write(start)
    for _ in range(12):
        if not writer.transport.is_closing():  # it may be closed before all of this is sent
            writer.write(b"b" * inbound.HEAD_BYTES)
        await asyncio.sleep(0.01)
    with contextlib.suppress(ConnectionError):  # it was closed while this was still sent
        assert (await asyncio.wait_for(reader.read(), 10)).startswith(b"HTTP/1.1 431 ")
    writer.close()
    assert not [c for c in proxy.proxy._listener._connections if c._in_head]
    assert (await proxy.total())["requests"] == 0


async def test_who_asks_on_and_reads_nothing_has_to_wait(proxy: Running) -> None:
    reader, writer = await asyncio.open_connection(*proxy.proxy.data_address, limit=1)
    many = 60_000
    writer.write(PROBE * many + LAST)
    listener = proxy.proxy._listener
    await until(lambda: any(c.congested for c in listener._connections))
    (connection,) = listener._connections
    assert connection.transport is not None
    assert connection.transport.get_write_buffer_size() < 2**17
    answers = await asyncio.wait_for(reader.read(), 20)
    assert answers.count(b"HTTP/1.1 200 OK") == many + 1
    writer.close()


async def test_an_old_client_gets_no_chunks_and_its_end(
    proxy: Running, provider: FakeProvider
) -> None:
    assert (await said(proxy, OLD)).endswith(b'{"service":"benchwright-proxy"}')
    unsized = json_response(CHAT).replace(b"Content-Length", b"X-Length")
    provider.script = [unsized]
    body = json.dumps(chat_body("chat")).encode()
    head = f"{HEAD}Content-Length: {len(body)}\r\n\r\n".replace("HTTP/1.1", "HTTP/1.0").encode()
    answer = await said(proxy, head + body)
    assert b"chunked" not in answer
    assert answer.endswith(b"\r\n\r\n" + CHAT)


@pytest.mark.parametrize(
    "upgrade",
    [b"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n", b"Connection: close\r\n"],
)
async def test_nothing_behind_a_last_request_is_answered(proxy: Running, upgrade: bytes) -> None:
    asked = b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + upgrade + b"\r\n"
    assert (await said(proxy, asked + PROBE + PROBE)).count(b"HTTP/1.1 200 OK") == 1


async def test_a_body_that_nobody_wants_is_answered_before_it_ends(proxy: Running) -> None:
    reader, writer = await asyncio.open_connection(*proxy.proxy.data_address)
    writer.write(HEAD.replace(AUTH, "Bearer sk-bw-forged.x").encode())
    writer.write(b"Content-Length: 1000000\r\n\r\n{")
    answer = await asyncio.wait_for(reader.readuntil(b"}}"), 5)
    assert answer.startswith(b"HTTP/1.1 401 ")
    writer.write(b" " * 999_999)
    assert await asyncio.wait_for(reader.read(), 5) == b"", "it was read to its end, then closed"
    writer.close()


async def test_connections_that_only_pretend_are_closed(proxy: Running) -> None:
    reader, writer = await asyncio.open_connection(*proxy.proxy.data_address)
    writer.write(b"GET /healthz HTTP/1.1\r\nX-Slow: ")
    await writer.drain()
    listener = proxy.proxy._listener
    await until(lambda: any(c._in_head for c in listener._connections))
    now = asyncio.get_running_loop().time()
    for connection in list(listener._connections):
        connection.sweep(now + inbound.HEAD_SECONDS - 5)
    assert listener._connections
    for connection in list(listener._connections):
        connection.sweep(now + inbound.HEAD_SECONDS + 5)
    assert await asyncio.wait_for(reader.read(), 5) == b""
    writer.close()
