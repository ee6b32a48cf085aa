"""What Anthropic and its imitators say, and what is made of it."""

import pytest

from benchwright_proxy.jsonvalue import Json, JsonObject
from benchwright_proxy.usage.anthropic import MessageStream, answer_of_body, usage_of
from benchwright_proxy.usage.record import UNKNOWN, Answer, Lifetime, Usage

START: JsonObject = {
    "input_tokens": 200,
    "cache_read_input_tokens": 700,
    "cache_creation_input_tokens": 100,
    "cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 0},
    "output_tokens": 1,
    "service_tier": "standard",
}
END: JsonObject = {"output_tokens": 60, "output_tokens_details": {"thinking_tokens": 40}}
BY: dict[Lifetime, int] = {"5m": 100, "1h": 0}
CANONICAL = Usage(1000, 200, 700, 100, 60, 40, "provider", cache_write_by=BY)

TABLE: list[tuple[str, JsonObject, Usage]] = [
    ("input is the sum of its classes", {**START, **END}, CANONICAL),
    (
        "no cache fields: all input is fresh, and the classes are unknown",
        {"input_tokens": 10, "output_tokens": 5},
        Usage(10, 10, None, None, 5, None, "provider"),
    ),
    (
        "null is not said",
        {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": None},
        Usage(10, 10, None, None, 5, None, "provider"),
    ),
    (
        "only the split of the cache writes",
        {
            "input_tokens": 1,
            "output_tokens": 5,
            "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
        },
        Usage(31, 1, None, 30, 5, None, "provider", cache_write_by={"5m": 10, "1h": 20}),
    ),
    (
        "sub2api#6125: the split is never added to the whole, and a mismatch is noted",
        {
            "input_tokens": 1,
            "output_tokens": 5,
            "cache_creation_input_tokens": 10,
            "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 10},
        },
        Usage(11, 1, None, 10, 5, None, "provider", ("cache_write_split_mismatch",)),
    ),
    (
        "a lifetime that nobody knows makes the split unknown, not the sum",
        {
            "input_tokens": 1,
            "output_tokens": 5,
            "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_7d_input_tokens": 20},
        },
        Usage(31, 1, None, 30, 5, None, "provider"),
    ),
    (
        "searches of the provider's own are counted",
        {
            "input_tokens": 1,
            "output_tokens": 5,
            "server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 0},
        },
        Usage(1, 1, None, None, 5, None, "provider", server_tools={"web_search": 2}),
    ),
    ("no input said: partial", {"output_tokens": 5}, Usage(output_tokens=5, source="partial")),
]


@pytest.mark.parametrize(
    ("said", "expected"), [row[1:] for row in TABLE], ids=[r[0] for r in TABLE]
)
def test_usage_object(said: JsonObject, expected: Usage) -> None:
    assert usage_of(said, final=True) == expected


def start(usage: Json = None) -> JsonObject:
    return {"type": "message_start", "message": {"model": "c-1", "usage": usage}}


def delta(usage: Json = None, stop: str | None = "end_turn") -> JsonObject:
    return {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage}


STOP: JsonObject = {"type": "message_stop"}
PING: JsonObject = {"type": "ping"}


def read(*events: JsonObject, clean: bool = True) -> Answer:
    stream = MessageStream()
    for data in events:
        assert not stream.event(str(data["type"]), data)
    return stream.answer(clean=clean)


def test_stream() -> None:
    answer = read(start(START), PING, delta(END), STOP)
    assert answer == Answer(
        CANONICAL, {**START, **END}, "c-1", "end_turn", None, True, "standard", tool_calls=0
    )


def test_litellm_5364_streamed_and_not_give_the_same_usage() -> None:
    body: JsonObject = {"model": "c-1", "stop_reason": "end_turn", "usage": {**START, **END}}
    assert answer_of_body(body) == read(start(START), delta(END), STOP)


def test_ai_gateway_2279_and_agent_framework_7143_delta_overwrites_start() -> None:
    said: JsonObject = {**START, "output_tokens": 60}
    assert read(start(START), delta(said), STOP).usage == Usage(
        1000, 200, 700, 100, 60, None, "provider", cache_write_by=BY
    )


def test_running_totals_in_several_deltas_are_not_summed() -> None:
    answer = read(
        start(START), delta({"output_tokens": 20}, None), delta({"output_tokens": 60}), STOP
    )
    assert answer.usage.output_tokens == 60


def test_agentgateway_2977_the_last_input_counts() -> None:
    answer = read(start(START), delta({**END, "input_tokens": 900}), STOP)
    assert answer.usage.input_tokens == 1700


def test_sub2api_6125_zero_overwrites() -> None:
    answer = read(start(START), delta({**END, "cache_read_input_tokens": 0}), STOP)
    assert (answer.usage.cache_read, answer.usage.input_tokens) == (0, 300)


def test_rust_genai_258_cache_only_in_the_delta() -> None:
    answer = read(
        start({"input_tokens": 0, "output_tokens": 0}),
        delta({"input_tokens": 200, "cache_read_input_tokens": 700, "output_tokens": 60}),
        STOP,
    )
    assert answer.usage == Usage(900, 200, 700, None, 60, None, "provider")


def test_litellm_39893_the_placeholder_is_not_what_was_written() -> None:
    answer = read(start(START), clean=False)
    assert answer.usage == Usage(1000, 200, 700, 100, None, None, "partial", cache_write_by=BY)
    assert not answer.complete


def test_a_delta_with_a_stop_reason_is_final_though_the_stream_is_cut_behind_it() -> None:
    answer = read(start(START), delta(END), clean=False)
    assert answer.usage == CANONICAL
    assert not answer.complete


def test_an_error_in_the_stream_keeps_what_was_said() -> None:
    error: JsonObject = {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}
    answer = read(start(START), delta({"output_tokens": 20}, None), error)
    assert answer.error == "overloaded_error"
    assert answer.usage == Usage(1000, 200, 700, 100, 20, None, "partial", cache_write_by=BY)


def test_no_usage_is_unknown() -> None:
    assert read(start(), delta(), STOP).usage == UNKNOWN


def test_the_event_line_names_the_type_if_the_data_does_not() -> None:
    stream = MessageStream()
    stream.event("message_delta", {"delta": {"stop_reason": "end_turn"}, "usage": END})
    assert stream.answer(clean=True).usage.output_tokens == 60


@pytest.mark.parametrize("body", [None, [], "x", {}, {"usage": None}, {"usage": 3}])
def test_any_body_is_survived(body: Json) -> None:
    assert answer_of_body(body).usage == UNKNOWN


def test_what_decides_the_price_is_what_the_response_says() -> None:
    usage: JsonObject = {**START, "service_tier": "priority", "inference_geo": "us"}
    call: JsonObject = {"type": "content_block_start", "content_block": {"type": "tool_use"}}
    text: JsonObject = {"type": "content_block_start", "content_block": {"type": "text"}}
    end: JsonObject = {**END, "speed": "fast"}
    answer = read(start(usage), text, call, call, delta(end, "tool_use"), STOP)
    assert (answer.service_tier, answer.geo, answer.speed) == ("priority", "us", "fast")
    assert answer.tool_calls == 2
    content: Json = [{"type": "text"}, {"type": "tool_use"}, {"type": "tool_use"}]
    whole = answer_of_body({"content": content, "usage": {**usage, **end}})
    assert (whole.service_tier, whole.geo, whole.speed) == ("priority", "us", "fast")
    assert whole.tool_calls == 2
