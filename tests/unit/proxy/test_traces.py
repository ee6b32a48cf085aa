"""Bodies of calls, where a run wants them kept: whole, without secrets, and never at usage's cost."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchwright_proxy.bodyroom import BodyRoom
from benchwright_proxy.jsonvalue import JsonObject, as_object
from benchwright_proxy.secretsout import REMOVED
from benchwright_proxy.token import sign
from benchwright_proxy.traces import BODY_BYTES, Trace, Traces

from .helpers import (
    KEY,
    LAST_CHUNK,
    PROVIDER_KEY,
    FakeProvider,
    Running,
    chat_body,
    chunk,
    claims,
    json_response,
    sse_head,
)

TRACED = replace(claims(), trace=True)


async def lines(proxy: Running) -> list[JsonObject]:
    await proxy.settled()
    reply = await proxy.operator("GET", "/v1/calls.jsonl", trial_uid="uid-1", attempt=1)
    assert reply.status == 200
    return [as_object(json.loads(line)) for line in reply.body.splitlines()]


async def test_a_call_keeps_what_was_asked_and_answered(
    proxy: Running, provider: FakeProvider
) -> None:
    events = b'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n'
    provider.script = [sse_head(), chunk(events), chunk(b"data: [DONE]\n\n"), LAST_CHUNK]
    await proxy.post("/v1/chat/completions", chat_body("chat", stream=True), token=TRACED)
    (call,) = await lines(proxy)
    assert json.loads(str(call["request"]))["messages"] == [{"role": "user", "content": "hello"}]
    assert call["response"] == (events + b"data: [DONE]\n\n").decode()
    assert (call["response_truncated"], call["response_size"]) == (False, len(events) + 14)
    assert (call["status"], call["model"]) == ("ok", "chat")


async def test_without_the_wish_only_metadata_is_there(proxy: Running) -> None:
    await proxy.chat()
    (call,) = await lines(proxy)
    assert "request" not in call
    assert call["input_tokens"] == 1200
    assert not (proxy.folder / "journal" / "traces").exists()


async def test_litellm_31620_11264_2114_7603_secrets_are_in_no_file(
    proxy: Running, provider: FakeProvider
) -> None:
    """An agent prints its environment, and a provider quotes the key that it was given."""
    token = sign(TRACED, KEY)
    quoted = json.dumps({"error": {"message": f"key {PROVIDER_KEY}", "type": "x"}}).encode()
    provider.script = [json_response(quoted, "400 Bad Request")]
    said = f"OPENAI_API_KEY={token} ghp_{'a' * 36} AIza{'b' * 35} sk-ant-api03-{'c' * 40}"
    body = chat_body("chat", messages=[{"role": "user", "content": said}])
    await proxy.post("/v1/chat/completions", body, token=token)
    (call,) = await lines(proxy)
    assert str(call["request"]).count(REMOVED) == 4
    assert REMOVED in str(call["response"])
    kept = b"".join(p.read_bytes() for p in proxy.folder.glob("journal/**/*") if p.is_file())
    for secret in (token, PROVIDER_KEY, "ghp_aaa", "AIzabbb", "sk-ant-api03-ccc"):
        assert secret.encode() not in kept
        assert secret not in (await proxy.operator("GET", "/metrics")).body.decode()


async def test_a_restart_keeps_them_and_forgetting_lets_them_go(proxy: Running) -> None:
    await proxy.post("/v1/chat/completions", chat_body(), token=TRACED)
    await lines(proxy)
    files = list((proxy.folder / "journal" / "traces").iterdir())
    assert len(files) == 1
    reply = await proxy.operator("POST", "/v1/forget", trial_uid="uid-1", attempt=1)
    assert reply.status == 200
    assert not files[0].exists()
    (call,) = await lines(proxy)
    assert ("request" in call, call["status"]) == (False, "ok")


def trace(call: str, request: bytes = b"q", response: bytes = b"a") -> Trace:
    found = Trace(("u", 1), call, BodyRoom(10**9))
    found.asked(request)
    found.heard(response)
    return found


def test_litellm_38193_a_full_queue_drops_bodies_and_counts_them(tmp_path: Path) -> None:
    traces = Traces(tmp_path, queue_bytes=10)
    traces.offer(trace("big", b"x" * 11))
    traces.offer(trace("small"))
    found = list(traces.merged(("u", 1), [{"call": "big"}, {"call": "small"}]))
    traces.close()
    assert (traces.dropped, traces.kept) == (1, 1)
    assert [("request" in json.loads(line)) for line in found] == [False, True]


def test_calls_under_way_hold_so_much_and_one_trial_leaves_room_for_others(tmp_path: Path) -> None:
    room, traces = BodyRoom(100), Traces(tmp_path)

    def begun(uid: str, size: int) -> Trace:
        found = Trace((uid, 1), f"{uid}{size}", room)
        found.asked(b"x" * size)
        return found

    found = [begun("greedy", 60), begun("greedy", 30), begun("greedy", 20), begun("other", 10)]
    assert [t.lost for t in found] == [False, False, True, False]
    found[1].heard(b"y" * 50)
    assert (found[1].lost, found[1].waiting, room.total) == (True, 0, 70)
    found[1].heard(b"more")
    for one in found:
        traces.offer(one)
    traces.close()
    assert (traces.kept, traces.dropped, room.total) == (2, 2, 0)


def test_an_attempt_keeps_so_much_on_the_disk_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchwright_proxy.traces.ATTEMPT_BYTES", 1000)
    traces = Traces(tmp_path)
    for call in "abcdef":
        traces.offer(trace(call, b"\0" * 40))  # six bytes each in JSON
    found = [json.loads(line) for line in traces.merged(("u", 1), [{"call": c} for c in "abcdef"])]
    traces.close()
    kept = sum("request" in call for call in found)
    assert (traces.kept, traces.dropped) == (kept, 6 - kept)
    assert 1 <= kept < 6
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 1000


def test_the_last_of_the_disk_is_left_to_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchwright_proxy.traces.LEFT_BYTES", 2**60)
    traces = Traces(tmp_path / "t")
    traces.offer(trace("a"))
    traces.close()
    assert (traces.kept, traces.dropped) == (0, 1)


def test_a_long_body_is_cut_and_says_so(tmp_path: Path) -> None:
    traces = Traces(tmp_path, queue_bytes=10**9)
    traces.offer(trace("a", b"x" * (BODY_BYTES + 5)))
    (line,) = traces.merged(("u", 1), [{"call": "a"}])
    traces.close()
    call = json.loads(line)
    assert (len(call["request"]), call["request_size"]) == (BODY_BYTES, BODY_BYTES + 5)
    assert (call["request_truncated"], call["response_truncated"]) == (True, False)


def test_a_line_that_a_crash_tore_is_none(tmp_path: Path) -> None:
    traces = Traces(tmp_path)
    traces.offer(trace("a"))
    traces.flush()
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes() + b'{"call":"b","requ')
    found = [json.loads(line) for line in traces.merged(("u", 1), [{"call": "a"}, {"call": "b"}])]
    traces.close()
    assert [("request" in call) for call in found] == [True, False]


@pytest.mark.parametrize("uid", ["../../x", "a/b", "\0", "x" * 253])
def test_a_name_is_never_a_path(tmp_path: Path, uid: str) -> None:
    traces = Traces(tmp_path / "t")
    traces.offer(Trace((uid, 1), "a", BodyRoom(0)))
    traces.close()
    (path,) = tmp_path.rglob("*.jsonl")
    assert path.parent == tmp_path / "t"


def test_a_disk_that_takes_nothing_is_counted(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("a file in the way")
    traces = Traces(tmp_path / "t")
    traces.offer(trace("a"))
    traces.close()
    assert (traces.kept, traces.dropped) == (0, 1)
