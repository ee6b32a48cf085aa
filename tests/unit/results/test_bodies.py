"""Bodies that are too large, are compressed, end early or lie about their length."""

import asyncio
import gzip
import tracemalloc
from pathlib import Path

import pytest

from benchwright.results import trial_api
from benchwright_proxy.token import sign
from tests.unit.kube.fakeapi import eventually
from tests.unit.results.support import EVALUATOR, HARNESS, KEY, MINE, OPERATOR, Service, sha256


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_api, "MAX_FILE", 100_000)
    monkeypatch.setattr(trial_api, "MAX_FACTS", 100_000)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("what", ["files/a", "facts"])
async def test_more_than_is_allowed_is_refused(service: Service, what: str) -> None:
    data = b"x" * 100_001
    headers = {"X-Content-SHA256": sha256(data)}
    reply = await service.call("PUT", f"{MINE}/{what}", HARNESS, data, **headers)
    assert reply.status == 413
    assert await service.store.files("uid-1") == []
    if what != "facts":
        assert (await service.upload("a", data[1:])).status == 200


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("what", ["files/a", "facts"])
async def test_a_compressed_body_is_measured_as_what_it_becomes(
    service: Service, what: str
) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    headers = {"Content-Encoding": "gzip", "X-Content-SHA256": sha256(bomb)}
    reply = await service.call("PUT", f"{MINE}/{what}", HARNESS, bomb, **headers)
    assert reply.status in {400, 413}
    assert await service.store.files("uid-1") == []


async def _raw(service: Service, head: str, body: bytes) -> bytes:
    """What the service answers to a request that no client library would send."""
    assert service.trial.host
    reader, writer = await asyncio.open_connection(service.trial.host, service.trial.port)
    digest = sha256(b"hello")
    request = (
        f"PUT {MINE}/files/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {sign(HARNESS, KEY)}\r\n"
        f"X-Content-SHA256: {digest}\r\n{head}\r\n\r\n"
    )
    writer.write(request.encode() + body)
    try:
        return await asyncio.wait_for(reader.read(65536), 0.5)
    except TimeoutError:
        return b""  # the service waits for the rest, which does not come
    finally:
        writer.close()


LIES = {
    "fewer bytes than declared": ("Content-Length: 10", b"hello"),
    "chunks that end early": ("Transfer-Encoding: chunked", b"5\r\nhello\r\n"),
    "a chunk that ends early": ("Transfer-Encoding: chunked", b"a\r\nhello"),
    "a chunk of a negative size": ("Transfer-Encoding: chunked", b"-5\r\nhello\r\n0\r\n\r\n"),
    "a chunk of no size": ("Transfer-Encoding: chunked", b"zz\r\nhello\r\n0\r\n\r\n"),
    "both a length and chunks": (
        "Content-Length: 5\r\nTransfer-Encoding: chunked", b"5\r\nhello\r\n0\r\n\r\n",
    ),
    "two lengths": ("Content-Length: 5\r\nContent-Length: 6", b"hello"),
    "a negative length": ("Content-Length: -5", b"hello"),
    "no length": ("X-Nothing: 1", b"hello"),
}  # fmt: skip


@pytest.mark.parametrize("name", LIES)
async def test_a_body_that_lies_stores_nothing(service: Service, name: str) -> None:
    answer = await _raw(service, *LIES[name])
    assert answer == b"" or b" 400 " in answer.partition(b"\r\n")[0]
    assert await service.store.files("uid-1") == []
    assert (await service.upload("a", b"hello")).status == 200, "and the service goes on"


async def test_an_honest_chunked_body_is_stored(service: Service) -> None:
    answer = await _raw(service, "Transfer-Encoding: chunked", b"5\r\nhello\r\n0\r\n\r\n")
    assert b" 200 " in answer.partition(b"\r\n")[0]


async def test_a_spool_is_left_nowhere(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spools = tmp_path / "spools"
    spools.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spools))
    await service.upload("a", b"x")
    await service.call("PUT", f"{MINE}/files/a", HARNESS, b"x")
    await _raw(service, *LIES["fewer bytes than declared"])
    await eventually(lambda: not list(spools.iterdir()))


async def test_what_is_large_is_never_whole_in_memory(service: Service, tmp_path: Path) -> None:
    """Overlays of 256 MiB and archives of 512 MiB are allowed, the pod has 2 GiB, and many come at once."""
    large = tmp_path / "large"
    large.write_bytes(b"large" * 6_000_000)
    digest = sha256(large.read_bytes())
    tracemalloc.start()
    with large.open("rb") as body:
        headers = {"X-Content-SHA256": digest}
        assert (
            await service.call("PUT", f"{MINE}/files/a", HARNESS, body, **headers)
        ).status == 200
    with large.open("rb") as body:
        path = f"/v1/archives/{digest}"
        assert (await service.call("PUT", path, OPERATOR, body, port="internal")).status == 200
    for url in (
        service.trial / f"{MINE}/files/a"[1:],
        service.internal / "trials/uid-1/evidence.tar.gz",
    ):
        headers = {"Authorization": f"Bearer {sign(EVALUATOR, KEY)}"}
        async with service.http.get(url, headers=headers) as answer:
            assert answer.status == 200
            async for _ in answer.content.iter_chunked(65536):
                pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12_000_000
