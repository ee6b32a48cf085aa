"""The scripted model: what it plays in both dialects, how it fails, what it logs."""

import json
import os
from pathlib import Path

import pytest

from benchwright_proxy.jsonvalue import Json, JsonObject, as_list, as_object
from benchwright_proxy.scripted import conversation
from benchwright_proxy.scripted.conversation import Conversation
from benchwright_proxy.scripted.dialogue import choose, load
from benchwright_proxy.yamlfile import FileError

from .helpers import DATA, Reply, Running, chat_body, message_body, running

KNOWN = ("input_tokens", "cached_input_tokens", "output_tokens")


def sse(reply: Reply) -> list[JsonObject]:
    lines = reply.body.decode().splitlines()
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    return [json.loads(text) for text in data if text != "[DONE]"]


def first(reply: Reply) -> JsonObject:
    return as_object(as_list(reply.json()["choices"])[0])


async def test_chat(proxy: Running) -> None:
    reply = await proxy.chat()
    assert reply.status == 200
    assert first(reply) == {
        "index": 0,
        "message": {"role": "assistant", "content": "Hello there."},
        "finish_reason": "stop",
    }
    assert reply.json()["usage"] == {
        "prompt_tokens": 1200,
        "completion_tokens": 55,
        "total_tokens": 1255,
        "prompt_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 12},
    }


SECOND: list[Json] = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": "Hello there."},
    {"role": "user", "content": "go on"},
]


async def test_chat_tool_calls(proxy: Running) -> None:
    reply = await proxy.post("/chat/completions", chat_body(messages=SECOND))
    message = as_object(first(reply)["message"])
    call = as_object(as_list(message["tool_calls"])[0])
    assert (message["content"], call["type"]) == (None, "function")
    assert call["function"] == {"name": "bash", "arguments": '{"command":"ls"}'}
    assert first(reply)["finish_reason"] == "tool_calls"


async def test_chat_stream(proxy: Running) -> None:
    reply = await proxy.chat(stream=True, stream_options={"include_usage": True})
    assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"
    chunks = sse(reply)
    deltas = [as_object(as_object(as_list(c["choices"])[0])["delta"]) for c in chunks[:-1]]
    assert "".join(str(delta.get("content", "")) for delta in deltas) == "Hello there."
    assert len([delta for delta in deltas if delta.get("content")]) == 5
    assert (chunks[-1]["choices"], as_object(chunks[-1]["usage"])["prompt_tokens"]) == ([], 1200)
    assert reply.body.endswith(b"data: [DONE]\n\n")


async def test_chat_stream_of_tool_calls(proxy: Running) -> None:
    reply = await proxy.chat(stream=True, messages=SECOND)
    calls = [
        as_object(as_list(delta["tool_calls"])[0])
        for chunk in sse(reply)
        if "tool_calls" in (delta := as_object(as_object(as_list(chunk["choices"])[0])["delta"]))
    ]
    assert as_object(calls[0]["function"])["name"] == "bash"
    parts = [str(as_object(call["function"])["arguments"]) for call in calls]
    assert "".join(parts) == '{"command":"ls"}'


async def test_message(proxy: Running) -> None:
    reply = await proxy.post("/v1/messages", message_body(messages=SECOND))
    assert reply.json()["content"] == [
        {
            "type": "tool_use",
            "id": as_object(as_list(reply.json()["content"])[0])["id"],
            "name": "bash",
            "input": {"command": "ls"},
        }
    ]
    assert reply.json()["stop_reason"] == "tool_use"
    assert reply.json()["usage"] == {
        "input_tokens": 100,
        "cache_read_input_tokens": 1200,
        "cache_creation_input_tokens": 0,
        "output_tokens": 20,
    }


async def test_message_stream(proxy: Running) -> None:
    reply = await proxy.post("/anthropic/v1/messages", message_body(stream=True))
    events = sse(reply)
    kinds = [str(event["type"]) for event in events]
    assert kinds[:2] == ["message_start", "content_block_start"]
    assert kinds[-3:] == ["content_block_stop", "message_delta", "message_stop"]
    text = "".join(str(as_object(e.get("delta")).get("text", "")) for e in events)
    assert text == "Hello there."


@pytest.mark.parametrize("stream", [False, True])
async def test_both_dialects_are_counted_alike(proxy: Running, stream: bool) -> None:
    await proxy.chat(stream=stream)
    await proxy.post("/v1/messages", message_body(stream=stream))
    await proxy.settled()
    total = await proxy.total()
    assert [total[name] for name in KNOWN] == [2400, 2000, 110]
    assert (total["reasoning_tokens"], total["succeeded"]) == (24, 2)


async def test_the_log_is_an_independent_witness(proxy: Running) -> None:
    for messages in (SECOND[:1], SECOND):
        await proxy.post("/v1/messages", message_body(stream=True, messages=messages))
        await proxy.post("/v1/chat/completions", chat_body(messages=messages))
    await proxy.settled()
    total, lines = await proxy.total(), proxy.scripted_log()
    assert [(line["turn"], line["stage"], line["trial_uid"]) for line in lines] == [
        (0, "work", "uid-1"), (0, "work", "uid-1"), (1, "work", "uid-1"), (1, "work", "uid-1"),
    ]  # fmt: skip
    for name in KNOWN:
        assert total[name] == sum(int(str(as_object(line["usage"])[name])) for line in lines)


async def test_usage_is_derived_where_the_dialogue_says_none(tmp_path: Path) -> None:
    async with running(tmp_path, dialogue="{name: d, turns: [{text: 'abcdefghi'}]}") as proxy:
        streamed = await proxy.chat(stream=True, stream_options={"include_usage": True})
        usages = [(await proxy.chat()).json()["usage"], sse(streamed)[-1]["usage"]]
        counted = await proxy.post("/v1/messages/count_tokens", message_body())
    assert usages[0] == usages[1]
    usage = as_object(usages[0])
    assert usage["completion_tokens"] == 3
    # [null,[{"role":"user","content":"hello"}],null] has 47 bytes.
    assert usage["prompt_tokens"] == 12 == counted.json()["input_tokens"]
    assert "completion_tokens_details" not in usage


MATCHING = """\
name: m
match:
  - {when: {contains: Traceback}, then: {text: broken}}
  - {when: {regex: "^exit [1-9]"}, then: {text: failed}}
turns: [{text: first}, {text: second}]
on_exhausted: repeat_last
"""


@pytest.mark.parametrize(
    ("turn", "message", "text"),
    [
        (0, "hi", "first"),
        (1, "hi", "second"),
        (7, "hi", "second"),
        (0, "a Traceback here", "broken"),
        (1, "exit 3", "failed"),
        (1, "exit 0", "second"),
        (5, "exit 3 Traceback", "broken"),
    ],
)
def test_choosing(tmp_path: Path, turn: int, message: str, text: str) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(MATCHING)
    found = choose(load(path), Conversation(turn, message, (), 0))
    assert found is not None
    assert found.text == text


CONVERSATIONS = """\
name: c
turns: [{text: fallback}]
conversations:
  - {name: one, when: {contains: parser}, turns: [{text: one-0}, {text: one-1}]}
  - name: two
    when: {contains: interval}
    match: [{when: {contains: boom}, then: {text: two-boom}}]
    turns: [{text: two-0}]
on_exhausted: repeat_last
"""


@pytest.mark.parametrize(
    ("task", "turn", "message", "text"),
    [
        ("mend the parser", 1, "hi", "one-1"),
        ("mend the parser", 9, "boom", "one-1"),
        ("mend the interval parser", 0, "hi", "one-0"),
        ("merge intervals", 0, "boom", "two-boom"),
        ("merge intervals", 3, "hi", "two-0"),
        ("anything else", 0, "parser", "fallback"),
    ],
)
def test_one_file_holds_a_conversation_for_each_task(
    tmp_path: Path, task: str, turn: int, message: str, text: str
) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(CONVERSATIONS)
    found = choose(load(path), Conversation(turn, message, ((0, task),), 0))
    assert found is not None
    assert found.text == text


@pytest.mark.parametrize(
    ("messages", "turn", "last", "first"),
    [
        ([], 0, "", ""),
        ([{"role": "system", "content": "s"}, {"role": "user", "content": "a"}], 0, "a", "a"),
        (
            [{"role": "user", "content": [{"type": "text", "text": "a"}, {"text": "b"}]}],
            0,
            "a\nb",
            "a\nb",
        ),
        (
            [
                {"role": "user", "content": "do it"},
                {"role": "assistant", "content": None},
                {"role": "tool", "tool_call_id": "x", "content": "out"},
            ],
            1,
            "out",
            "do it",
        ),
        (
            [
                {"role": "user", "content": "do it"},
                {"role": "assistant", "content": []},
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "content": [{"text": "out"}]}],
                },
            ],
            1,
            "out",
            "do it",
        ),
        ([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], 1, "a", "a"),
        (["junk", {"role": 7}, {"role": "user", "content": 7}], 0, "", ""),
    ],
)
def test_reading_a_conversation(messages: list[Json], turn: int, last: str, first: str) -> None:
    found = conversation.read({"messages": messages})
    assert (found.turn, found.last_message, first_asked(found)) == (turn, last, first)


def first_asked(found: Conversation) -> str:
    return found.asked[0][1] if found.asked else ""


def test_turns_are_counted_from_the_message_that_tells_the_task(tmp_path: Path) -> None:
    """Aider begins with an example conversation, Codex with what surrounds it."""
    path = tmp_path / "c.yaml"
    path.write_text(CONVERSATIONS)
    example: list[Json] = [
        {"role": "user", "content": "Change get_factorial()"}, {"role": "assistant", "content": "x"},
        {"role": "user", "content": "go on"}, {"role": "assistant", "content": "Ok."},
    ]  # fmt: skip
    task: Json = {"role": "user", "content": "mend the parser"}
    answer: list[Json] = [
        {"role": "assistant", "content": "one-0"},
        {"role": "user", "content": "ok"},
    ]
    texts = []
    for messages in ([*example, task], [*example, task, *answer]):
        turn = choose(load(path), conversation.read({"messages": messages}))
        assert turn is not None
        texts.append(turn.text)
    assert texts == ["one-0", "one-1"]


GEMINI: list[Json] = [
    {"role": "user", "parts": [{"text": "do it"}, {"text": "now"}]},
    {"role": "model", "parts": [{"functionCall": {"name": "bash", "args": {}}}]},
    {
        "role": "user",
        "parts": [{"functionResponse": {"name": "bash", "response": {"output": "2"}}}],
    },
]


@pytest.mark.parametrize(
    ("contents", "turn", "last"),
    [(GEMINI[:1], 0, "do it\nnow"), (GEMINI, 1, "2"), ([], 0, ""), (["junk", {"parts": 3}], 0, "")],
)
def test_reading_a_conversation_of_gemini(contents: list[Json], turn: int, last: str) -> None:
    found = conversation.read({"contents": contents})
    assert (found.turn, found.last_message) == (turn, last)


def faulty(fault: str, **more: str) -> str:
    extra = "".join(f", {name}: {value}" for name, value in more.items())
    return f"{{name: d, turns: [{{text: 'some words of text', fault: {fault}{extra}}}]}}"


@pytest.mark.parametrize(
    ("status", "chat_type", "message_type"),
    [
        (429, "rate_limit_exceeded", "rate_limit_error"),
        (529, "server_error", "overloaded_error"),
        (500, "server_error", "api_error"),
    ],
)
async def test_status_faults(
    tmp_path: Path, status: int, chat_type: str, message_type: str
) -> None:
    fault = faulty(f"{{status: {status}, retry_after: 1.5}}")
    async with running(tmp_path, dialogue=fault) as proxy:
        chat, message = await proxy.chat(), await proxy.post("/v1/messages", message_body())
        total = await proxy.total()
    assert (chat.status, message.status, chat.headers["retry-after"]) == (status, status, "1.5")
    assert as_object(chat.json()["error"])["type"] == chat_type
    assert as_object(message.json()["error"])["type"] == message_type
    assert (total["requests"], total["failed"], total["unknown_usage"]) == (2, 2, 0)
    assert proxy.scripted_log()[0]["usage"] is None


async def test_no_usage_is_unknown(tmp_path: Path) -> None:
    async with running(tmp_path, dialogue=faulty("no_usage")) as proxy:
        for stream in (False, True):
            assert (await proxy.chat(stream=stream)).status == 200
            await proxy.post("/v1/messages", message_body(stream=stream))
        await proxy.settled()
        total = await proxy.total()
    assert (total["succeeded"], total["unknown_usage"], total["output_tokens"]) == (4, 4, 0)
    assert total["reasoning_tokens"] is None


async def test_disconnect_is_a_bad_gateway(tmp_path: Path) -> None:
    async with running(tmp_path, dialogue=faulty("disconnect")) as proxy:
        reply = await proxy.chat()
        calls = await proxy.settled()
    assert reply.status == 502
    assert as_object(reply.json()["error"])["type"] == "upstream_error"
    assert (calls[0]["status"], calls[0]["usage_source"]) == ("no_response", "unknown")


async def test_an_exhausted_dialogue_says_so(proxy: Running) -> None:
    messages: list[Json] = [{"role": "assistant", "content": "x"}] * 5
    reply = await proxy.chat(messages=messages)
    assert reply.status == 500
    error = as_object(reply.json()["error"])
    assert error["message"] == "dialogue 'demo' has no answer to turn 5"
    assert reply.headers["x-should-retry"] == "false"


async def test_a_dialogue_is_read_again_when_it_changes(proxy: Running) -> None:
    path = proxy.folder / "dialogues" / "demo.yaml"
    path.write_text("{name: demo, turns: [{text: changed}]}")
    assert as_object(first(await proxy.chat())["message"])["content"] == "changed"
    path.write_text("{name: demo, turns: [{txt: oops}]}")
    os.utime(path, ns=(1, 1))
    bad = await proxy.post("/v1/messages", message_body())
    assert bad.status == 500
    message = str(as_object(bad.json()["error"])["message"])
    assert f"{path}: turns[0].txt: Extra inputs" in message
    path.unlink()
    assert "cannot be read" in (await proxy.chat()).body.decode()


BAD = [
    ("{name: d}", "turns, match or conversations is needed"),
    ("{turns: [{text: x}]}", "name: Field required"),
    ("{name: d, turns: [{}]}", "turns[0]: text or tool_calls is needed"),
    ("{name: d, turns: [{text: x, fault: explode}]}", "turns[0].fault"),
    ("{name: d, turns: [{text: x, fault: {status: 200}}]}", "turns[0].fault"),
    ("{name: d, turns: [{text: x, chunks: 0}]}", "turns[0].chunks"),
    ("{name: d, turns: [{text: x, delay_seconds: -1}]}", "turns[0].delay_seconds"),
    (
        "{name: d, turns: [{text: x, usage: {input_tokens: 1, cached_input_tokens: 2}}]}",
        "turns[0].usage: input_tokens must include",
    ),
    (
        "{name: d, turns: [{text: x, usage: {output_tokens: 1, reasoning_tokens: 2}}]}",
        "turns[0].usage: output_tokens must include",
    ),
    ("{name: d, match: [{when: {regex: '('}, then: {text: x}}]}", "match[0].when.regex: not a"),
    ("{name: d, match: [{when: {}, then: {text: x}}]}", "match[0].when: exactly one of"),
    ("{name: d, turns: [{tool_calls: [{arguments: {}}]}]}", "turns[0].tool_calls[0].name"),
]


@pytest.mark.parametrize(("text", "says"), BAD)
def test_a_bad_dialogue_names_file_and_field(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(FileError) as caught:
        load(path)
    assert f"{path}: " in str(caught.value)
    assert says in str(caught.value)


def test_the_example_dialogues_are_good() -> None:
    found = [load(path) for path in sorted(DATA.glob("*.yaml"))]
    assert [dialogue.name for dialogue in found] == ["mini-swe-parse"]
