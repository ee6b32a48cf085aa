"""What Gemini says, and what is made of it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_proxy.jsonvalue import JsonObject
from benchwright_proxy.routes import Endpoint
from benchwright_proxy.tap import make_tap
from benchwright_proxy.usage.gemini import answer_of_body, usage_of
from benchwright_proxy.usage.record import UNKNOWN, Answer, Usage

SAID: JsonObject = {
    "promptTokenCount": 1000,
    "cachedContentTokenCount": 700,
    "candidatesTokenCount": 40,
    "thoughtsTokenCount": 25,
    "totalTokenCount": 1065,
}
CANONICAL = Usage(1000, 300, 700, 0, 65, 25, "provider")
TABLE: list[tuple[str, JsonObject, Usage]] = [
    ("sub2api#554, new-api#1014, ai-tally#376: thoughts are output", SAID, CANONICAL),
    (
        "headroom#2639: thoughts inside candidates are not added, the total tells",
        {**SAID, "candidatesTokenCount": 65},
        Usage(1000, None, 700, 0, 65, 25, "provider", ("thoughts_inside_candidates",)),
    ),
    (
        "what tools put into the prompt is input",
        {
            "promptTokenCount": 100,
            "toolUsePromptTokenCount": 30,
            "candidatesTokenCount": 5,
            "totalTokenCount": 135,
        },
        Usage(130, 130, 0, 0, 5, None, "provider"),
    ),
    (
        "a 0 is left out of JSON: the total tells that it is one",
        {"promptTokenCount": 100, "totalTokenCount": 100},
        Usage(100, 100, 0, 0, 0, None, "provider"),
    ),
    (
        "without a total nothing is concluded from what is not said",
        {"promptTokenCount": 100},
        Usage(100, None, None, None, None, None, "partial"),
    ),
    (
        "a total that fits nothing is noted",
        {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 99},
        Usage(10, None, None, None, 5, None, "provider", ("total_mismatch",)),
    ),
    (
        "more cached than there is: the rest is unknown",
        {
            "promptTokenCount": 10,
            "cachedContentTokenCount": 11,
            "candidatesTokenCount": 5,
            "totalTokenCount": 15,
        },
        Usage(10, None, 11, 0, 5, None, "provider"),
    ),
    (
        "audio and written images are told apart, read images are not",
        {
            "promptTokenCount": 100,
            "candidatesTokenCount": 50,
            "totalTokenCount": 150,
            "promptTokensDetails": [
                {"modality": "TEXT", "tokenCount": 20},
                {"modality": "AUDIO", "tokenCount": 50},
                {"modality": "IMAGE", "tokenCount": 30},
                {"modality": "AUDIO", "tokenCount": "x"},
                "AUDIO",
            ],
            "candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": 50}],
        },
        Usage(
            100,
            100,
            0,
            0,
            50,
            None,
            "provider",
            modalities={"input_audio": 50, "output_image": 50},
        ),
    ),
    ("words are not numbers", {"promptTokenCount": "10"}, UNKNOWN),
]


@pytest.mark.parametrize(
    ("said", "usage"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_usage(said: JsonObject, usage: Usage) -> None:
    found = usage_of(said, final=True)
    assert (found.input_tokens, found.output_tokens, found.source, found.notes) == (
        usage.input_tokens,
        usage.output_tokens,
        usage.source,
        usage.notes,
    )
    assert (found.cache_read, found.reasoning_tokens) == (usage.cache_read, usage.reasoning_tokens)
    if usage.input_uncached is not None:
        assert found.input_uncached == usage.input_uncached


def chunk(text: str, usage: JsonObject | None = None, finish: str | None = None) -> JsonObject:
    candidate: JsonObject = {"content": {"role": "model", "parts": [{"text": text}]}}
    if finish:
        candidate["finishReason"] = finish
    found: JsonObject = {"candidates": [candidate], "modelVersion": "gemini-x-001"}
    return {**found, "usageMetadata": usage} if usage else found


#: Sums grow: the last ones count, and nothing is summed.
CHUNKS = [
    chunk("Hel", {"promptTokenCount": 1000, "candidatesTokenCount": 2, "totalTokenCount": 1002}),
    chunk("lo"),
    chunk("!", SAID, "STOP"),
]
SSE = b"".join(b"data: " + json.dumps(c).encode() + b"\r\n\r\n" for c in CHUNKS)
ARRAY = b"[" + b",\r\n".join(json.dumps(c).encode() for c in CHUNKS) + b"]"


def told(body: bytes, kind: str, cuts: list[int], *, clean: bool = True) -> tuple[bytes, Answer]:
    tap = make_tap(Endpoint.STREAM_GENERATE, kind, "", withhold_usage=False, limit=2**20)
    passed, start = b"", 0
    for at in [*sorted(cuts), len(body)]:
        passed += tap.feed(body[start:at])
        start = at
    last, answer = tap.finish(clean=clean)
    return passed + last, answer


@pytest.mark.parametrize(
    ("body", "kind"), [(SSE, "text/event-stream"), (ARRAY, "application/json")]
)
@given(cuts=st.lists(st.integers(0, len(SSE)), max_size=8))
def test_a_stream_is_counted_wherever_it_is_cut(body: bytes, kind: str, cuts: list[int]) -> None:
    passed, answer = told(body, kind, [min(c, len(body)) for c in cuts])
    assert passed == body
    assert answer.usage == CANONICAL
    assert (answer.model, answer.stop_reason, answer.complete) == ("gemini-x-001", "STOP", True)


@pytest.mark.parametrize("end", range(0, len(SSE), 7))
def test_a_stream_that_ends_early_is_never_final(end: int) -> None:
    passed, answer = told(SSE[:end], "text/event-stream", [], clean=False)
    assert passed == SSE[:end]
    assert not answer.complete
    assert answer.usage.source in ("unknown", "partial")


def test_an_answer_without_a_stream() -> None:
    answer = answer_of_body(chunk("Hello", SAID, "MAX_TOKENS"))
    assert (answer.usage, answer.stop_reason, answer.complete) == (CANONICAL, "MAX_TOKENS", True)


def test_a_blocked_prompt_has_an_end_and_a_reason() -> None:
    body: JsonObject = {
        "promptFeedback": {"blockReason": "SAFETY"},
        "usageMetadata": {"promptTokenCount": 8, "totalTokenCount": 8},
    }
    answer = answer_of_body(body)
    assert (answer.stop_reason, answer.usage.output_tokens, answer.complete) == ("SAFETY", 0, True)


def test_an_error_in_a_stream() -> None:
    body = b'data: {"error":{"code":503,"status":"UNAVAILABLE","message":"busy"}}\n\n'
    _, answer = told(body, "text/event-stream", [])
    assert (answer.error, answer.usage, answer.complete) == ("UNAVAILABLE", UNKNOWN, False)
