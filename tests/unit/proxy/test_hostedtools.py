"""A model's own tools are no way out of a workspace without network."""

import pytest

from benchwright_proxy.jsonvalue import Json, JsonObject

from .helpers import FakeProvider, Running, chat_body, message_body

FUNCTION: Json = {"type": "function", "function": {"name": "web_search"}}
GEM: JsonObject = {"contents": [{"parts": [{"text": "look up google_search and mcp"}]}]}
OFFERED: list[tuple[str, str, JsonObject]] = [
    ("openai", "/v1/responses", {"model": "chat", "input": "x", "tools": [{"type": "web_search"}]}),
    (
        "a preview",
        "/v1/responses",
        {"model": "chat", "input": "x", "tools": [FUNCTION, {"type": "web_search_preview_2025"}]},
    ),
    (
        "a remote server",
        "/v1/responses",
        {"model": "chat", "input": "x", "tools": [{"type": "mcp", "server_url": "https://x"}]},
    ),
    ("a chat's option", "/v1/chat/completions", chat_body("chat", web_search_options={"a": 1})),
    (
        "anthropic",
        "/v1/messages",
        message_body("claude", tools=[{"type": "web_fetch_20260101", "name": "web_fetch"}]),
    ),
    ("servers", "/v1/messages", message_body("claude", mcp_servers=[{"url": "https://x"}])),
    ("gemini", "/v1beta/models/gem:generateContent", {**GEM, "tools": [{"googleSearch": {}}]}),
    ("its other spelling", "/v1beta/models/gem:generateContent", {**GEM, "tools": [{"url_context": {}}]}),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body"), [o[1:] for o in OFFERED], ids=[o[0] for o in OFFERED])
async def test_a_hosted_tool_that_reaches_the_network_is_refused(
    proxy: Running, provider: FakeProvider, path: str, body: JsonObject
) -> None:
    reply = await proxy.post(path, body)
    assert (reply.status, reply.headers["x-should-retry"]) == (403, "false")
    assert b"reaches the network" in reply.body
    assert provider.heard == []


async def test_an_escaped_name_is_the_same_name(proxy: Running, provider: FakeProvider) -> None:
    body = b'{"model":"chat","input":"x","tools":[{"type":"\\u0077eb_sear\\u0063h"}]}'
    assert (await proxy.post("/v1/responses", body)).status == 403
    body = b'{"model":"chat","input":"x","\\u0074ools":[{"t\\u0079pe":"web_search"}]}'
    assert (await proxy.post("/v1/responses", body)).status == 403
    assert provider.heard == []


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", chat_body(tools=[FUNCTION])),
        ("/v1/chat/completions", chat_body(messages=[{"role": "user", "content": "web_search"}])),
        ("/v1/messages", message_body(tools=[{"name": "web_fetch", "input_schema": {}}])),
        ("/v1/messages", message_body(tools=[{"type": "bash_20250124", "name": "bash"}])),
        ("/v1beta/models/demo:generateContent", {**GEM, "tools": [{"functionDeclarations": []}]}),
        ("/v1/responses", {"model": "demo", "input": "x", "tools": [{"type": "code_interpreter"}]}),
    ],
)
async def test_the_agents_own_tools_may_have_any_name(
    proxy: Running, path: str, body: JsonObject
) -> None:
    assert (await proxy.post(path, body)).status == 200
