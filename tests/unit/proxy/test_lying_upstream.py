"""An upstream that lies in every way: what the client gets is what was sent, and the count is right or
marked as not known."""

import json
from collections.abc import Callable
from dataclasses import dataclass

import aiohttp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright_proxy.jsonvalue import Json, JsonObject, as_count, as_object
from benchwright_proxy.routes import Endpoint
from benchwright_proxy.tap import make_tap
from benchwright_proxy.usage.record import Answer

from .helpers import FakeProvider, Running, bearer, chat_body, chunk, claims, message_body, sse_head
from .test_tap import cut

Said = tuple[int | None, int | None]


def event(data: Json, name: str = "", end: str = "\n") -> bytes:
    head = f"event: {name}{end}" if name else ""
    return f"{head}data: {json.dumps(data)}{end}{end}".encode()


@dataclass(frozen=True)
class Dialect:
    """How one dialect tells usage: `tell` makes an event of (input, output), `end` ends a stream,
    `hear` reads what an event says, None for nothing."""

    endpoint: Endpoint
    path: str
    body: JsonObject
    tell: Callable[[int, int], list[JsonObject]]
    end: "list[Json]"
    hear: Callable[[JsonObject, Said], Said]


def hear_chat(data: JsonObject, before: Said) -> Said:
    usage = as_object(data.get("usage"))
    if not usage:
        return before
    return as_count(usage.get("prompt_tokens")), as_count(usage.get("completion_tokens"))


def tell_chat(given: int, written: int) -> list[JsonObject]:
    usage: Json = {
        "prompt_tokens": given, "completion_tokens": written, "total_tokens": given + written,
    }  # fmt: skip
    return [{"choices": [], "usage": usage}]


def hear_messages(data: JsonObject, before: Said) -> Said:
    kind = data.get("type")
    if kind not in ("message_start", "message_delta"):
        return before
    usage = data.get("usage") or as_object(data.get("message")).get("usage")
    said = as_object(usage)
    given, written = as_count(said.get("input_tokens")), as_count(said.get("output_tokens"))
    if kind == "message_start":
        written = None  # a placeholder
    return before[0] if given is None else given, before[1] if written is None else written


def tell_messages(given: int, written: int) -> list[JsonObject]:
    start: Json = {"model": "m", "usage": {"input_tokens": given, "output_tokens": 1}}
    return [
        {"type": "message_start", "message": start},
        {"type": "message_delta", "delta": {}, "usage": {"output_tokens": written}},
    ]


def hear_responses(data: JsonObject, before: Said) -> Said:
    kind = data.get("type")
    if kind not in ("response.completed", "response.incomplete", "response.failed"):
        return before
    usage = as_object(as_object(data.get("response")).get("usage"))
    return as_count(usage.get("input_tokens")), as_count(usage.get("output_tokens"))


def tell_responses(given: int, written: int) -> list[JsonObject]:
    usage: Json = {"input_tokens": given, "output_tokens": written}
    response: Json = {"status": "incomplete", "usage": usage}
    return [{"type": "response.incomplete", "response": response}]


def hear_gemini(data: JsonObject, before: Said) -> Said:
    usage = as_object(data.get("usageMetadata"))
    if not usage:
        return before
    return as_count(usage.get("promptTokenCount")), as_count(usage.get("candidatesTokenCount"))


def tell_gemini(given: int, written: int) -> list[JsonObject]:
    usage: Json = {"promptTokenCount": given, "candidatesTokenCount": written}
    return [{"candidates": [{"content": {"parts": [{"text": "x"}]}}], "usageMetadata": usage}]


HI: Json = [{"role": "user", "content": "hi"}]
DIALECTS = (
    Dialect(
        Endpoint.CHAT, "/v1/chat/completions",
        chat_body("chat", stream=True, stream_options={"include_usage": True}),
        tell_chat, [{"choices": [{"delta": {}, "finish_reason": "stop"}]}, "[DONE]"], hear_chat,
    ),
    Dialect(
        Endpoint.MESSAGES, "/v1/messages", message_body("claude", stream=True), tell_messages,
        [
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
            {"type": "message_stop"},
        ],
        hear_messages,
    ),
    Dialect(
        Endpoint.RESPONSES, "/v1/responses", {"model": "chat", "input": "hi", "stream": True},
        tell_responses,
        [{"type": "response.completed", "response": {
            "status": "completed", "usage": {"input_tokens": 41, "output_tokens": 42}}}],
        hear_responses,
    ),
    Dialect(
        Endpoint.STREAM_GENERATE, "/v1beta/models/gem:streamGenerateContent?alt=sse",
        {"contents": [{"parts": [{"text": "hi"}]}]}, tell_gemini,
        [{"candidates": [{"finishReason": "STOP"}]}], hear_gemini,
    ),
)  # fmt: skip
NAMES = [dialect.endpoint.value for dialect in DIALECTS]

LIES: list[bytes] = [
    b": a comment\n\n",
    b"data: {not json}\n\n",
    b"data: [1,2]\n\n",
    b"data:\n\n",
    b"\n\n",
    b"\xff\xfe\x00\n\n",
    b"event: usage\ndata: 7\n\n",
    b"data: " + b"[" * 3000 + b"\n\n",
    b'data: {"usage":{"prompt_tokens":-5,"completion_tokens":"many","input_tokens":null}}\n\n',
    b'data: {"usage":"none","usageMetadata":3,"message":[],"response":null,"choices":{}}\n\n',
    b'data: {"type":"message_start","message":{"usage":[1]}}\n\n',
    b'data: {"candidates":{"x":1},"promptFeedback":[]}\n\n',
]


@st.composite
def streams(draw: st.DrawFn, dialect: Dialect) -> bytes:
    """Usage told several times, true or not, with rubbish between, and an end or none."""
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    parts: list[bytes] = [draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))]
    for _ in range(draw(st.integers(0, 3))):
        if draw(st.booleans()):
            parts.append(draw(st.sampled_from(LIES)))
        told = dialect.tell(draw(st.integers(0, 10**6)), draw(st.integers(0, 10**6)))
        parts += [event(data, end=end) for data in told]
    for last in dialect.end if draw(st.booleans()) else []:
        text = last if isinstance(last, str) else json.dumps(last)
        parts.append(f"data: {text}{end}{end}".encode())
    if draw(st.booleans()):
        parts.append(draw(st.sampled_from(LIES)))
    return b"".join(parts)


def heard(dialect: Dialect, stream: bytes) -> Said:
    """What the whole events of a stream say, read in the plainest way."""
    said: Said = (None, None)
    text = stream.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    for block in text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n"):
        lines = [line[5:].removeprefix(" ") for line in block.split("\n") if line[:5] == "data:"]
        try:
            data = json.loads("\n".join(lines))
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict):
            said = dialect.hear(data, said)
    return said


def told(dialect: Dialect, parts: list[bytes], *, clean: bool) -> tuple[bytes, Answer]:
    tap = make_tap(dialect.endpoint, "text/event-stream", "", withhold_usage=False, limit=10**6)
    passed = b"".join(tap.feed(part) for part in parts)
    last, answer = tap.finish(clean=clean)
    return passed + last, answer


@pytest.mark.parametrize("dialect", DIALECTS, ids=NAMES)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_lying_stream_that_ends_anywhere(dialect: Dialect, data: st.DataObject) -> None:
    stream = data.draw(streams(dialect))
    stream = stream[: data.draw(st.integers(0, len(stream)))]
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=6))
    clean = data.draw(st.booleans())
    passed, answer = told(dialect, cut(stream, cuts), clean=clean)
    assert passed == stream
    assert answer == told(dialect, [stream], clean=clean)[1], "it does not matter where it is cut"
    usage = answer.usage
    if usage.source == "provider":
        assert (usage.input_tokens, usage.output_tokens) == heard(dialect, stream)
    if usage.source == "unknown":
        assert (usage.input_tokens, usage.output_tokens) == (None, None)


async def received(proxy: Running, dialect: Dialect) -> tuple[bytes, bool]:
    """What the client gets, and whether its response ended as HTTP says."""
    body = b""
    url = proxy.data + dialect.path
    headers = bearer(claims())
    async with proxy.http.post(url, json=dialect.body, headers=headers) as response:
        try:
            async for part in response.content.iter_any():
                body += part
        except aiohttp.ClientError:
            return body, False
    return body, True


@pytest.mark.parametrize("dialect", DIALECTS, ids=NAMES)
async def test_a_stream_that_breaks_at_every_byte_arrives_so_far_and_is_never_final(
    proxy: Running, provider: FakeProvider, dialect: Dialect
) -> None:
    """Through the whole proxy: bytes, status and journal."""
    told_once = [event(data) for data in dialect.tell(30, 40)]
    ends = [event(e) if not isinstance(e, str) else f"data: {e}\n\n".encode() for e in dialect.end]
    stream = b"".join([*told_once, *ends])
    for length in range(1, len(stream)):
        provider.script = [sse_head(), chunk(stream[:length]), b"5\r\nx"]
        body, whole = await received(proxy, dialect)
        assert body.rstrip(b"x") == stream[:length].rstrip(b"x")
        assert not whole
    calls = await proxy.settled()
    assert len(calls) == len(range(1, len(stream)))
    assert {call["status"] for call in calls} <= {"truncated"}
    for call in calls:
        if call["usage_source"] == "provider":
            assert (call["input_tokens"], call["output_tokens"]) in ((30, 40), (41, 42))
        else:
            assert call["cost_nanos"] is None
