"""A proxy in this process, a fake provider that sends exactly what it is told, and a client."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
from msgspec import structs

from benchwright_proxy.config import Config
from benchwright_proxy.jsonvalue import Json, JsonObject, as_list, as_object
from benchwright_proxy.server import Options, Proxy
from benchwright_proxy.token import Claims, Limits, sign

KEY = b"a-signing-key-of-enough-characters"
PROVIDER_KEY = "sk-provider-CANARY-key"
FOREVER = 4_000_000_000
DATA = Path(__file__).parent / "data"


def claims(
    *,
    role: str = "workspace",
    audience: str = "proxy",
    stage: str = "work",
    attempt: int = 1,
    models: Sequence[str] = ("demo", "chat", "claude", "renamed", "gem", "az"),
    limits: Limits | None = None,
    trial_uid: str = "uid-1",
    expires_at: int = FOREVER,
) -> Claims:
    """Claims of a trial, one thing different."""
    return Claims(
        audience=audience,
        role=role,
        namespace="bench",
        run="run-1",
        trial="run-1-0",
        trial_uid=trial_uid,
        attempt=attempt,
        stage=stage,
        models=tuple(models),
        limits=limits or Limits(),
        expires_at=expires_at,
    )


@dataclass
class Heard:
    """A request as a provider got it."""

    line: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> JsonObject:
        return as_object(json.loads(self.body))


Step = bytes | float | str | asyncio.Event


@dataclass
class FakeProvider:
    """Answers every request with `script`: bytes are sent, numbers are slept, events are awaited,
    "reset" resets the connection. Then the connection is closed."""

    script: list[Step] = field(default_factory=list)
    heard: list[Heard] = field(default_factory=list)
    port: int = 0
    finished: int = 0
    broken: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            line, *rest = head.rstrip().split("\r\n")
            headers = {name.lower(): value for name, value in (row.split(": ", 1) for row in rest)}
            size = int(headers.get("content-length", "0"))
            self.heard.append(Heard(line, headers, await reader.readexactly(size)))
            await self._play(writer)
            self.finished += 1
        except (ConnectionError, asyncio.IncompleteReadError):
            self.broken += 1
        finally:
            writer.close()

    async def _play(self, writer: asyncio.StreamWriter) -> None:
        for step in list(self.script):
            if isinstance(step, bytes):
                writer.write(step)
                await writer.drain()
            elif isinstance(step, asyncio.Event):
                await step.wait()
            elif isinstance(step, float | int):
                await asyncio.sleep(step)
            else:
                writer.transport.abort()


@asynccontextmanager
async def fake_provider() -> AsyncIterator[FakeProvider]:
    fake = FakeProvider()
    server = await asyncio.start_server(fake.serve, "127.0.0.1", 0, limit=2**26)
    fake.port = server.sockets[0].getsockname()[1]
    try:
        yield fake
    finally:
        server.close()


def json_response(body: bytes, status: str = "200 OK", headers: str = "") -> bytes:
    """A whole response with a JSON body."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{headers}"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def sse_head(headers: str = "") -> bytes:
    return (
        f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{headers}"
        "Transfer-Encoding: chunked\r\n\r\n"
    ).encode()


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


LAST_CHUNK = b"0\r\n\r\n"


async def until(holds: Callable[[], object]) -> None:
    """Wait for something that nobody announces."""
    for _ in range(1000):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never happened")


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> JsonObject:
        return as_object(json.loads(self.body))


@dataclass
class Running:
    """A proxy, and how to talk to it."""

    proxy: Proxy
    http: aiohttp.ClientSession
    folder: Path

    @property
    def data(self) -> str:
        return "http://{}:{}".format(*self.proxy.data_address)

    @property
    def admin(self) -> str:
        return "http://{}:{}".format(*self.proxy.admin_address)

    async def post(
        self,
        path: str,
        body: "Json | bytes",
        *,
        token: Claims | str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Reply:
        """POST to the data port; `token` None is a workspace's without limits."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = {**bearer(token or claims()), **(headers or {})}
        async with self.http.post(self.data + path, data=data, headers=sent) as response:
            return Reply(
                response.status,
                {name.lower(): value for name, value in response.headers.items()},
                await response.read(),
            )

    async def chat(self, model: str = "demo", **options: Json) -> Reply:
        token = options.pop("token", None)
        assert token is None
        return await self.post("/v1/chat/completions", chat_body(model, **options))

    async def operator(self, method: str, path: str, **query: str | int) -> Reply:
        """A request to the admin port with an operator's token."""
        async with self.http.request(
            method,
            self.admin + path,
            params=query,
            headers=bearer(claims(role="operator", models=())),
        ) as response:
            return Reply(response.status, dict(response.headers), await response.read())

    async def usage(self, trial_uid: str = "uid-1", attempt: int = 1) -> JsonObject:
        reply = await self.operator("GET", "/v1/usage", trial_uid=trial_uid, attempt=attempt)
        assert reply.status == 200, reply.body
        return reply.json()

    async def total(self, trial_uid: str = "uid-1", attempt: int = 1) -> JsonObject:
        return as_object((await self.usage(trial_uid, attempt))["total"])

    async def calls(self) -> list[JsonObject]:
        reply = await self.operator("GET", "/v1/calls", trial_uid="uid-1", attempt=1)
        return [as_object(call) for call in as_list(reply.json()["calls"])]

    async def settled(self) -> list[JsonObject]:
        """The calls, once none is in flight."""
        await self.proxy.ledger.idle(("uid-1", 1), 5)
        return await self.calls()

    def scripted_log(self) -> list[JsonObject]:
        lines = (self.folder / "journal" / "scripted.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


def bearer(token: Claims | str) -> dict[str, str]:
    text = token if isinstance(token, str) else sign(token, KEY)
    return {"Authorization": f"Bearer {text}"}


def chat_body(model: str = "demo", **options: Json) -> JsonObject:
    return {"model": model, "messages": [{"role": "user", "content": "hello"}], **options}


def message_body(model: str = "demo", **options: Json) -> JsonObject:
    return {"max_tokens": 1000, **chat_body(model), **options}


#: Two turns, enough for most tests.
DIALOGUE = """\
name: demo
turns:
  - text: "Hello there."
    usage: {input_tokens: 1200, cached_input_tokens: 1000, output_tokens: 55, reasoning_tokens: 12}
  - tool_calls: [{name: bash, arguments: {command: ls}}]
    usage: {input_tokens: 1300, cached_input_tokens: 1200, output_tokens: 20}
"""


def write_setup(
    folder: Path, port: int, dialogue: str = DIALOGUE, extra: JsonObject | None = None
) -> JsonObject:
    """Keys and a dialogue in `folder`, and the content of a config that uses them."""
    (folder / "dialogues").mkdir(exist_ok=True)
    (folder / "dialogues" / "demo.yaml").write_text(dialogue)
    (folder / "signing-key").write_bytes(KEY + b"\n")
    (folder / "provider-key").write_text(PROVIDER_KEY + "\n")
    key, url = str(folder / "provider-key"), f"http://127.0.0.1:{port}"
    return {
        "providers": [
            {"name": "scripted", "dialect": "scripted", "dialogues": str(folder / "dialogues")},
            {"name": "openai", "dialect": "openai", "baseUrl": url + "/v1", "keyFile": key},
            {"name": "anthropic", "dialect": "anthropic", "baseUrl": url, "keyFile": key},
            {"name": "gemini", "dialect": "gemini", "baseUrl": url, "keyFile": key},
            {
                "name": "azure",
                "dialect": "azure",
                "baseUrl": url,
                "keyFile": key,
                "apiVersion": "2024-10-21",
            },
        ],
        "models": [
            {"name": "demo", "provider": "scripted", "dialogue": "demo.yaml"},
            {"name": "chat", "provider": "openai"},
            {"name": "claude", "provider": "anthropic"},
            {"name": "gem", "provider": "gemini", "upstreamModel": "gem-real"},
            {"name": "az", "provider": "azure", "upstreamModel": "my-deployment"},
            {
                "name": "renamed",
                "provider": "openai",
                "upstreamModel": "real-name",
                "maxOutputTokens": 500,
            },
        ],
        **(extra or {}),
    }


def with_each(folder: Path, port: int, more: JsonObject) -> JsonObject:
    """For `extra`: the providers on the network, each with something more."""
    given = map(as_object, as_list(write_setup(folder, port)["providers"]))
    return {"providers": [p if p["dialect"] == "scripted" else {**p, **more} for p in given]}


def options(
    folder: Path, port: int, dialogue: str = DIALOGUE, extra: JsonObject | None = None
) -> Options:
    return Options(
        # Not by way of a file: reading YAML would be half of the time of these tests.
        config=Config.model_validate(write_setup(folder, port, dialogue, extra)),
        journal=folder / "journal",
        key_files=(folder / "signing-key",),
        host="127.0.0.1",
        port=0,
        admin_port=0,
    )


@asynccontextmanager
async def running(
    folder: Path,
    port: int = 1,
    dialogue: str = DIALOGUE,
    extra: JsonObject | None = None,
    grace_seconds: float = 0.2,
) -> AsyncIterator[Running]:
    """A proxy whose network providers are at `port`."""
    found = options(folder, port, dialogue, extra)
    proxy = Proxy(structs.replace(found, grace_seconds=grace_seconds))
    await proxy.start()
    try:
        timeout = aiohttp.ClientTimeout(total=60)
        async with aiohttp.ClientSession(timeout=timeout, auto_decompress=False) as http:
            yield Running(proxy, http, folder)
    finally:
        await proxy.stop()
