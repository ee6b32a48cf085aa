"""Limits end to end: refused before dispatch, exact under concurrency, in the caller's shape."""

import asyncio
import json
from pathlib import Path

import pytest

from benchwright_proxy.jsonvalue import Json, JsonObject, as_object
from benchwright_proxy.token import Limits

from .helpers import (
    FakeProvider,
    Reply,
    Running,
    chat_body,
    claims,
    json_response,
    message_body,
    running,
    until,
)


async def ask(proxy: Running, limits: Limits, **options: Json) -> Reply:
    body: JsonObject = {**chat_body(), **options}
    return await proxy.post("/v1/chat/completions", body, token=claims(limits=limits))


async def test_litellm_27381_a_tiny_budget_blocks(proxy: Running) -> None:
    limits = Limits(requests=1)
    assert (await ask(proxy, limits)).status == 200
    refused = await ask(proxy, limits)
    assert refused.status == 400
    assert (refused.headers["x-should-retry"], "retry-after" in refused.headers) == ("false", False)
    assert refused.json() == {
        "error": {
            "message": "this trial's requests limit is 1: 1 used, and this call may need 1",
            "type": "budget_exceeded",
            "param": None,
            "code": "budget_exceeded",
        }
    }
    usage = await proxy.usage()
    total = as_object(usage["total"])
    assert (usage["limit_hit"], total["requests"], total["refused"]) == ("requests", 1, 1)
    assert len(proxy.scripted_log()) == 1, "a refused call reaches no model"


async def test_a_refusal_has_anthropics_shape_for_its_callers(proxy: Running) -> None:
    token = claims(limits=Limits(requests=0))
    refused = await proxy.post("/v1/messages", message_body(), token=token)
    assert (refused.status, refused.json()["type"]) == (400, "error")
    assert as_object(refused.json()["error"])["type"] == "budget_exceeded"


async def test_litellm_34732_and_40095_requests_are_exact_under_concurrency(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [0.05, json_response(b"{}")]
    token = claims(limits=Limits(requests=7))
    replies = await asyncio.gather(
        *(proxy.post("/v1/chat/completions", chat_body("chat"), token=token) for _ in range(30))
    )
    assert sorted(reply.status for reply in replies) == [200] * 7 + [400] * 23
    assert len(provider.heard) == 7
    total = await proxy.total()
    assert (total["requests"], total["refused"]) == (7, 23)


async def test_ai_gateway_2394_output_is_reserved_before_the_call(
    proxy: Running, provider: FakeProvider
) -> None:
    """Ten calls at once that may each write 100 of 350: three fit, the others wait and then fit
    into what the first ones left, until what is left is less than they may write."""
    usage = {"prompt_tokens": 5, "completion_tokens": 60, "total_tokens": 65}
    provider.script = [0.05, json_response(json.dumps({"usage": usage}).encode())]
    token = claims(limits=Limits(output_tokens=350))
    body = chat_body("chat", max_tokens=100)
    replies = await asyncio.gather(
        *(proxy.post("/v1/chat/completions", body, token=token) for _ in range(10))
    )
    total = await proxy.total()
    assert total["output_tokens"] == 300
    assert sorted(reply.status for reply in replies) == [200] * 5 + [400] * 5
    assert (await proxy.usage())["limit_hit"] == "output_tokens"


async def test_codegraff_269_a_limit_held_by_others_is_another_error(
    tmp_path: Path, provider: FakeProvider
) -> None:
    gate = asyncio.Event()
    provider.script = [gate, json_response(b"{}")]
    extra: JsonObject = {"budget": {"waitSeconds": 0.05}}
    async with running(tmp_path, provider.port, extra=extra) as proxy:
        token = claims(limits=Limits(output_tokens=150))
        body = chat_body("chat", max_tokens=100)
        first = asyncio.create_task(proxy.post("/v1/chat/completions", body, token=token))
        await until(lambda: provider.heard)
        second = await proxy.post("/v1/chat/completions", body, token=token)
        assert second.status == 429
        assert as_object(second.json()["error"])["type"] == "budget_reserved"
        assert (second.headers["x-should-retry"], second.headers["retry-after"]) == ("true", "1")
        assert (await proxy.usage())["limit_hit"] is None
        gate.set()
        assert (await first).status == 200


async def test_who_leaves_while_waiting_for_budget_costs_nothing(
    proxy: Running, provider: FakeProvider
) -> None:
    gate = asyncio.Event()
    provider.script = [gate, json_response(b"{}", "429 Too Many")]
    token = claims(limits=Limits(output_tokens=150))
    body = chat_body("chat", max_tokens=100)
    first = asyncio.create_task(proxy.post("/v1/chat/completions", body, token=token))
    await until(lambda: provider.heard)
    second = asyncio.create_task(proxy.post("/v1/chat/completions", body, token=token))
    await until(lambda: proxy.proxy.ledger.waiting())
    second.cancel()
    await asyncio.sleep(0.05)
    gate.set()
    await first
    await until(lambda: not proxy.proxy.ledger.waiting())
    assert len(provider.heard) == 1
    assert (await proxy.total())["requests"] == 1


async def test_input_is_bounded_by_the_bytes_of_the_body(proxy: Running) -> None:
    size = len(json.dumps(chat_body()))
    assert (await ask(proxy, Limits(input_tokens=size - 1))).status == 400
    assert (await ask(proxy, Limits(input_tokens=size))).status == 200
    assert (await proxy.usage())["limit_hit"] == "input_tokens"


async def test_without_a_maximum_a_limit_can_be_used_to_its_end(proxy: Running) -> None:
    """55 output tokens a call: the second crosses 100, the third is refused."""
    limits = Limits(output_tokens=100)
    statuses = [(await ask(proxy, limits)).status for _ in range(3)]
    assert statuses == [200, 200, 400]


async def test_several_answers_are_reserved_several_times(proxy: Running) -> None:
    assert (await ask(proxy, Limits(output_tokens=100), max_tokens=40, n=3)).status == 400
    assert (await ask(proxy, Limits(output_tokens=120), max_tokens=40, n=3)).status == 200


async def test_total_tokens(proxy: Running) -> None:
    limits = Limits(total_tokens=2000)
    statuses = [(await ask(proxy, limits, max_tokens=800)).status for _ in range(3)]
    assert statuses == [200, 400, 400]
    assert (await proxy.usage())["limit_hit"] == "total_tokens"


async def test_clipproxyapi_2179_unknown_usage_keeps_its_reservation(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [json_response(b"{}")]
    token = claims(limits=Limits(output_tokens=250))
    body = chat_body("chat", max_tokens=100)
    statuses = [
        (await proxy.post("/v1/chat/completions", body, token=token)).status for _ in range(3)
    ]
    assert statuses == [200, 200, 400]
    total = await proxy.total()
    assert (total["output_tokens"], total["unknown_usage"]) == (0, 2)


async def test_a_busy_provider_uses_up_requests_but_no_tokens(
    proxy: Running, provider: FakeProvider
) -> None:
    provider.script = [json_response(b"{}", "529 Overloaded")]
    token = claims(limits=Limits(output_tokens=100, requests=3))
    body = chat_body("chat", max_tokens=100)
    statuses = [
        (await proxy.post("/v1/chat/completions", body, token=token)).status for _ in range(4)
    ]
    assert statuses == [529, 529, 529, 400]


async def test_limits_go_across_stages_but_not_across_attempts_or_trials(proxy: Running) -> None:
    limits = Limits(requests=2)
    tokens = [
        (claims(limits=limits, stage="work"), 200),
        (claims(limits=limits, stage="review"), 200),
        (claims(limits=limits, stage="review"), 400),
        (claims(limits=limits, attempt=2), 200),
        (claims(limits=limits, trial_uid="uid-2"), 200),
    ]
    for token, status in tokens:
        reply = await proxy.post("/v1/chat/completions", chat_body(), token=token)
        assert reply.status == status, token
    stages = as_object((await proxy.usage())["stages"])
    assert as_object(stages["review"])["refused"] == 1
    assert (await proxy.total("uid-2"))["requests"] == 1


@pytest.mark.parametrize("limit", ["requests", "output_tokens"])
async def test_limits_hold_after_a_restart(tmp_path: Path, limit: str) -> None:
    limits = Limits(requests=1) if limit == "requests" else Limits(output_tokens=55)
    async with running(tmp_path) as proxy:
        assert (await ask(proxy, limits)).status == 200
        assert (await ask(proxy, limits)).status == 400
        before = await proxy.usage()
    async with running(tmp_path) as proxy:
        assert await proxy.usage() == before
        assert (await ask(proxy, limits)).status == 400
        assert (await proxy.usage())["limit_hit"] == limit
