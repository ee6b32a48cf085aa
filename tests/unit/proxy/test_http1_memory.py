"""Connections are gone when they are closed: the collector of cycles is told to run seldom (server.py)."""

import asyncio
import gc
import json
from collections import Counter
from collections.abc import Iterator

import pytest

from .helpers import (
    LAST_CHUNK,
    FakeProvider,
    Running,
    bearer,
    chat_body,
    chunk,
    claims,
    sse_head,
    until,
)

BODY = json.dumps(chat_body("chat", stream=True)).encode()
ASKED = (
    f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: {bearer(claims())['Authorization']}\r\n"
    f"Content-Length: {len(BODY)}\r\n\r\n"
).encode() + BODY


@pytest.fixture
def no_collector() -> Iterator[None]:
    """What it would have collected is kept in gc.garbage."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    yield
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


@pytest.mark.parametrize("how", ["to the end", "left in the middle", "no HTTP", "refused"])
async def test_what_a_connection_was_leaves_nothing_to_collect(
    proxy: Running, provider: FakeProvider, no_collector: None, how: str
) -> None:
    provider.script = [
        sse_head(),
        chunk(b"data: {}\n\n"),
        0.01,
        chunk(b"data: [DONE]\n\n"),
        LAST_CHUNK,
    ]
    for _ in range(5):
        reader, writer = await asyncio.open_connection(*proxy.proxy.data_address)
        writer.write(
            {"no HTTP": b"\x16\x03", "refused": ASKED.replace(b"sk-bw", b"sk-no")}.get(how, ASKED)
        )
        await reader.readuntil(b"{}\n\n" if how == "left in the middle" else b"\r\n\r\n")
        if how == "to the end":
            await reader.readuntil(LAST_CHUNK)
        writer.close()
    ledger, listener = proxy.proxy.ledger, proxy.proxy._listener
    await until(
        lambda: not listener._connections and not listener.running and not ledger.in_flight()
    )
    await asyncio.sleep(0.05)  # transports say that they are gone a little later
    gc.collect()
    found = Counter(type(thing).__qualname__ for thing in gc.garbage)
    assert not {
        name for name in found if name.startswith(("Inbound", "Outbound", "Http", "Call"))
    }, found
