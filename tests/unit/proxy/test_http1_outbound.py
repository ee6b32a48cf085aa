"""The providers' side of HTTP/1.1: one request, one answer, whatever the provider sends."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from benchwright_proxy.http1 import outbound
from benchwright_proxy.http1.outbound import OutboundConnection, OutboundError

from .helpers import until

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n"


class Provider:
    """Sends `answers` on each request, then holds the connection open until told to close."""

    def __init__(self) -> None:
        self.answers: list[bytes] = []
        self.close_after = False
        self.writers: list[asyncio.StreamWriter] = []
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        while await reader.read(65536):
            for part in self.answers:
                writer.write(part)
                await writer.drain()
            if self.close_after:
                writer.close()
                return
        writer.close()


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    fake = Provider()
    server = await asyncio.start_server(fake.serve, "127.0.0.1", 0)
    fake.port = server.sockets[0].getsockname()[1]
    yield fake
    server.close()
    for writer in fake.writers:
        writer.close()


async def connected(
    provider: Provider, free: Callable[[OutboundConnection], None], idle: float = 5.0
) -> OutboundConnection:
    loop = asyncio.get_running_loop()
    _, made = await loop.create_connection(
        lambda: OutboundConnection(idle, free), "127.0.0.1", provider.port
    )
    return made


async def asked(
    provider: Provider, *answers: bytes, close: bool = False
) -> tuple[int, bytes, str, int]:
    """Status, body, the error's text, and how often the connection was given back."""
    provider.answers, provider.close_after = list(answers), close
    freed: list[OutboundConnection] = []
    connection = await connected(provider, freed.append)
    incoming = connection.request(HEAD, b"{}")
    body = b""
    try:
        await incoming.head()
        while part := await incoming.read():
            body += part
    except OutboundError as error:
        return incoming.status, body, str(error), len(freed)
    finally:
        connection.abort()
    return incoming.status, body, "", len(freed)


OK = b"HTTP/1.1 200 OK\r\n"
WHOLE = {
    "a length": (OK + b"Content-Length: 5\r\n\r\nhello", 1),
    "chunks": (OK + b"Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nT: v\r\n\r\n", 1),
    "an interim answer first": (
        b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + OK + b"Content-Length: 5\r\n\r\nhello", 1,
    ),
    "the last of the connection": (OK + b"Connection: close\r\nContent-Length: 5\r\n\r\nhello", 0),
    "an answer and another": (
        OK + b"Content-Length: 5\r\n\r\nhello" + OK + b"Content-Length: 4\r\n\r\nevil", 0,
    ),
    "an answer and rubbish": (OK + b"Content-Length: 5\r\n\r\nhello\x00\x01", 0),
}  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
async def test_a_whole_answer_and_whether_its_connection_is_used_again(
    provider: Provider, name: str
) -> None:
    answer, freed = WHOLE[name]
    assert await asked(provider, answer) == (200, b"hello", "", freed)


@pytest.mark.parametrize("name", ["a length", "chunks", "an interim answer first"])
async def test_an_answer_cut_at_every_byte_is_the_same_answer(
    provider: Provider, name: str
) -> None:
    answer, _ = WHOLE[name]
    for at in range(1, len(answer)):
        status, body, error, _ = await asked(provider, answer[:at], answer[at:])
        assert (status, body, error) == (200, b"hello", "")


@pytest.mark.parametrize("name", ["a length", "chunks"])
async def test_an_answer_that_breaks_at_every_byte_is_never_whole(
    provider: Provider, name: str
) -> None:
    answer, _ = WHOLE[name]
    for at in range(len(answer)):
        _, body, error, freed = await asked(provider, answer[:at], close=True)
        assert b"hello".startswith(body)
        assert "lost" in error
        assert not freed


async def test_a_body_without_framing_ends_with_its_connection(provider: Provider) -> None:
    assert await asked(provider, OK + b"\r\nhello", close=True) == (200, b"hello", "", 0)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        OK + b"X: " + b"y" * outbound.HEAD_BYTES + b"\r\n\r\n",
        b"SSH-2.0-OpenSSH\r\n",
    ],
    ids=["an upgrade", "two lengths", "an endless head", "another protocol"],
)
async def test_what_is_no_answer_is_none(provider: Provider, answer: bytes) -> None:
    _, body, error, freed = await asked(provider, answer)
    assert (body, freed) == (b"", 0)
    assert "not HTTP" in error


async def test_what_comes_unasked_never_becomes_the_next_answer(provider: Provider) -> None:
    provider.answers = [OK + b"Content-Length: 5\r\n\r\nhello"]
    freed: list[OutboundConnection] = []
    connection = await connected(provider, freed.append)
    incoming = connection.request(HEAD, b"{}")
    await incoming.head()
    assert [await incoming.read(), await incoming.read()] == [b"hello", b""]
    assert freed == [connection]
    assert connection.usable
    provider.writers[0].write(OK + b"Content-Length: 4\r\n\r\nevil")
    await until(lambda: not connection.usable)
    assert connection.request(HEAD, b"{}") is not incoming


async def test_a_provider_that_is_silent_for_too_long(provider: Provider) -> None:
    connection = await connected(provider, lambda _: None, idle=0.05)
    incoming = connection.request(HEAD, b"{}")
    with pytest.raises(OutboundError, match="silent"):
        await incoming.head()


async def test_a_slow_reader_makes_the_provider_wait_and_that_is_no_silence(
    provider: Provider,
) -> None:
    size = 32 * 2**20
    provider.answers = [OK + f"Content-Length: {size}\r\n\r\n".encode(), b"x" * size]
    connection = await connected(provider, lambda _: None, idle=0.1)
    incoming = connection.request(HEAD, b"{}")
    await incoming.head()
    await asyncio.sleep(0.4)  # longer than its silence may last
    assert incoming._size <= 2 * outbound.HIGH_WATER
    read = 0
    while part := await incoming.read():
        read += len(part)
    assert read == size
