"""The client: raw JSON, and errors in the API server's own words."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from benchwright.kube.client import EVENTS, PODS, TRIALS, KubeClient
from benchwright.kube.config import Login
from benchwright.kube.errors import ApiError
from benchwright.kube.patience import ATTEMPTS, LONGEST

Json = dict[str, Any]


class Server:
    """Answers every request with the next of `answers` and remembers what came."""

    def __init__(self, *answers: web.Response):
        self.answers, self.heard = list(answers), list[tuple[str, str, Json | None, str | None]]()

    async def handle(self, request: web.Request) -> web.Response:
        body = json.loads(await request.read() or b"null")
        self.heard.append((request.method, request.path, body, request.headers.get("Content-Type")))
        self.headers = request.headers
        return self.answers.pop(0)


Slept = list[float]


@asynccontextmanager
async def client(
    server: Server, slept: Slept | None = None, **login: Any
) -> AsyncIterator[KubeClient]:
    """A client that sleeps in no time and writes it down."""
    naps = [] if slept is None else slept

    async def sleep(seconds: float) -> None:
        naps.append(seconds)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", server.handle)
    async with TestServer(app) as running:
        url = str(running.make_url("")).rstrip("/")
        values = {"tls": None, "token": "secret", "token_file": None, "namespace": "bench", **login}
        async with KubeClient(Login(url, **values), sleep) as kube:
            yield kube


def status(code: int, reason: str = "", message: str = "", **headers: str) -> web.Response:
    body = {"kind": "Status", "code": code, "reason": reason, "message": message}
    return web.json_response(
        body, status=code, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


def busy(code: int = 429, after: str | None = "3") -> web.Response:
    return status(code, "Busy", **({"Retry_After": after} if after else {}))


def status_like(answer: web.Response) -> web.Response:
    """A response can be sent once only."""
    return web.Response(status=answer.status, body=answer.body, headers=answer.headers)


async def _error(answer: web.Response) -> ApiError:
    again = (status_like(answer) for _ in range(ATTEMPTS))
    async with client(Server(*again)) as kube:
        with pytest.raises(ApiError) as caught:
            await kube.get(PODS, "bench", "a")
    return caught.value


async def test_paths_and_bodies_of_each_verb() -> None:
    server = Server(*(web.json_response({"ok": n}) for n in range(4)))
    async with client(server) as kube:
        assert await kube.get(PODS, "bench", "a") == {"ok": 0}
        await kube.create(TRIALS, "bench", {"x": 1})
        await kube.patch_status(TRIALS, "bench", "a", {"phase": "Running"}, "7")
        await kube.delete(PODS, "bench", "a")
    trials = "/apis/benchwright.dev/v1alpha1/namespaces/bench/trials"
    patch = {"status": {"phase": "Running"}, "metadata": {"resourceVersion": "7"}}
    assert server.heard == [
        ("GET", "/api/v1/namespaces/bench/pods/a", None, None),
        ("POST", trials, {"x": 1}, "application/json"),
        ("PATCH", f"{trials}/a/status", patch, "application/merge-patch+json"),
        ("DELETE", "/api/v1/namespaces/bench/pods/a", None, None),
    ]
    assert server.headers["Authorization"] == "Bearer secret"


async def test_a_patch_without_a_version_has_no_precondition() -> None:
    server = Server(web.json_response({}))
    async with client(server) as kube:
        await kube.patch_status(TRIALS, "bench", "a", {})
    assert server.heard[0][2] == {"status": {}}


async def test_a_token_file_is_read_for_every_call_since_tokens_rotate(tmp_path: Path) -> None:
    token, server = tmp_path / "token", Server(web.json_response({}), web.json_response({}))
    async with client(server, token=None, token_file=token) as kube:
        for text in ("one\n", "two\n"):
            token.write_text(text)
            await kube.get(PODS, "bench", "a")
            assert server.headers["Authorization"] == f"Bearer {text.strip()}"


async def test_deleting_what_is_gone_is_what_was_wanted() -> None:
    async with client(Server(status(404, "NotFound"))) as kube:
        await kube.delete(PODS, "bench", "a")


async def test_deleting_that_fails_otherwise_is_an_error() -> None:
    async with client(Server(status(500, "InternalError"))) as kube:
        with pytest.raises(ApiError):
            await kube.delete(PODS, "bench", "a")


@pytest.mark.parametrize(
    ("answer", "true"),
    [
        (status(404, "NotFound"), {"not_found"}),
        (status(409, "AlreadyExists"), {"already_exists"}),
        (status(409, "Conflict"), {"conflict", "passing"}),
        (status(410, "Expired"), {"gone"}),
        (status(403, "Forbidden", 'pods "x" is forbidden: exceeded quota: q'), {"over_quota"}),
        (status(403, "Forbidden", "violates PodSecurity"), {"rejected"}),
        (status(422, "Invalid", "spec.containers: required"), {"rejected", "impossible"}),
        (status(400, "BadRequest", "strict decoding"), {"rejected", "impossible"}),
        (status(413, "RequestEntityTooLarge", "limit is 3145728"), {"rejected", "impossible"}),
        (status(429, "TooManyRequests", Retry_After="3"), {"passing"}),
        (status(500, "InternalError", "failed calling webhook"), set()),
        (status(503, "ServiceUnavailable"), {"passing"}),
        (status(504, "Timeout"), {"passing"}),
    ],
    ids=[
        "404", "409 AlreadyExists", "409 Conflict", "410", "403 by quota", "403 by policy", "422", "400",
        "413", "429", "500", "503", "504",
    ],
)  # fmt: skip
async def test_kinds_of_errors(answer: web.Response, true: set[str]) -> None:
    error = await _error(answer)
    kinds = (
        "not_found", "already_exists", "conflict", "gone", "over_quota", "rejected", "impossible", "passing",
    )  # fmt: skip
    assert {kind for kind in kinds if getattr(error, kind)} == true
    assert error.status == answer.status


async def test_how_long_to_wait_is_kept() -> None:
    assert (await _error(status(429, "TooManyRequests", Retry_After="3"))).retry_after == 3.0
    assert (await _error(status(429, "TooManyRequests"))).retry_after is None
    date = status(503, "", Retry_After="Wed, 21 Oct 2026 07:28:00 GMT")
    assert (await _error(date)).retry_after is None


async def _watch(kube: KubeClient) -> None:
    async for _ in kube.watch(PODS, "bench", {}, inactivity=5.0):
        pass


VERBS: dict[str, Callable[[KubeClient], Awaitable[object]]] = {
    "get": lambda kube: kube.get(PODS, "bench", "a"),
    "list": lambda kube: kube.list_all(PODS, "bench"),
    "watch": _watch,
    "create": lambda kube: kube.create(TRIALS, "bench", {}),
    "create an event": lambda kube: kube.create(EVENTS, "bench", {}),
    "patch status": lambda kube: kube.patch_status(TRIALS, "bench", "a", {}, "7"),
    "delete": lambda kube: kube.delete(PODS, "bench", "a"),
}


@pytest.mark.parametrize("code", [429, 503])
@pytest.mark.parametrize("verb", VERBS)
async def test_a_busy_server_is_called_again_after_as_long_as_it_asks(verb: str, code: int) -> None:
    """Whatever the verb: a status that is not written leaves a pod without a record."""
    slept: Slept = []
    async with client(Server(busy(code), busy(code, "0"), web.json_response({})), slept) as kube:
        await VERBS[verb](kube)
    assert slept == [3.0, 0.1], "0 is no invitation to hammer"


async def test_what_was_to_be_written_is_the_same_the_second_time() -> None:
    server = Server(busy(), web.json_response({}))
    async with client(server) as kube:
        await kube.patch_status(TRIALS, "bench", "a", {"phase": "Running"}, "7")
    first, second = server.heard
    assert first == second


@pytest.mark.parametrize(
    ("answer", "attempts"),
    [
        (lambda: busy(), ATTEMPTS),
        (lambda: busy(after=str(int(LONGEST) + 1)), 1),
        (lambda: busy(after=None), 1),
        (lambda: status(500, "InternalError", Retry_After="3"), 1),
        (lambda: status(409, "Conflict", Retry_After="3"), 1),
    ],
    ids=[
        "it stays busy", "it asks for longer than a worker may be held", "it does not say how long",
        "a failure is not busy", "a conflict needs another decision, not the same again",
    ],
)  # fmt: skip
async def test_patience_has_an_end_and_the_caller_hears_what_was_said(
    answer: Callable[[], web.Response], attempts: int
) -> None:
    server = Server(*[answer() for _ in range(ATTEMPTS + 1)])
    async with client(server) as kube:
        with pytest.raises(ApiError):
            await kube.create(PODS, "bench", {})
    assert len(server.heard) == attempts


async def test_the_message_is_the_servers() -> None:
    assert (
        str(await _error(status(422, "Invalid", "no such field"))) == "422 Invalid: no such field"
    )


@pytest.mark.parametrize("text", ["<html>bad gateway", "[]", '"x"', ""])
async def test_an_error_that_is_no_status_object_is_an_error_all_the_same(text: str) -> None:
    """Load balancers answer in HTML."""
    error = await _error(web.Response(status=502, text=text))
    assert error.status == 502


async def test_all_pages_of_a_list_are_one_list() -> None:
    server = Server(
        web.json_response({"items": [{"n": 1}], "metadata": {"continue": "more"}}),
        web.json_response({"items": None, "metadata": {"continue": "last"}}),
        web.json_response({"items": [{"n": 2}, {"n": 3}], "metadata": {}}),
    )
    async with client(server) as kube:
        assert await kube.list_all(PODS, "bench", "a=b") == [{"n": 1}, {"n": 2}, {"n": 3}]


async def test_a_server_that_is_not_there_is_a_client_error() -> None:
    async with KubeClient(Login("http://127.0.0.1:9", None, None, None, "bench")) as kube:
        with pytest.raises(aiohttp.ClientError):
            await kube.get(PODS, "bench", "a")
