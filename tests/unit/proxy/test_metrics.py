"""Metrics: what is unknown, what failed and what was refused are three things, with few labels."""

import json
import re

import pytest

from .helpers import FakeProvider, Running, Step, claims, json_response
from .test_relay import CHAT

WHO = 'dialect="openai",model="chat",provider="openai"'
SILENT = json.dumps({k: v for k, v in json.loads(CHAT).items() if k != "usage"}).encode()
NOTHING = json.dumps(
    {**json.loads(CHAT), "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}}
).encode()
ENDS: dict[str, tuple[Step, str, str, str]] = {
    "an answer": (json_response(CHAT), "ok", "provider", "2xx"),
    "an answer that says nothing of tokens": (json_response(SILENT), "ok", "unknown", "2xx"),
    "an answer of no tokens": (json_response(NOTHING), "ok", "provider", "2xx"),
    "a provider that refuses": (
        json_response(b"{}", "429 Too Many"), "http_error", "unknown", "4xx",
    ),
    "a provider that breaks": (json_response(b"{}", "500 Oops"), "http_error", "unknown", "5xx"),
    "an odd status": (json_response(b"{}", "999 Odd"), "http_error", "unknown", "9xx"),
    "no answer at all": ("reset", "no_response", "unknown", "none"),
}  # fmt: skip


async def samples(proxy: Running) -> dict[str, float]:
    """Sample by name and labels, as Prometheus reads them."""
    text = (await proxy.operator("GET", "/metrics")).body.decode()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found = {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}
    return {
        n.removeprefix("benchwright_proxy_"): v for n, v in found.items() if "_created" not in n
    }


@pytest.mark.parametrize("name", ENDS)
async def test_how_a_call_ended_and_what_is_known_of_its_tokens(
    proxy: Running, provider: FakeProvider, name: str
) -> None:
    step, status, source, status_class = ENDS[name]
    provider.script = [step]
    await proxy.chat("chat")
    await proxy.settled()
    found = await samples(proxy)
    assert found[f'call_ends_total{{{WHO},status="{status}",usage_source="{source}"}}'] == 1
    assert found[f'calls_total{{{WHO},status_class="{status_class}"}}'] == 1
    tokens = {n: v for n, v in found.items() if n.startswith("tokens_total")}
    assert bool(tokens) is (name == "an answer"), "unknown tokens are no tokens of any number"
    assert not any(n.startswith("refusals_total") for n in found)


async def test_a_refusal_is_no_call_that_failed(proxy: Running) -> None:
    await proxy.chat("nope")
    await proxy.post("/v1/chat/completions", b"{", token=claims())
    await proxy.post("/v1/chat/completions", b"{}", token="sk-bw-forged.x")
    found = await samples(proxy)
    refused = {n: v for n, v in found.items() if n.startswith("refusals_total")}
    assert refused == {
        'refusals_total{reason="model_not_allowed"}': 1,
        'refusals_total{reason="bad_request"}': 1,
        'refusals_total{reason="unauthenticated"}': 1,
    }
    assert not any(n.startswith(("calls_total", "call_ends_total")) for n in found)


async def test_agents_cannot_make_labels(proxy: Running, provider: FakeProvider) -> None:
    provider.script = [json_response(CHAT)]
    for number in range(25):
        token = claims(trial_uid=f"uid-{number}", stage=f"stage-{number}", models=("chat",))
        body = {"model": "chat" if number % 2 else f"made-up-{number}", "messages": []}
        await proxy.post("/v1/chat/completions", body, token=token)  # type: ignore[arg-type]
        await proxy.post(f"/v1/made-up-{number}", {}, token=token)
    found = await samples(proxy)
    assert not [name for name in found if re.search(r"(uid|stage|made-up)-\d", name)]
    assert len(found) < 60
