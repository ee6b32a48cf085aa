"""Who gets in, and which paths there are."""

import asyncio
from pathlib import Path

import pytest

from benchwright_proxy.jsonvalue import as_list, as_object
from benchwright_proxy.token import Claims, sign

from .helpers import KEY, Running, chat_body, claims, message_body, running

WORKSPACE = sign(claims(), KEY)


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": f"Bearer {WORKSPACE}"},
        {"authorization": f"bearer  {WORKSPACE}"},
        {"x-api-key": WORKSPACE},
        {"api-key": WORKSPACE},
        {"x-goog-api-key": WORKSPACE},
        {"Authorization": "Bearer sk-foreign", "x-api-key": WORKSPACE},
    ],
)
async def test_a_token_is_taken_from_any_credential(
    proxy: Running, headers: dict[str, str]
) -> None:
    async with proxy.http.get(proxy.data + "/v1/models", headers=headers) as response:
        assert response.status == 200


REFUSED = [
    pytest.param({}, 401, "no token", id="no credential"),
    pytest.param({"Authorization": "Bearer"}, 401, "no token", id="empty bearer"),
    pytest.param({"Authorization": f"Basic {WORKSPACE}"}, 401, "no token", id="basic"),
    pytest.param({"x-other-api-key": WORKSPACE}, 401, "no token", id="another header"),
    pytest.param({"x-api-key": "sk-ant-real"}, 401, "malformed", id="a foreign key"),
    pytest.param({"x-api-key": WORKSPACE[:-1]}, 401, "bad_signature", id="a shorter token"),
    pytest.param(
        {"Authorization": f"Bearer {sign(claims(), b'x' * 40)}"}, 401, "bad_signature", id="forged"
    ),
    pytest.param({"x-api-key": sign(claims(expires_at=1), KEY)}, 401, "expired", id="expired"),
    pytest.param(
        {"x-api-key": sign(claims(audience="results"), KEY)}, 401, "wrong_audience", id="audience"
    ),
    pytest.param({"x-api-key": sign(claims(role="operator"), KEY)}, 403, "role", id="operator"),
    pytest.param({"x-api-key": sign(claims(role="harness"), KEY)}, 403, "role", id="harness"),
]


@pytest.mark.parametrize(("headers", "status", "says"), REFUSED)
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/nowhere", "/v1/models"])
async def test_cve_2026_59822_a_failed_check_is_final(
    proxy: Running, headers: dict[str, str], status: int, says: str, path: str
) -> None:
    method = "GET" if path == "/v1/models" else "POST"
    async with proxy.http.request(method, proxy.data + path, headers=headers) as response:
        body = await response.json()
        assert (response.status, response.headers["x-should-retry"]) == (status, "false")
        assert says in body["error"]["message"]


async def test_cve_2026_49468_the_host_header_opens_nothing(proxy: Running) -> None:
    for host in ("localhost", "evil/healthz", "proxy:8081"):
        headers = {"Host": host}
        url = proxy.data + "/v1/models"
        async with proxy.http.get(url, headers=headers) as response:
            assert response.status == 401


UNKNOWN = [
    "/v1/chat/completions/",
    "/v1//chat/completions",
    "//v1/chat/completions",
    "/v1/chat%2Fcompletions",
    "/v1/./chat/completions",
    "/v1/x/../chat/completions",
    "/v1/%2e%2e/v1/chat/completions",
    "/V1/chat/completions",
    "/v1/chat/completions%3Fx",
    "/openai/v1/messages",
    "/anthropic/v1/chat/completions",
    "/v1/files",
    "/v1/responses/",
    "/v1/responses/resp_1",
    "/v1/usage",
    "/metrics",
    "/readyz",
]


@pytest.mark.parametrize("path", UNKNOWN)
async def test_litellm_26938_only_exact_paths_exist(proxy: Running, path: str) -> None:
    host, port = proxy.proxy.data_address
    reader, writer = await asyncio.open_connection(host, port)
    body = b'{"model":"demo","messages":[]}'
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {WORKSPACE}\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    assert (await reader.readline()).startswith(b"HTTP/1.1 404")
    writer.close()
    assert (await proxy.total())["requests"] == 0


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"])
async def test_other_methods_are_unknown(proxy: Running, method: str) -> None:
    async with proxy.http.request(
        method, proxy.data + "/v1/chat/completions", headers={"x-api-key": WORKSPACE}
    ) as response:
        assert response.status == 404


@pytest.mark.parametrize("path", ["/", "/healthz"])
async def test_probes_need_no_token(proxy: Running, path: str) -> None:
    async with proxy.http.get(proxy.data + path) as response:
        assert (response.status, await response.json()) == (200, {"service": "benchwright-proxy"})
    async with proxy.http.head(proxy.data + path) as response:
        assert response.status == 200


async def test_errors_have_the_callers_shape(proxy: Running) -> None:
    for path, shape in {
        "/v1/messages/x": "error",
        "/anthropic/x": "error",
        "/openai/x": None,
        "/v1/x": None,
    }.items():
        reply = await proxy.post(path, {})
        assert reply.json().get("type") == shape, path
    reply = await proxy.post("/v1/x", {}, headers={"anthropic-version": "2023-06-01"})
    assert reply.json()["type"] == "error"


async def listed(proxy: Running, path: str, token: Claims, **headers: str) -> list[object]:
    sent = {"x-api-key": sign(token, KEY), **headers}
    async with proxy.http.get(proxy.data + path, headers=sent) as response:
        body = as_object(await response.json())
        return [as_object(entry)["id"] for entry in as_list(body["data"])]


async def test_the_models_listed_are_those_of_the_token(proxy: Running) -> None:
    token = claims(models=["chat", "demo", "not-configured"])
    for path in ("/v1/models", "/models", "/openai/v1/models", "/anthropic/v1/models"):
        assert await listed(proxy, path, token) == ["demo", "chat"]
    assert await listed(proxy, "/v1/models", claims(models=[])) == []


async def test_a_model_outside_the_token_is_refused_by_name(proxy: Running) -> None:
    reply = await proxy.post(
        "/v1/chat/completions", chat_body("chat"), token=claims(models=["demo"])
    )
    assert reply.status == 403
    error = as_object(reply.json()["error"])
    assert error["message"] == "this trial may not use model 'chat'; it may use: demo"


async def test_litellm_40095_no_models_listed_is_no_model_allowed(proxy: Running) -> None:
    reply = await proxy.post("/v1/chat/completions", chat_body(), token=claims(models=[]))
    assert (reply.status, b"may use: none" in reply.body) == (403, True)


async def test_a_model_that_is_not_configured(proxy: Running) -> None:
    token = claims(models=["gone", "demo"])
    reply = await proxy.post("/v1/messages", message_body("gone"), token=token)
    assert reply.status == 404
    assert b"'gone' is not configured in the proxy; this trial may use: demo" in reply.body


@pytest.mark.parametrize(
    ("path", "model", "fitting"),
    [("/v1/messages", "chat", "demo, claude"), ("/v1/chat/completions", "claude", "demo, chat")],
)
async def test_litellm_41067_the_wrong_dialect_is_refused_not_translated(
    proxy: Running, path: str, model: str, fitting: str
) -> None:
    reply = await proxy.post(path, message_body(model))
    assert reply.status == 400
    assert fitting in str(as_object(reply.json()["error"])["message"])
    total = await proxy.total()
    assert (total["requests"], total["refused"]) == (0, 1)


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"", {}, 400),
        (b"not json", {}, 400),
        (b"{}", {"Content-Encoding": "gzip"}, 400),
        (b'{"model":"demo","x":"' + b"x" * 2000 + b'"}', {}, 413),
    ],
)
async def test_unusable_bodies(
    tmp_path: Path, body: bytes, headers: dict[str, str], status: int
) -> None:
    async with running(tmp_path, extra={"bounds": {"requestBytes": 1024}}) as proxy:
        reply = await proxy.post("/v1/chat/completions", body, headers=headers)
        assert reply.status == status
        assert (await proxy.total())["refused"] == 1


async def test_agentgateway_880_a_large_body_is_taken(proxy: Running) -> None:
    reply = await proxy.chat(messages=[{"role": "user", "content": "x" * 5_000_000}])
    assert reply.status == 200


async def test_expect_100_continue_is_answered(proxy: Running) -> None:
    reply = await proxy.post(
        "/v1/chat/completions", chat_body(), headers={"Expect": "100-continue"}
    )
    assert reply.status == 200
