"""Source archives under their hash: pushed, or fetched from a server that may be wrong, slow or odd."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from benchwright.results import sourcearchives
from benchwright.results.objects import archive_key
from tests.builders import a_task
from tests.unit.results.archives import file, tar
from tests.unit.results.support import OPERATOR, Reply, Service, sha256

GOOD = tar(file("pkg/a.py", b"x = 1\n"))
WRONG = tar(file("pkg/a.py", b"evil\n"))
SHA = sha256(GOOD)


def taskset(url: str | None, sha: str = SHA) -> dict[str, Any]:
    archive = {"sha256": sha, **({"url": url} if url else {})}
    task = a_task("repair", prompt="Mend it.", source={"archive": archive})
    return {"source": {"inline": [{"task": task.dump(), "files": {}}]}}


async def resolve(service: Service, url: str | None, sha: str = SHA) -> Reply:
    body = taskset(url, sha)
    return await service.call("POST", "/v1/tasksets", OPERATOR, json=body, port="internal")


async def push(service: Service, data: bytes, sha: str) -> Reply:
    return await service.call("PUT", f"/v1/archives/{sha}", OPERATOR, data, port="internal")


async def kept(service: Service) -> bool:
    return await service.store.objects.exists(archive_key(SHA))


class Mirror:
    """A web server with archives; counts what is asked of it."""

    def __init__(self) -> None:
        self.asked = 0
        self.accepts = ""

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/{name}", self._answer)
        return app

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.asked += 1
        self.accepts = request.headers.get("Accept-Encoding", "")
        name = request.match_info["name"]
        if name == "moved":
            raise web.HTTPFound("/good")
        if name == "circle":
            raise web.HTTPFound("/circle")
        if name == "cut":
            return await _cut(request)
        if name == "slow":
            await asyncio.sleep(5)
        headers = {"Content-Encoding": "gzip"} if name == "encoded" else {}
        body = {"wrong": WRONG, "page": b"<html>Please log in</html>"}.get(name, GOOD)
        status = {"missing": 404, "broken": 503}.get(name, 200)
        return web.Response(body=body, status=status, headers=headers)


async def _cut(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": str(len(GOOD))})
    await response.prepare(request)
    await response.write(GOOD[:50])
    assert request.transport
    request.transport.close()
    return response


@pytest.fixture
async def mirror() -> AsyncIterator[tuple[Mirror, str]]:
    found = Mirror()
    async with TestServer(found.app()) as server:
        yield found, str(server.make_url("/"))


@pytest.mark.parametrize("name", ["good", "moved", "encoded"])
async def test_an_archive_is_fetched_once_and_kept(
    service: Service, mirror: tuple[Mirror, str], name: str
) -> None:
    """A server that calls a .tar.gz `Content-Encoding: gzip` makes clients unpack it on the way."""
    server, url = mirror
    assert (await resolve(service, url + name)).status == 200
    before = server.asked
    assert await kept(service)
    assert (await resolve(service, url + name)).status == 200
    assert (server.asked, server.accepts) == (before, "identity")


@pytest.mark.parametrize("name", ["wrong", "page"])
async def test_another_file_at_the_address_is_refused_by_its_hash(
    service: Service, mirror: tuple[Mirror, str], name: str
) -> None:
    _, url = mirror
    reply = await resolve(service, url + name)
    assert reply.status == 422
    assert '"reason": "ArchiveDigestMismatch"' in reply.text
    for part in (url + name, SHA, "it is another file"):
        assert part in reply.text
    assert not await kept(service)
    assert (await resolve(service, url + "good")).status == 200, "and the right one is welcome"


WORDS = {
    "missing": "the server answered 404 Not Found",
    "broken": "the server answered 503 Service Unavailable",
    "cut": "Not enough data",
    "slow": "no complete answer in",
    "circle": "it redirects without end",
}


@pytest.mark.parametrize("name", WORDS)
async def test_what_cannot_be_fetched_is_said_in_words(
    service: Service, mirror: tuple[Mirror, str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sourcearchives, "_SECONDS", 0.5)
    _, url = mirror
    reply = await resolve(service, url + name)
    assert reply.status == 422
    assert '"reason": "ArchiveFetchFailed"' in reply.text
    assert f"task: {url}{name}: " in reply.text
    assert WORDS[name] in reply.text
    assert "RequestInfo" not in reply.text
    assert not await kept(service)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/a",
        "/etc/passwd",
        "http://",
        "gopher:x",
        "http://[::1",
    ],
)
async def test_an_address_that_is_none_of_http_is_refused(service: Service, url: str) -> None:
    reply = await resolve(service, url)
    assert (reply.status, '"reason": "ArchiveFetchFailed"' in reply.text) == (422, True)


async def test_nobody_listens_at_the_address(service: Service) -> None:
    reply = await resolve(service, "http://127.0.0.1:9/a.tar.gz")
    assert (reply.status, "Cannot connect to host 127.0.0.1:9" in reply.text) == (422, True)


async def test_more_than_is_allowed_is_not_fetched(
    service: Service, mirror: tuple[Mirror, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sourcearchives, "MAX_ARCHIVE", 10)
    reply = await resolve(service, mirror[1] + "good")
    assert "larger than 10 bytes" in reply.text


# Pushed


async def test_a_pushed_archive_needs_no_address(service: Service) -> None:
    missing = await resolve(service, None)
    assert '"reason": "ArchiveMissing"' in missing.text
    assert "benchwright push FILE" in missing.text
    assert (await push(service, GOOD, SHA)).status == 200
    assert (await push(service, GOOD, SHA)).status == 200, "twice is fine"
    assert (await resolve(service, None)).status == 200


@pytest.mark.parametrize("sha", [SHA, "a" * 64, "..%2F..%2Fresults.db", "short", SHA.upper()])
async def test_a_pushed_archive_of_another_hash_is_refused(service: Service, sha: str) -> None:
    reply = await push(service, WRONG, sha)
    assert reply.status == 400
    assert sha256(WRONG) in reply.text
    assert "it is another file" in reply.text
    assert not await kept(service)


async def test_a_pushed_archive_that_is_too_large_is_refused(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchwright.results.internal_api.MAX_ARCHIVE", 10)
    assert (await push(service, GOOD, SHA)).status == 413
    assert not await kept(service)


async def test_an_archive_that_is_none_is_refused_when_it_is_used(service: Service) -> None:
    data = gzip.compress(b"not a tar")
    assert (await push(service, data, sha256(data))).status == 200
    reply = await resolve(service, None, sha256(data))
    assert (reply.status, '"reason": "ArchiveUnreadable"' in reply.text) == (422, True)
