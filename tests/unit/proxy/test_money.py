"""Money: what calls cost on their records, and budgets of it for a trial and for a whole run."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from benchwright_proxy.jsonvalue import Json, JsonObject, as_list, as_object
from benchwright_proxy.token import Claims, Limits

from .helpers import (
    FakeProvider,
    Reply,
    Running,
    bearer,
    chat_body,
    claims,
    json_response,
    running,
    until,
    with_each,
)

PRICES = """\
name: test
prices:
  - provider: p
    model: chat
    effective_from: 2020-01-01
    source_url: https://prices.example
    retrieved_at: 2020-01-01
    per_million: {input: "2", output: "10", cache_read: "0.5"}
    variants: [{service_tier: priority, per_million: {input: "4", output: "20", cache_read: "1"}}]
"""
USAGE: JsonObject = {
    "prompt_tokens": 1000,
    "completion_tokens": 100,
    "total_tokens": 1100,
    "prompt_tokens_details": {"cached_tokens": 400},
}
#: 600 × $2 + 400 × $0.50 + 100 × $10 for a million, in nano-dollars.
COST = 1_200_000 + 200_000 + 1_000_000


def answer(**fields: Json) -> bytes:
    choices: Json = [{"message": {"content": "Hi"}, "finish_reason": "stop"}]
    body: JsonObject = {"model": "chat", "choices": choices, "usage": USAGE, **fields}
    return json_response(json.dumps(body).encode())


def prices(folder: Path, port: int) -> JsonObject:
    """For `extra`: all providers have the prices above."""
    path = folder / "prices.yaml"
    path.write_text(PRICES)
    return {**with_each(folder, port, {"prices": "p"}), "pricesFile": str(path)}


@pytest.fixture
async def priced(tmp_path: Path, provider: FakeProvider) -> AsyncIterator[Running]:
    async with running(tmp_path, provider.port, extra=prices(tmp_path, provider.port)) as started:
        yield started


async def ask(proxy: Running, token: Claims, model: str = "chat", **options: Json) -> Reply:
    body: JsonObject = {"max_tokens": 200, **chat_body(model), **options}
    return await proxy.post("/v1/chat/completions", body, token=token)


#: A trial of a run that has a budget of its own.
OF_RUN = replace(claims(), run_uid="r", run_limited=True)


async def limit_run(proxy: Running, limits: Limits) -> JsonObject:
    url = f"{proxy.admin}/v1/run?run_uid=r"
    headers = bearer(claims(role="operator", models=()))
    async with proxy.http.post(url, json=asdict(limits), headers=headers) as response:
        assert response.status == 200
        return as_object(await response.json())


async def test_litellm_40095_without_its_runs_budget_no_call_is_made(
    priced: Running, provider: FakeProvider
) -> None:
    refused = await ask(priced, OF_RUN)
    assert (refused.status, refused.headers["retry-after"]) == (503, "2")
    assert provider.heard == []


@pytest.mark.parametrize(
    "body",
    [b"no", b'{"money": 1}', b'{"requests": -1}', b'{"requests": "9"}', b'{"requests": 1.5}'],
)
async def test_limits_that_are_none_are_refused(priced: Running, body: bytes) -> None:
    url = f"{priced.admin}/v1/run?run_uid=r"
    headers = bearer(claims(role="operator", models=()))
    async with priced.http.post(url, data=body, headers=headers) as response:
        assert response.status == 400
    async with priced.http.post(url, data=b"{}", headers=bearer(claims())) as response:
        assert response.status == 403
    assert (await priced.operator("GET", "/v1/run", run_uid="r")).json()["limits"] is None


async def test_a_call_has_its_cost_and_the_table_it_is_by(
    priced: Running, provider: FakeProvider
) -> None:
    provider.script = [answer()]
    await ask(priced, claims())
    (call,) = await priced.settled()
    assert (call["cost_nanos"], call["cost_unknown"]) == (COST, None)
    assert (call["price_provider"], call["price_model"]) == ("p", "chat")
    assert re.fullmatch(r"built-in\+test 20\d\d-\d\d-\d\d sha256:[0-9a-f]{16}", str(call["prices"]))
    total = await priced.total()
    assert (total["cost_nanos"], total["unknown_cost"]) == (COST, 0)


async def test_the_tier_of_the_response_counts_not_the_one_asked_for(
    priced: Running, provider: FakeProvider
) -> None:
    provider.script = [answer(service_tier="priority")]
    await ask(priced, claims(), service_tier="auto")
    assert (await priced.settled())[0]["cost_nanos"] == 2 * COST


@pytest.mark.parametrize(
    ("model", "fields", "why"),
    [
        ("renamed", {}, "no_price"),
        ("chat", {"service_tier": "flex"}, "no_price_for_service_tier"),
        ("chat", {"usage": None}, "usage_unknown"),
    ],
)
async def test_what_is_not_known_is_not_0(
    priced: Running, provider: FakeProvider, model: str, fields: JsonObject, why: str
) -> None:
    provider.script = [answer(**fields)]
    await ask(priced, claims(), model)
    call = (await priced.settled())[0]
    assert (call["cost_nanos"], call["cost_unknown"]) == (None, why)
    total = await priced.total()
    assert (total["cost_nanos"], total["unknown_cost"]) == (0, 1)


async def test_a_call_that_was_refused_costs_nothing(
    priced: Running, provider: FakeProvider
) -> None:
    provider.script = [json_response(b'{"error":{"type":"x"}}', "429 Too Many Requests")]
    await ask(priced, claims())
    assert (await priced.settled())[0]["cost_nanos"] == 0
    assert (await priced.total())["unknown_cost"] == 0


#: A call of this size may cost its bytes as input and 200 tokens of output, at priority prices.
BODY = len(json.dumps({"max_tokens": 200, **chat_body("chat")}).encode())
MOST = BODY * 4_000 + 200 * 20_000 + 1


async def test_money_is_reserved_at_the_most_that_the_call_can_cost(
    priced: Running, provider: FakeProvider
) -> None:
    provider.script = [answer()]
    assert (await ask(priced, claims(limits=Limits(cost_nanos=MOST - 1)))).status == 400
    assert provider.heard == []
    assert (await ask(priced, claims(limits=Limits(cost_nanos=MOST)))).status == 200
    (call,) = await priced.settled()
    assert call["reserved_nanos"] == MOST


async def test_a_spent_budget_of_money_ends_the_trial_in_words(
    priced: Running, provider: FakeProvider
) -> None:
    provider.script = [answer()]
    token = claims(limits=Limits(cost_nanos=COST + MOST - 1))
    assert (await ask(priced, token)).status == 200
    refused = await ask(priced, token)
    message = as_object(refused.json()["error"])["message"]
    assert refused.status == 400
    assert message == (
        f"this trial's cost limit is ${(COST + MOST - 1) / 1e9:.6g}: ${COST / 1e9:.6g} used, "
        f"and this call may need ${MOST / 1e9:.6g}"
    )
    assert (await priced.usage())["limit_hit"] == "cost"


async def test_a_model_without_a_price_is_refused_where_money_is_limited(
    priced: Running, provider: FakeProvider
) -> None:
    await limit_run(priced, Limits(cost_nanos=10**12))
    for token in (claims(limits=Limits(cost_nanos=10**12)), OF_RUN):
        refused = await ask(priced, token, "renamed")
        assert (refused.status, refused.headers["x-should-retry"]) == (403, "false")
        assert "has no price" in str(as_object(refused.json()["error"])["message"])
    assert provider.heard == []


async def test_a_call_whose_cost_stays_unknown_keeps_its_reservation(
    priced: Running, provider: FakeProvider
) -> None:
    provider.script = [answer(usage=None)]
    token = claims(limits=Limits(cost_nanos=2 * MOST - 1))
    assert (await ask(priced, token)).status == 200
    assert (await ask(priced, token)).status == 400
    assert len(provider.heard) == 1


async def test_200_calls_at_once_of_which_a_budget_allows_50(
    priced: Running, provider: FakeProvider
) -> None:
    """Each may cost MOST and costs as much as that: exactly 50 go out, of trials of one run."""
    usage: JsonObject = {
        "prompt_tokens": BODY,
        "completion_tokens": 200,
        "total_tokens": BODY + 200,
    }
    said: Json = {**usage, "prompt_tokens_details": {"cached_tokens": 0}}
    provider.script = [0.05, answer(usage=said, service_tier="priority")]
    await limit_run(priced, Limits(cost_nanos=50 * (MOST - 1) + 1))
    tokens = [replace(OF_RUN, trial_uid=f"uid-{n % 10}") for n in range(200)]
    replies = await asyncio.gather(*(ask(priced, token) for token in tokens))
    assert sorted(reply.status for reply in replies) == [200] * 50 + [400] * 150
    assert len(provider.heard) == 50
    run = (await priced.operator("GET", "/v1/run", run_uid="r")).json()
    assert (run["requests"], run["limit_hit"]) == (50, "run_cost")
    assert as_object(run["used"])["nanos"] == 50 * (MOST - 1)
    assert as_object(run["held"])["nanos"] == 0


async def test_a_run_that_is_over_its_budget_says_so_and_others_go_on(
    priced: Running, provider: FakeProvider
) -> None:
    provider.script = [answer()]
    await limit_run(priced, Limits(requests=1))
    assert (await ask(priced, OF_RUN)).status == 200
    refused = await ask(priced, replace(OF_RUN, trial_uid="uid-2"))
    assert refused.status == 400
    assert b"this run's requests limit is 1" in refused.body
    assert (await priced.usage("uid-2"))["limit_hit"] == "run_requests"
    assert (await ask(priced, replace(OF_RUN, run_uid="r2", run_limited=False))).status == 200
    assert (await ask(priced, claims())).status == 200
    # Somebody raises it: what was hit is history.
    run = await limit_run(priced, Limits(requests=2))
    assert run["limit_hit"] is None
    assert (await ask(priced, OF_RUN)).status == 200
    assert (await ask(priced, OF_RUN)).status == 400


async def test_a_call_waits_for_what_other_trials_of_its_run_hold(
    priced: Running, provider: FakeProvider
) -> None:
    gate = asyncio.Event()
    provider.script = [gate, answer()]
    await limit_run(priced, Limits(cost_nanos=MOST + COST))
    tokens = [OF_RUN, replace(OF_RUN, trial_uid="uid-2")]
    tasks = [asyncio.create_task(ask(priced, token)) for token in tokens]
    await until(lambda: priced.proxy.ledger.waiting() == 1 and provider.heard)
    assert len(provider.heard) == 1
    gate.set()
    assert [reply.status for reply in await asyncio.gather(*tasks)] == [200, 200]


async def test_budgets_of_money_and_runs_survive_a_restart(
    tmp_path: Path, provider: FakeProvider
) -> None:
    extra = prices(tmp_path, provider.port)
    provider.script = [answer()]
    seen = []
    for start in range(2):
        async with running(tmp_path, provider.port, extra=extra) as proxy:
            if start == 0:
                await limit_run(proxy, Limits(cost_nanos=10**12))
            assert (await ask(proxy, OF_RUN)).status == 200
            seen.append((await proxy.operator("GET", "/v1/run", run_uid="r")).json())
    assert [(run["requests"], as_object(run["used"])["nanos"]) for run in seen] == [
        (1, COST), (2, 2 * COST),
    ]  # fmt: skip
    assert as_object(seen[1]["limits"])["cost_nanos"] == 10**12


async def test_litellm_39455_tries_of_one_request_are_one_operation(
    priced: Running, provider: FakeProvider
) -> None:
    provider.script = [json_response(b"{}", "500 Internal Server Error")]
    await ask(priced, claims())
    await ask(priced, claims())
    provider.script = [answer()]
    await ask(priced, claims())
    await ask(priced, claims(), max_tokens=201)
    total = await priced.total()
    assert (total["requests"], total["operations"]) == (4, 2)
    calls = await priced.settled()
    assert [call["operation"] for call in calls] == [calls[0]["call"]] * 3 + [calls[3]["call"]]


async def test_the_same_request_after_a_success_is_another_operation(
    priced: Running, provider: FakeProvider
) -> None:
    provider.script = [answer()]
    await ask(priced, claims())
    await ask(priced, claims())
    assert (await priced.total())["operations"] == 2


@pytest.mark.parametrize(
    ("status", "headers", "seconds"),
    [
        ("429 Too Many Requests", "Retry-After: 7\r\n", 7.0),
        ("429 Too Many Requests", "retry-after-ms: 1500\r\n", 1.5),
        ("429 Too Many Requests", "Retry-After: Fri, 31 Dec 2027 23:59:59 GMT\r\n", 10.0),
        ("529 Overloaded", "", 10.0),
        ("429 Too Many Requests", "Retry-After: 99999\r\n", 600.0),
        ("429 Too Many Requests", "Retry-After: -3\r\n", 10.0),
        ("500 Internal Server Error", "Retry-After: 7\r\n", None),
    ],
)
async def test_a_provider_at_its_limit_is_told_to_the_operator(
    priced: Running, provider: FakeProvider, status: str, headers: str, seconds: float | None
) -> None:
    provider.script = [json_response(b"{}", status, headers)]
    reply = await ask(priced, claims())
    assert reply.status == int(status[:3])
    assert (await priced.settled())[0]["retry_after_seconds"] == seconds
    listed = (await priced.operator("GET", "/v1/models")).json()["models"]
    chat = next(m for m in map(as_object, as_list(listed)) if m["name"] == "chat")
    left = chat["throttled_seconds"]
    assert isinstance(left, float)
    assert (seconds or 0.0) - 1 <= left <= (seconds or 0.0)
    assert chat["throttled_recently"] == (0 if seconds is None else 1)
    assert chat["priced"] is True


async def test_a_bad_table_keeps_the_proxy_from_starting(
    tmp_path: Path, provider: FakeProvider
) -> None:
    (tmp_path / "prices.yaml").write_text("name: t\nprices: [{}]\n")
    extra: JsonObject = {"pricesFile": str(tmp_path / "prices.yaml")}
    with pytest.raises(Exception, match=r"prices\.yaml: prices\[0\]"):
        async with running(tmp_path, provider.port, extra=extra):
            pass
