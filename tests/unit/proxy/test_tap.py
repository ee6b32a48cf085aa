"""A stream cut at any byte gives the same usage, and the client the same bytes."""

import gzip
import json
import zlib
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright_proxy.jsonvalue import Json, JsonObject
from benchwright_proxy.routes import Endpoint
from benchwright_proxy.tap import Tap, make_tap
from benchwright_proxy.usage.record import UNKNOWN, Answer

SSE = "text/event-stream; charset=utf-8"
USAGE: JsonObject = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


def tap(
    endpoint: Endpoint = Endpoint.CHAT,
    kind: str = SSE,
    encoding: str = "",
    *,
    withhold: bool = False,
    limit: int = 100_000,
) -> Tap:
    return make_tap(endpoint, kind, encoding, withhold_usage=withhold, limit=limit)


def run(tapped: Tap, parts: list[bytes], *, clean: bool = True) -> tuple[bytes, Answer]:
    passed = b"".join(tapped.feed(part) for part in parts)
    last, answer = tapped.finish(clean=clean)
    return passed + last, answer


def cut(stream: bytes, at: list[int]) -> list[bytes]:
    bounds = [0, *sorted(at), len(stream)]
    return [stream[start:end] for start, end in pairwise(bounds)]


ends = st.sampled_from(["\n", "\r\n", "\r"])
texts = st.text(max_size=4)


@st.composite
def chat_streams(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A chat stream, and the same without the chunks that carry nothing but usage."""
    end = draw(ends)
    ascii_only = draw(st.booleans())

    def event(data: Json) -> bytes:
        text = json.dumps(data, ensure_ascii=ascii_only)
        return f"data: {text}{end}{end}".encode("utf-8", "surrogatepass")

    parts: list[tuple[bytes, bool]] = []
    for text in draw(st.lists(texts, max_size=2)):
        parts.append((event({"choices": [{"delta": {"content": text}}], "usage": None}), False))
        if draw(st.booleans()):
            parts.append((f": comment{end}{end}".encode(), False))
    parts.append((event({"choices": [{"delta": {}, "finish_reason": "stop"}]}), False))
    parts.append((event({"choices": [], "usage": USAGE}), True))
    if draw(st.booleans()):
        parts.append((f"data: [DONE]{end}{end}".encode(), False))
    whole = b"".join(data for data, _ in parts)
    return whole, b"".join(data for data, usage_only in parts if not usage_only)


@settings(max_examples=12, deadline=None)
@given(chat_streams(), st.booleans())
def test_a_chat_stream_cut_at_every_byte(streams: tuple[bytes, bytes], withhold: bool) -> None:
    whole, without_usage = streams
    expected = run(tap(withhold=withhold), [whole])
    assert expected[0] == (without_usage if withhold else whole)
    assert expected[1].usage.output_tokens == 3
    for at in range(1, len(whole)):
        assert run(tap(withhold=withhold), cut(whole, [at])) == expected
    assert run(tap(withhold=withhold), cut(whole, list(range(1, len(whole))))) == expected


MESSAGE = (
    b'event: message_start\r\ndata: {"type":"message_start","message":{"model":"c","usage":'
    b'{"input_tokens":5,"cache_read_input_tokens":4,"output_tokens":1}}}\r\n\r\n'
    b'event: ping\r\ndata: {"type":"ping"}\r\n\r\n'
    b'event: message_delta\r\ndata: {"type":"message_delta",\r\n'
    b'data: "delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}\r\n\r\n'
    b'event: message_stop\r\ndata: {"type":"message_stop"}\r\n\r\n'
)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.integers(0, len(MESSAGE)), max_size=20))
def test_a_message_stream_cut_anywhere(cuts: list[int]) -> None:
    passed, answer = run(tap(Endpoint.MESSAGES), cut(MESSAGE, cuts))
    assert passed == MESSAGE
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (9, 9)
    assert answer.complete


def test_nothing_waits_for_the_end_of_its_event() -> None:
    assert tap().feed(b'data: {"cho') == b'data: {"cho'


def test_with_withholding_only_the_event_under_way_waits() -> None:
    tapped = tap(withhold=True)
    first = b'data: {"choices":[{}]}\n\n'
    assert tapped.feed(first + b'data: {"ch') == first


def test_a_crlf_cut_behind_the_withheld_chunk_leaves_no_stray_byte() -> None:
    stream = b'data: {"choices":[],"usage":{"prompt_tokens":1}}\r\n\r\ndata: [DONE]\r\n\r\n'
    at = stream.index(b"data: [DONE]") - 1
    assert run(tap(withhold=True), cut(stream, [at]))[0] == b"data: [DONE]\r\n\r\n"


def test_usage_on_a_chunk_with_choices_is_not_withheld() -> None:
    stream = b'data: {"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}\n\n'
    assert run(tap(withhold=True), [stream])[0] == stream


BODY = json.dumps({"choices": [{"finish_reason": "stop"}], "usage": USAGE}).encode()


@pytest.mark.parametrize(
    ("encoding", "coded"),
    [("gzip", gzip.compress(BODY)), ("deflate", zlib.compress(BODY)), ("identity", BODY)],
)
def test_an_encoded_body_passes_unchanged_and_is_read(encoding: str, coded: bytes) -> None:
    passed, answer = run(tap(kind="application/json", encoding=encoding), cut(coded, [3, 9]))
    assert passed == coded
    assert answer.usage.output_tokens == 3


def test_ai_gateway_1927_a_gzipped_stream_is_read_through_one_decoder() -> None:
    said: list[Json] = [{"choices": [{}]}, {"choices": [], "usage": USAGE}]
    stream = b"".join(b"data: " + json.dumps(data).encode() + b"\n\n" for data in said)
    coded = gzip.compress(stream + b"data: [DONE]\n\n")
    passed, answer = run(
        tap(encoding="gzip", withhold=True), cut(coded, list(range(1, len(coded))))
    )
    assert passed == coded, "a chunk cannot be taken out of a compressed stream"
    assert answer.usage.output_tokens == 3


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, br"])
def test_a_coding_that_cannot_be_read_passes_with_unknown_usage(encoding: str) -> None:
    passed, answer = run(tap(kind="application/json", encoding=encoding), [b"\x01\x02"])
    assert (passed, answer.usage) == (b"\x01\x02", UNKNOWN)


def test_broken_gzip_passes_with_unknown_usage() -> None:
    passed, answer = run(tap(encoding="gzip"), [b"not gzip", b" at all"])
    assert (passed, answer.usage) == (b"not gzip at all", UNKNOWN)


def test_a_decompression_bomb_stops_being_read() -> None:
    coded = gzip.compress(b" " * 5_000_000 + BODY)
    passed, answer = run(tap(kind="application/json", encoding="gzip", limit=1000), [coded])
    assert (passed, answer.usage) == (coded, UNKNOWN)


def test_agentgateway_1685_a_body_past_the_limit_passes_with_unknown_usage() -> None:
    passed, answer = run(tap(kind="application/json", limit=10), [BODY, b" "])
    assert (passed, answer.usage, answer.complete) == (BODY + b" ", UNKNOWN, True)


def test_ai_gateway_2162_an_event_in_many_reads_is_read() -> None:
    big: Json = {"choices": [], "usage": USAGE, "padding": "x" * 50_000}
    stream = b"data: " + json.dumps(big).encode() + b"\n\ndata: [DONE]\n\n"
    _, answer = run(tap(), cut(stream, list(range(0, len(stream), 1000))))
    assert answer.usage.output_tokens == 3


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff", b"[" * 100_000, b'{"usage": {'])
def test_a_body_that_is_no_json_has_unknown_usage(body: bytes) -> None:
    assert run(tap(kind="text/html"), [body])[1].usage == UNKNOWN


@pytest.mark.parametrize("data", [b"{", b"\xff", b"[]", b'"x"', b"[" * 100_000])
def test_an_event_that_is_no_object_is_passed_over(data: bytes) -> None:
    stream = b"data: " + data + b"\n\n"
    after = b'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n'
    passed, answer = run(tap(limit=10**6), [stream + after])
    assert passed == stream + after
    assert answer.usage.output_tokens == 2


def test_helicone_2279_events_that_tell_nothing_are_not_parsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed: list[bytes] = []

    def spy(data: bytes | str) -> Json:
        parsed.append(data if isinstance(data, bytes) else data.encode())
        found: Json = json.loads(data)
        return found

    monkeypatch.setattr("benchwright_proxy.tap.parse", spy)
    text = b'data: {"choices":[{"delta":{"content":"x"},"finish_reason":null}],"usage":null}\n\n'
    end = b'data: {"choices":[{"delta":{},"finish_reason": "stop"}],"usage":null}\n\n'
    last = b'data: {"choices":[],"usage":' + json.dumps(USAGE).encode() + b"}\n\n"
    _, answer = run(tap(), [text * 1000, end, last, b"data: [DONE]\n\n"])
    assert len(parsed) == 3
    assert (answer.stop_reason, answer.complete, answer.usage.input_tokens) == ("stop", True, 7)
