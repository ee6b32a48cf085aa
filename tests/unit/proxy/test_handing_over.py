"""When somebody else keeps an attempt's calls the proxy has its totals, and files are let go."""

import asyncio
import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest

from benchwright_proxy.journal.archive import Archive
from benchwright_proxy.journal.reading import Damage, segments
from benchwright_proxy.journal.records import RunBudget
from benchwright_proxy.journal.writing import Journal
from benchwright_proxy.jsonvalue import JsonObject
from benchwright_proxy.token import Limits

from .helpers import FakeProvider, Reply, Running, bearer, chat_body, claims, running, until

KEY: dict[str, str | int] = {"trial_uid": "uid-1", "attempt": 1}
DAY = 86_400.0


async def hand_over(proxy: Running, **key: str | int) -> object:
    """Close an attempt and let go of its calls, as the operator does."""
    await proxy.operator("POST", "/v1/close", **{**KEY, **key})
    reply = await proxy.operator("POST", "/v1/forget", **{**KEY, **key})
    return reply.json()["handed_over"]


def files(proxy: Running) -> list[int]:
    return segments(proxy.folder / "journal")


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new file for each record or two."""
    known = Journal.__init__.__kwdefaults__ or {}
    monkeypatch.setattr(Journal.__init__, "__kwdefaults__", {**known, "segment_bytes": 100})


async def test_totals_are_the_same_after_it_and_after_a_restart(tmp_path: Path) -> None:
    async with running(tmp_path) as proxy:
        for stage in ("work", "review"):
            token = claims(stage=stage, limits=Limits(requests=2))
            await proxy.post("/v1/chat/completions", chat_body(), token=token)
        await proxy.post(
            "/v1/chat/completions", chat_body(), token=claims(limits=Limits(requests=2))
        )
        await proxy.operator("POST", "/v1/close", **KEY)
        before = await proxy.usage()
        assert before["limit_hit"] == "requests"
        assert await hand_over(proxy) is True
        assert await proxy.usage() == {**before, "handed_over": True}
    async with running(tmp_path) as proxy:
        assert await proxy.usage() == {**before, "handed_over": True}
        assert (await proxy.operator("POST", "/v1/close", **KEY)).json()["total"] == before["total"]


async def test_its_calls_are_gone_and_that_is_said(proxy: Running) -> None:
    await proxy.chat()
    await hand_over(proxy)
    for path in ("/v1/calls", "/v1/calls.jsonl"):
        reply = await proxy.operator("GET", path, **KEY)
        assert reply.status == 410
        assert b"the results service keeps these calls" in reply.body


async def test_a_file_that_is_missing_is_an_error_and_not_no_calls(
    tmp_path: Path, small_files: None
) -> None:
    async with running(tmp_path) as proxy:
        await proxy.chat()
        (tmp_path / "journal/journal-00000001.jsonl").unlink()
        assert (await proxy.operator("GET", "/v1/calls", **KEY)).status == 500


async def test_an_attempt_that_made_no_call_is_handed_over_too(proxy: Running) -> None:
    assert await hand_over(proxy) is True
    assert (await proxy.usage())["handed_over"] is True


@pytest.mark.parametrize("restart", [False, True])
async def test_its_token_is_refused_for_good_and_nothing_is_counted(
    tmp_path: Path, restart: bool
) -> None:
    async with running(tmp_path) as proxy:
        await proxy.chat()
        await hand_over(proxy)
        before = await proxy.total()
        if not restart:
            assert (await proxy.chat()).status == 403
            assert await proxy.total() == before
    async with running(tmp_path) as proxy:
        assert (await proxy.chat()).status == 403
        assert await proxy.total() == before


async def test_one_that_is_open_is_not_handed_over(proxy: Running) -> None:
    await proxy.chat()
    reply = await proxy.operator("POST", "/v1/forget", **KEY)
    assert reply.json()["handed_over"] is False
    assert len(await proxy.calls()) == 1
    assert (await proxy.chat()).status == 200


async def test_one_with_a_call_under_way_is_not_handed_over(
    proxy: Running, provider: FakeProvider
) -> None:
    gate = asyncio.Event()
    provider.script = [gate]
    proxy.proxy.admin.close_seconds = 0.05
    call = asyncio.create_task(proxy.chat("chat"))
    await until(lambda: provider.heard)
    assert await hand_over(proxy) is False
    assert len(await proxy.calls()) == 1
    gate.set()
    await call
    assert await hand_over(proxy) is True


async def test_files_go_when_nobody_needs_them(tmp_path: Path, small_files: None) -> None:
    async with running(tmp_path) as proxy:
        for uid in ("uid-1", "uid-2"):
            for _ in range(2):
                await proxy.post("/v1/chat/completions", chat_body(), token=claims(trial_uid=uid))
        await proxy.proxy.tidy()
        assert files(proxy) == [1, 2, 3, 4, 5, 6, 7, 8]
        await hand_over(proxy)  # writes 9: that it is closed
        await proxy.proxy.tidy()
        assert files(proxy) == [5, 6, 7, 8, 9]
        other = (await proxy.operator("GET", "/v1/calls", trial_uid="uid-2", attempt=1)).json()
        assert len(list(other["calls"])) == 2  # type: ignore[arg-type]
        size = sum(path.stat().st_size for path in (tmp_path / "journal").glob("journal-*"))
        metrics = (await proxy.operator("GET", "/metrics")).body.decode()
        assert f"benchwright_proxy_journal_bytes {float(size)}" in metrics
        before = [await proxy.usage(uid) for uid in ("uid-1", "uid-2")]
    async with running(tmp_path) as proxy:
        assert [await proxy.usage(uid) for uid in ("uid-1", "uid-2")] == before
        await proxy.proxy.tidy()
        assert files(proxy) == [5, 6, 7, 8, 10]


async def test_a_file_with_a_broken_line_stays_for_somebody_to_look_at(
    tmp_path: Path, small_files: None
) -> None:
    async with running(tmp_path) as proxy:
        await proxy.chat()
    with (tmp_path / "journal/journal-00000001.jsonl").open("ab") as file:
        file.write(b"broken\n")
    async with running(tmp_path) as proxy:
        await hand_over(proxy)
        await proxy.proxy.tidy()
        assert files(proxy)[0] == 1
        assert 2 not in files(proxy)


async def ask(proxy: Running, uid: str) -> Reply:
    token = replace(claims(trial_uid=uid), run_uid="r", run_limited=True)
    return await proxy.post("/v1/chat/completions", chat_body(max_tokens=100), token=token)


async def of_run(proxy: Running) -> JsonObject:
    return (await proxy.operator("GET", "/v1/run", run_uid="r")).json()


async def limit(proxy: Running, **limits: int) -> None:
    url = f"{proxy.admin}/v1/run?run_uid=r"
    headers = bearer(claims(role="operator", audience="proxy"))
    async with proxy.http.post(url, json=limits, headers=headers) as reply:
        assert reply.status == 200


async def test_what_a_run_has_spent_outlives_its_trials_files(
    tmp_path: Path, small_files: None
) -> None:
    async with running(tmp_path) as proxy:
        await limit(proxy, requests=3)
        assert [(await ask(proxy, uid)).status for uid in ("uid-1", "uid-2")] == [200, 200]
        await hand_over(proxy)
        await hand_over(proxy, trial_uid="uid-2")
        await proxy.proxy.tidy()
        before = await of_run(proxy)
        assert before["requests"] == 2
    async with running(tmp_path) as proxy:
        assert await of_run(proxy) == before
        assert [(await ask(proxy, "uid-3")).status for _ in range(2)] == [200, 400]
        hit = await of_run(proxy)
        assert (hit["requests"], hit["limit_hit"]) == (3, "run_requests")
    async with running(tmp_path) as proxy:
        assert await of_run(proxy) == hit
        await limit(proxy, requests=4)
        assert (await of_run(proxy))["limit_hit"] is None
    async with running(tmp_path) as proxy:
        raised = await of_run(proxy)
        assert (raised["limits"], raised["limit_hit"]) != (hit["limits"], hit["limit_hit"])
        assert (await ask(proxy, "uid-3")).status == 200


async def test_a_run_without_limits_writes_nothing(proxy: Running) -> None:
    await limit(proxy)
    assert (proxy.folder / "journal/archive.jsonl").read_bytes() == b""
    assert (await of_run(proxy))["limits"] is not None


async def test_a_torn_line_of_the_archive_is_cut_and_the_journal_knows(tmp_path: Path) -> None:
    async with running(tmp_path) as proxy:
        await proxy.chat()
        before = await proxy.usage()
        await hand_over(proxy)
    archive = tmp_path / "journal/archive.jsonl"
    whole = archive.read_bytes()
    archive.write_bytes(whole[:-9])
    async with running(tmp_path) as proxy:
        assert await proxy.usage() == before
        assert len(await proxy.calls()) == 1
        assert await hand_over(proxy) is True
    assert archive.read_bytes().count(b"\n") == 1
    async with running(tmp_path) as proxy:
        assert await proxy.usage() == {**before, "handed_over": True}


async def test_a_broken_line_of_the_archive_is_counted_and_no_other_is_lost(tmp_path: Path) -> None:
    async with running(tmp_path) as proxy:
        await proxy.chat()
        await hand_over(proxy)
        before = await proxy.usage()
    archive = tmp_path / "journal/archive.jsonl"
    archive.write_bytes(b"\xff{}\n" + archive.read_bytes())
    async with running(tmp_path) as proxy:
        assert await proxy.usage() == before
        assert proxy.proxy.ledger.damage.corrupt == 1


async def test_two_who_ask_at_once_write_one_line(proxy: Running) -> None:
    """An operator that ends, and its successor."""
    await proxy.chat()
    assert await asyncio.gather(*(hand_over(proxy) for _ in range(5))) == [True] * 5
    assert (proxy.folder / "journal/archive.jsonl").read_bytes().count(b"\n") == 1


async def test_the_same_line_twice_counts_once_for_the_run(tmp_path: Path) -> None:
    async with running(tmp_path) as proxy:
        await limit(proxy, requests=5)
        await ask(proxy, "uid-1")
        await hand_over(proxy)
    archive = tmp_path / "journal/archive.jsonl"
    archive.write_bytes(archive.read_bytes() * 2)
    async with running(tmp_path) as proxy:
        assert (await of_run(proxy))["requests"] == 1


@pytest.mark.parametrize("at", ["write", "sync"])
async def test_a_disk_that_is_full_leaves_all_as_it_was(
    proxy: Running, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    def fail(*_: object) -> bytes:
        raise OSError(errno.ENOSPC, "No space left on device")

    await proxy.chat()
    await proxy.operator("POST", "/v1/close", **KEY)
    with monkeypatch.context() as patched:
        patched.setattr(Archive, "append" if at == "write" else "sync", fail)
        assert await hand_over(proxy) is False
    assert len(await proxy.calls()) == 1
    assert await hand_over(proxy) is True


def test_a_line_that_only_half_fits_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, write = Archive(tmp_path), os.write
    line = RunBudget(at=1.0, run_uid="r", limits=Limits(requests=1))
    archive.append(line)

    def half(fd: int, data: bytes) -> int:
        if not data.startswith(b"{"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(fd, data[:5])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", half)
        with pytest.raises(OSError, match="No space"):
            archive.append(line)
    archive.append(line)
    damage = Damage()
    assert list(archive.read(damage)) == [line, line]
    assert damage == Damage()
    archive.close()


async def test_an_attempt_that_nobody_comes_for_is_given_up_after_its_days(
    tmp_path: Path, small_files: None
) -> None:
    async with running(tmp_path, extra={"keeping": {"abandonedDays": 2}}) as proxy:
        await proxy.chat()
        clock = proxy.proxy.ledger._clock
        now = clock.now()
        for days, kept in ((1.9, True), (2.1, False)):
            clock.now = lambda days=days: now + days * DAY  # type: ignore[method-assign,misc]
            await proxy.proxy.tidy()
            assert ((await proxy.usage())["handed_over"] is False) == kept
        assert (await proxy.total())["requests"] == 1
        assert 1 not in files(proxy)
        assert (await proxy.chat()).status == 403
