"""The real program: killed in the middle of uploads, and started with a key that is none."""

import asyncio
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp
import pytest

from benchwright.results.service import ServiceSettings, serve
from benchwright_proxy.token import sign
from tests.unit.kube.fakeapi import eventually
from tests.unit.results.support import HARNESS, KEY, MINE, running, sha256

MAIN = "from benchwright.cli.main import main; main()"


@dataclass
class Program:
    """`benchwright results-service` on a folder."""

    process: subprocess.Popen[bytes]
    ports: tuple[int, ...]

    async def until_up(self, session: aiohttp.ClientSession) -> None:
        for _ in range(400):
            try:
                async with session.get(f"http://127.0.0.1:{self.ports[0]}/readyz") as answer:
                    if answer.status == 200:
                        return
            except aiohttp.ClientError:
                await asyncio.sleep(0.05)
        raise AssertionError("the service did not come up")


def _free_ports(count: int) -> tuple[int, ...]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = tuple(int(s.getsockname()[1]) for s in sockets)
    for each in sockets:
        each.close()
    return ports


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    key = tmp_path / "key"
    key.write_bytes(KEY + b"\n")
    ports = _free_ports(3)
    process = subprocess.Popen(
        [
            sys.executable, "-c", MAIN, "results-service", "--data", str(tmp_path),
            "--key-file", str(key), "--port", str(ports[0]), "--trial-port", str(ports[1]),
            "--metrics-port", str(ports[2]),
        ]
    )  # fmt: skip
    try:
        yield Program(process, ports)
    finally:
        process.kill()
        process.wait()


async def test_what_was_confirmed_before_the_kill_is_there_after_it(
    program: Program, tmp_path: Path
) -> None:
    token = sign(replace(HARNESS, expires_at=int(time.time()) + 600), KEY)
    confirmed: list[str] = []

    async def upload(session: aiohttp.ClientSession) -> None:
        for number in range(10_000):
            data = str(number).encode() * 1000
            headers = {"Authorization": f"Bearer {token}", "X-Content-SHA256": sha256(data)}
            url = f"http://127.0.0.1:{program.ports[1]}{MINE}/files/f{number}"
            async with session.put(url, data=data, headers=headers) as answer:
                assert answer.status == 200
            confirmed.append(f"f{number}")

    async with aiohttp.ClientSession() as session:
        await program.until_up(session)
        task = asyncio.create_task(upload(session))
        await eventually(lambda: len(confirmed) >= 20 or task.done(), 30)
        program.process.send_signal(signal.SIGKILL)
        program.process.wait()
        (failure,) = await asyncio.gather(task, return_exceptions=True)
    assert isinstance(failure, aiohttp.ClientError)
    async with running(tmp_path) as service:
        rows = {r.name: r for r in await service.store.files("uid-1")}
        assert set(confirmed) <= set(rows)
        for name in confirmed:
            assert sha256((await service.fetch(name)).body) == rows[name].sha256


async def test_sigterm_ends_it_at_once_even_while_an_operator_waits_for_news(
    program: Program,
) -> None:
    """Else an upgrade waits for the longest poll, and trials wait with it."""

    async def poll(session: aiohttp.ClientSession) -> int:
        url = f"http://127.0.0.1:{program.ports[0]}/v1/news?wait=25"
        async with session.get(url) as answer:
            return answer.status

    async with aiohttp.ClientSession() as session:
        await program.until_up(session)
        async with session.get(f"http://127.0.0.1:{program.ports[2]}/metrics") as answer:
            assert "benchwright_results_facts" in await answer.text()
        polling = asyncio.create_task(poll(session))
        await asyncio.sleep(0.3)
        began = time.monotonic()
        program.process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(program.process.wait, 40) == 0
        assert await polling == 200
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("content", [b"", b"\n", b"short", b"k" * 20 + b" " + b"k" * 20])
async def test_a_signing_key_that_is_none_is_said_at_the_start(
    tmp_path: Path, content: bytes
) -> None:
    """An empty one would answer every request with an error 500."""
    key = tmp_path / "key"
    key.write_bytes(content)
    settings = ServiceSettings(data=tmp_path / "data", keys=(key,), host="127.0.0.1")
    with pytest.raises(ValueError, match=r"signing key .*key: expected a key of at least 32"):
        await serve(settings)
