"""What OpenAI Responses says, and what is made of it."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_proxy.jsonvalue import Json, JsonObject
from benchwright_proxy.routes import Endpoint
from benchwright_proxy.tap import make_tap
from benchwright_proxy.usage.record import UNKNOWN, Answer, Usage
from benchwright_proxy.usage.responses import ResponseStream, answer_of_body, usage_of

SAID: JsonObject = {
    "input_tokens": 1000,
    "input_tokens_details": {"cached_tokens": 700, "cache_write_tokens": 100},
    "output_tokens": 60,
    "output_tokens_details": {"reasoning_tokens": 40},
    "total_tokens": 1060,
}
CANONICAL = Usage(1000, 200, 700, 100, 60, 40, "provider")
TABLE: list[tuple[str, JsonObject, Usage]] = [
    ("cached and written tokens are part of the input, reasoning of the output", SAID, CANONICAL),
    (
        "without details the cached part is unknown, not 0",
        {"input_tokens": 10, "output_tokens": 5},
        Usage(10, None, None, None, 5, None, "provider"),
    ),
    (
        "writes by lifetime alone are summed",
        {
            "input_tokens": 100,
            "output_tokens": 5,
            "input_tokens_details": {
                "cached_tokens": 0,
                "cache_write_tokens_details": {"ttl_30m_tokens": 30, "ttl_12h_tokens": 12},
            },
        },
        Usage(100, 58, 0, 42, 5, None, "provider", cache_write_by={"30m": 30, "12h": 12}),
    ),
    (
        "a total that fits nothing is noted",
        {"input_tokens": 10, "output_tokens": 5, "total_tokens": 99},
        Usage(10, None, None, None, 5, None, "provider", ("total_mismatch",)),
    ),
    (
        "more reasoning than output is noted",
        {"input_tokens": 1, "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 6}},
        Usage(1, None, None, None, 5, 6, "provider", ("reasoning_exceeds_output",)),
    ),
    (
        "written images are told apart",
        {"input_tokens": 1, "output_tokens": 5, "output_tokens_details": {"image_tokens": 5}},
        Usage(1, None, None, None, 5, None, "provider", modalities={"output_image": 5}),
    ),
    ("words are not numbers", {"input_tokens": "10", "output_tokens": True}, UNKNOWN),
]


@pytest.mark.parametrize(
    ("said", "usage"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_usage(said: JsonObject, usage: Usage) -> None:
    assert usage_of(said, final=True) == usage


def response(status: str, usage: JsonObject | None, **more: object) -> JsonObject:
    return {"object": "response", "model": "m-1", "status": status, "usage": usage, **more}  # type: ignore[dict-item]


def test_a_body() -> None:
    answer = answer_of_body(response("completed", SAID, service_tier="flex"))
    assert (answer.usage, answer.model, answer.stop_reason) == (CANONICAL, "m-1", "completed")
    assert (answer.complete, answer.error, answer.service_tier) == (True, None, "flex")


def test_an_answer_that_was_cut_says_why() -> None:
    why = {"reason": "max_output_tokens"}
    answer = answer_of_body(response("incomplete", SAID, incomplete_details=why))
    assert (answer.stop_reason, answer.error) == ("max_output_tokens", None)


def events(*found: tuple[str, JsonObject]) -> bytes:
    return b"".join(
        f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()
        for kind, data in found
    )


BEGUN: tuple[str, JsonObject] = ("response.created", {"response": response("in_progress", None)})
TEXT: tuple[str, JsonObject] = (
    "response.output_text.delta",
    {"delta": "response.completed", "usage": {"input_tokens": 9}},
)


def ended(kind: str, usage: JsonObject | None = SAID, **more: object) -> tuple[str, JsonObject]:
    return f"response.{kind}", {"response": response(kind, usage, **more)}


def heard(stream: bytes, *cuts: int, clean: bool = True) -> tuple[bytes, Answer]:
    tap = make_tap(Endpoint.RESPONSES, "text/event-stream", "", withhold_usage=False, limit=2**20)
    bounds = [0, *sorted(c for c in cuts if c < len(stream)), len(stream)]
    passed = b"".join(tap.feed(stream[a:b]) for a, b in pairwise(bounds))
    last, answer = tap.finish(clean=clean)
    return passed + last, answer


WHOLE = events(BEGUN, TEXT, ended("completed"))


@given(st.lists(st.integers(0, len(WHOLE)), max_size=5))
def test_wherever_it_is_cut_it_passes_unchanged_and_is_read_alike(cuts: list[int]) -> None:
    passed, answer = heard(WHOLE, *cuts)
    assert passed == WHOLE
    assert (answer.usage, answer.complete, answer.model) == (CANONICAL, True, "m-1")


@given(st.integers(0, len(WHOLE) - 1))
def test_a_stream_that_breaks_off_is_never_taken_for_a_whole_one(end: int) -> None:
    passed, answer = heard(WHOLE[:end], clean=False)
    assert passed == WHOLE[:end]
    whole = WHOLE[:end].rstrip() == WHOLE.rstrip()
    assert answer.complete == whole
    assert answer.usage == (CANONICAL if whole else UNKNOWN)
    assert answer.stop_reason == ("completed" if whole else None)


@pytest.mark.parametrize(
    ("end", "usage", "error", "complete"),
    [
        (ended("incomplete"), CANONICAL, None, True),
        (ended("failed", None, error={"code": "server_error"}), UNKNOWN, "server_error", True),
        (ended("failed", error={"code": "server_error"}), CANONICAL, "server_error", True),
        (("error", {"code": "rate_limit", "message": "slow"}), UNKNOWN, "rate_limit", False),
        (("error", {"error": {"type": "overloaded"}}), UNKNOWN, "overloaded", False),
    ],
)  # fmt: skip
def test_each_end(
    end: tuple[str, JsonObject], usage: Usage, error: str | None, complete: bool
) -> None:
    _, answer = heard(events(BEGUN, TEXT, end))
    assert (answer.usage, answer.error, answer.complete) == (usage, error, complete)


def test_litellm_17814_events_of_other_things_say_no_usage() -> None:
    reader = ResponseStream()
    reader.event("response.output_item.done", {"item": {"usage": SAID}})
    reader.event("response.completed", {"response": None})
    assert reader.answer(clean=True).usage == UNKNOWN


def test_items_of_the_output_are_counted_by_who_runs_them() -> None:
    kinds = ["message", "function_call", "web_search_call", "web_search_call", "custom_tool_call"]
    output: Json = [{"type": kind} for kind in kinds]
    answer = answer_of_body({"status": "completed", "output": output, "usage": SAID})
    assert (answer.tool_calls, answer.usage.server_tools) == (2, {"web_search": 2})
