"""The journal's files: what is written is there, what is torn is counted, a second is kept out."""

import asyncio
import errno
import os
import threading
from pathlib import Path

import pytest

from benchwright_proxy.clock import SystemClock
from benchwright_proxy.journal.blocks import Blocks
from benchwright_proxy.journal.reading import Damage, Location, replay, segments
from benchwright_proxy.journal.records import AttemptRecord, Close, Dispatch, Record, Settle, encode
from benchwright_proxy.journal.writing import Journal, JournalError
from benchwright_proxy.ledger import Ledger

from .helpers import claims
from .test_fold import dispatch, settle


def close(number: int) -> Close:
    return Close(trial_uid="u", attempt=number, at=1)


def attempts(folder: Path, damage: Damage | None = None) -> list[int]:
    found = (record for _, record in replay(folder, damage or Damage()))
    return [record.attempt for record in found if isinstance(record, Close)]


def read(folder: Path, where: list[Location], attempt: int) -> list[AttemptRecord]:
    blocks = Blocks()
    for location in where:
        blocks.add(location)
    return list(blocks.read(folder, ("u", attempt)))


async def test_what_was_appended_is_read_back_in_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    where = [journal.append(close(number)) for number in range(5)]
    await journal.durable()
    assert attempts(tmp_path) == [0, 1, 2, 3, 4]
    assert read(tmp_path, where[2:3], 2) == [close(2)]
    await journal.close()


async def test_each_start_and_each_full_file_begins_another(tmp_path: Path) -> None:
    for start in (0, 10):
        journal = Journal(tmp_path, segment_bytes=150)
        where = [journal.append(close(start + number)) for number in range(5)]
        await journal.durable()
        assert [len(read(tmp_path, where, start + number)) for number in range(5)] == [1] * 5
        await journal.close()
    assert attempts(tmp_path) == [0, 1, 2, 3, 4, 10, 11, 12, 13, 14]
    assert len(segments(tmp_path)) == 6


async def test_a_torn_last_line_is_counted_and_never_continued(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append(close(1))
    await journal.close()
    with (tmp_path / "journal-00000001.jsonl").open("ab") as file:
        file.write(b'{"v":1,"t":"clo')
    journal = Journal(tmp_path)
    journal.append(close(2))
    await journal.close()
    damage = Damage()
    assert attempts(tmp_path, damage) == [1, 2]
    assert (damage.torn, damage.corrupt) == (1, 0)


async def test_a_broken_line_in_the_middle_is_counted_apart(tmp_path: Path) -> None:
    (tmp_path / "journal-00000001.jsonl").write_bytes(
        b'\xff\n{"t":"close"}\n{"v":2,"t":"close","trial_uid":"u","attempt":1,"at":1}\n'
        b'{"v":1,"t":"close","trial_uid":"u","attempt":9,"at":1}\n'
    )
    damage = Damage()
    assert attempts(tmp_path, damage) == [9]
    assert (damage.torn, damage.corrupt) == (0, 3)


async def test_a_second_proxy_is_kept_out(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    with pytest.raises(JournalError, match="another proxy"):
        Journal(tmp_path)
    await journal.close()
    await Journal(tmp_path).close()


async def test_a_predecessor_is_waited_for(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append(close(1))
    lock = os.dup(journal._lock)
    await journal.close()  # the copy still holds the lock
    threading.Timer(0.1, os.close, [lock]).start()
    await Journal(tmp_path, patience=10).close()
    assert attempts(tmp_path) == [1]


async def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="file"):
        Journal(tmp_path / "file" / "journal")


async def test_many_who_wait_share_syncs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    syncs: list[int] = []
    monkeypatch.setattr(os, "fdatasync", syncs.append)
    journal = Journal(tmp_path)

    async def one(number: int) -> None:
        journal.append(close(number))
        await journal.durable()

    await asyncio.gather(*(one(number) for number in range(100)))
    assert 1 <= len(syncs) <= 3
    await journal.close()


async def test_nobody_is_told_durable_before_a_sync_that_began_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    path = tmp_path / "journal-00000001.jsonl"
    monkeypatch.setattr(os, "fdatasync", lambda fd: sizes.append(path.stat().st_size))
    journal = Journal(tmp_path)
    journal.append(close(1))
    first = asyncio.create_task(journal.durable())
    await asyncio.sleep(0)  # its sync is under way
    journal.append(close(2))
    await journal.durable()
    assert sizes[-1] == path.stat().st_size
    await first
    await journal.close()


class FullDisk:
    """Takes the start of a record, and then no more."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.full = False
        self._write = os.write
        monkeypatch.setattr(os, "write", self.write)

    def write(self, fd: int, data: bytes) -> int:
        if self.full and data.startswith(b"{"):
            return self._write(fd, data[:5])
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._write(fd, data)


async def test_a_full_disk_leaves_no_half_line_and_heals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = FullDisk(monkeypatch)
    journal = Journal(tmp_path)
    journal.append(close(1))
    disk.full = True
    with pytest.raises(JournalError, match="No space"):
        journal.append(close(2))
    assert journal.broken == "No space left on device"
    disk.full = False
    journal.append(close(3))
    assert journal.broken is None
    damage = Damage()
    assert attempts(tmp_path, damage) == [1, 3]
    assert damage == Damage()
    await journal.close()


async def test_a_new_file_that_cannot_be_opened_leaves_the_old_one_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    journal = Journal(tmp_path, segment_bytes=100)
    journal.append(close(1))
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", fail)
        for number in (2, 3):
            with pytest.raises(JournalError, match="No space"):
                journal.append(close(number))
    journal.append(close(4))
    assert attempts(tmp_path) == [1, 4]
    await journal.close()


async def test_a_failed_sync_is_not_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(fd: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    journal = Journal(tmp_path)
    journal.append(close(1))
    monkeypatch.setattr(os, "fdatasync", fail)
    with pytest.raises(JournalError, match="sync failed"):
        await journal.durable()
    monkeypatch.undo()  # the next sync would say that all is well
    with pytest.raises(JournalError, match="Input/output error"):
        await journal.durable()
    with pytest.raises(JournalError):
        journal.append(close(2))
    assert (journal.lost, journal.broken) == (True, "sync failed: Input/output error")
    await journal.close()
    again = Journal(tmp_path)
    assert again.machine_died, "what the kernel has let go of may be missing"
    await again.close()


def write(folder: Path, *records: Record) -> None:
    folder.mkdir(exist_ok=True)
    lines = b"".join(encode(record) for record in records)
    (folder / "journal-00000001.jsonl").write_bytes(lines)


async def test_a_dispatch_without_a_settle_is_interrupted_once(tmp_path: Path) -> None:
    write(tmp_path, dispatch("a"), settle("a"), dispatch("b"))
    for _ in range(3):
        ledger = Ledger.open(tmp_path, SystemClock())
        attempt = ledger.attempt(("u", 1))
        assert (attempt.interrupted, len(attempt.in_flight)) == (1, 0)
        total = attempt.total()
        assert (total.requests, total.failed, total.unknown_usage) == (2, 1, 1)
        assert total.input_tokens == 100
        assert attempt.spent.used.output == 30 + 500
        await ledger.shut()


async def test_refusals_do_not_fill_the_disk_and_are_whole_after_a_close(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path, SystemClock())
    for _ in range(1000):
        ledger.refuse(claims(trial_uid="u"), "requests")
    assert ledger.attempt(("u", 1)).total().refused == 1000
    assert (tmp_path / "journal-00000001.jsonl").stat().st_size < 1000
    await ledger.shut()
    again = Ledger.open(tmp_path, SystemClock())
    assert again.attempt(("u", 1)).total().refused == 1000
    assert again.attempt(("u", 1)).limit_hit == "requests"
    await again.shut()


async def test_calls_are_read_from_the_files_across_a_restart(tmp_path: Path) -> None:
    write(tmp_path, dispatch("a"), settle("a"), dispatch("b"), settle("b"))
    ledger = Ledger.open(tmp_path, SystemClock())
    assert [type(record) for record in await ledger.calls(("u", 1))] == [Dispatch, Settle] * 2
    assert await ledger.calls(("nobody", 1)) == []
    await ledger.shut()
