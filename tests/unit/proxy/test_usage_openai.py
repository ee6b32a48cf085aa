"""What OpenAI and its imitators say, and what is made of it."""

import pytest

from benchwright_proxy.jsonvalue import Json, JsonObject
from benchwright_proxy.usage.openai import ChatStream, answer_of_body, usage_of
from benchwright_proxy.usage.record import UNKNOWN, Answer, Usage

DETAILS: JsonObject = {
    "prompt_tokens": 1000,
    "completion_tokens": 60,
    "total_tokens": 1060,
    "prompt_tokens_details": {"cached_tokens": 700, "cache_write_tokens": 100},
    "completion_tokens_details": {"reasoning_tokens": 40},
}
CANONICAL = Usage(1000, 200, 700, 100, 60, 40, "provider")

TABLE: list[tuple[str, JsonObject, Usage]] = [
    (
        "litellm#39088, bifrost#904: details are kept, cached is part of the input",
        DETAILS,
        CANONICAL,
    ),
    (
        "without details the cached part is unknown, not 0",
        {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        Usage(10, None, None, None, 5, None, "provider"),
    ),
    (
        "0 is a number",
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        Usage(0, None, None, None, 0, None, "provider"),
    ),
    (
        "Portkey#1754: a prompt without its cached part, told by the total",
        {
            "prompt_tokens": 300,
            "completion_tokens": 60,
            "total_tokens": 1060,
            "prompt_tokens_details": {"cached_tokens": 700},
        },
        Usage(1000, 300, 700, None, 60, None, "provider", ("prompt_excluded_cache",)),
    ),
    (
        "a total that fits nothing is noted",
        {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 99},
        Usage(10, None, None, None, 5, None, "provider", ("total_mismatch",)),
    ),
    (
        "new-api#7229: image and audio tokens are parts, never added",
        {
            "prompt_tokens": 100,
            "completion_tokens": 5,
            "total_tokens": 105,
            "prompt_tokens_details": {"cached_tokens": 60, "image_tokens": 80, "audio_tokens": 3},
            "completion_tokens_details": {"audio_tokens": 4, "image_tokens": 0},
        },
        Usage(
            100,
            40,
            60,
            None,
            5,
            None,
            "provider",
            modalities={"input_audio": 3, "output_audio": 4},
        ),
    ),
    (
        "half an answer is partial",
        {"prompt_tokens": 10},
        Usage(10, None, None, None, None, None, "partial"),
    ),
    ("words are not numbers", {"prompt_tokens": "10", "completion_tokens": True}, UNKNOWN),
    ("neither are negative ones", {"prompt_tokens": -1, "completion_tokens": 1.5}, UNKNOWN),
    (
        "whole floats are",
        {"prompt_tokens": 10.0, "completion_tokens": 5.0},
        Usage(10, None, None, None, 5, None, "provider"),
    ),
    (
        "more cached than there is: the rest is unknown",
        {
            "prompt_tokens": 10,
            "completion_tokens": 5,
            "total_tokens": 15,
            "prompt_tokens_details": {"cached_tokens": 11},
        },
        Usage(10, None, 11, None, 5, None, "provider"),
    ),
    (
        "reasoning past the output is noted",
        {
            "prompt_tokens": 1,
            "completion_tokens": 5,
            "completion_tokens_details": {"reasoning_tokens": 6},
        },
        Usage(1, None, None, None, 5, 6, "provider", ("reasoning_exceeds_output",)),
    ),
]


@pytest.mark.parametrize(
    ("said", "expected"), [row[1:] for row in TABLE], ids=[r[0] for r in TABLE]
)
def test_usage_object(said: JsonObject, expected: Usage) -> None:
    assert usage_of(said, final=True) == expected


def chunk(**fields: Json) -> JsonObject:
    return {"model": "m-1", "choices": [{"delta": {"content": "x"}}], **fields}


STOP: list[Json] = [{"delta": {}, "finish_reason": "stop"}]


def read(*chunks: JsonObject, done: bool = True, clean: bool = True) -> Answer:
    stream = ChatStream()
    for data in chunks:
        stream.event("", data)
    if done:
        stream.done()
    return stream.answer(clean=clean)


def test_stream_with_a_usage_chunk() -> None:
    answer = read(
        chunk(usage=None), chunk(choices=STOP, usage=None), chunk(choices=[], usage=DETAILS)
    )
    assert answer == Answer(CANONICAL, DETAILS, "m-1", "stop", None, complete=True, tool_calls=0)


def test_streamed_and_not_give_the_same_usage() -> None:
    body: JsonObject = {"model": "m-1", "choices": [{"finish_reason": "stop"}], "usage": DETAILS}
    streamed = read(chunk(choices=STOP), chunk(choices=[], usage=DETAILS))
    assert answer_of_body(body) == streamed


def test_litellm_36168_usage_on_a_chunk_with_choices() -> None:
    assert read(chunk(), chunk(choices=STOP, usage=DETAILS)).usage == CANONICAL


def test_vllm_running_totals_are_not_summed() -> None:
    early: JsonObject = {"prompt_tokens": 1000, "completion_tokens": 1, "total_tokens": 1001}
    answer = read(chunk(usage=early), chunk(usage=early), chunk(choices=STOP, usage=DETAILS))
    assert answer.usage == CANONICAL


def test_running_totals_of_a_cut_stream_are_partial() -> None:
    early: JsonObject = {"prompt_tokens": 1000, "completion_tokens": 1, "total_tokens": 1001}
    answer = read(chunk(usage=early), done=False, clean=False)
    assert answer.usage == Usage(1000, None, None, None, 1, None, "partial")
    assert not answer.complete


def test_azure_first_chunk_without_choices_is_not_the_usage_chunk() -> None:
    stream = ChatStream()
    assert not stream.event("", {"choices": [], "prompt_filter_results": []})
    assert stream.event("", {"choices": [], "usage": DETAILS})


def test_clipproxyapi_2179_a_stream_that_says_nothing_is_unknown() -> None:
    assert read(chunk(), chunk(choices=STOP)).usage == UNKNOWN


def test_the_usage_chunk_is_final_even_if_done_never_comes() -> None:
    answer = read(chunk(choices=STOP), chunk(choices=[], usage=DETAILS), done=False, clean=False)
    assert answer.usage == CANONICAL
    assert not answer.complete


def test_an_imitation_without_done_is_complete_if_its_body_is() -> None:
    assert read(chunk(choices=STOP, usage=DETAILS), done=False).complete
    assert not read(chunk(), done=False).complete


def test_axonhub_1881_the_service_tier_is_that_of_the_response() -> None:
    assert read(chunk(service_tier="priority"), chunk(choices=STOP)).service_tier == "priority"
    assert answer_of_body({"choices": STOP, "service_tier": "flex"}).service_tier == "flex"


def test_new_api_5289_an_error_in_the_stream_has_no_usage() -> None:
    error: JsonObject = {"error": {"type": "server_error", "message": "many words here"}}
    answer = read(chunk(), error, done=False)
    assert (answer.error, answer.usage) == ("server_error", UNKNOWN)


@pytest.mark.parametrize(
    "body", [None, [], "x", {}, {"usage": None}, {"usage": []}, {"choices": {}}]
)
def test_any_body_is_survived(body: Json) -> None:
    assert answer_of_body(body).usage == UNKNOWN


def test_tool_calls_are_counted_once_however_their_arguments_come() -> None:
    def of(index: int, text: str) -> Json:
        call: Json = [{"index": index, "function": {"arguments": text}}]
        return [{"index": 0, "delta": {"tool_calls": call}, "finish_reason": None}]

    pieces = [chunk(choices=of(*piece)) for piece in ((0, "a"), (0, "b"), (1, "c"))]
    answer = read(*pieces, chunk(choices=STOP))
    assert answer.tool_calls == 2
    calls: Json = [{"id": "x"}, {"id": "y"}]
    body: JsonObject = {"choices": [{"message": {"tool_calls": calls}}], "system_fingerprint": "fp"}
    whole = answer_of_body(body)
    assert (whole.tool_calls, whole.fingerprint) == (2, "fp")
