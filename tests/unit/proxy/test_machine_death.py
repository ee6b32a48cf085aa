"""A machine that dies takes the last lines of the journal along: no sum is whole that lacks a call."""

import asyncio
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import structs

from benchwright_proxy.accounts import Key
from benchwright_proxy.clock import SystemClock
from benchwright_proxy.journal.fold import Attempt
from benchwright_proxy.journal.reading import segment_path, segments
from benchwright_proxy.journal.records import Dispatch
from benchwright_proxy.journal.writing import Journal
from benchwright_proxy.ledger import Ledger
from benchwright_proxy.limits import Amount, Need

from .helpers import claims
from .test_fold import dispatch, settle

MACHINE = "machine"


class Machine:
    """A folder with a journal, of which a death loses what no sync has reached."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.synced = 0
        self.calls = 0

    def sync(self, _: int) -> None:
        """What a test has instead of fdatasync."""
        self.synced = self._path.stat().st_size if segments(self.folder) else 0

    @property
    def _path(self) -> Path:
        return segment_path(self.folder, segments(self.folder)[-1])

    def dies(self, lines: int) -> None:
        """All is lost but what was synced and so many lines behind it, the last of them torn; and
        what comes up is another machine."""
        content = self._path.read_bytes()
        behind = content[self.synced :].splitlines(keepends=True)
        kept = b"".join(behind[:lines]) + (behind[lines][:20] if lines < len(behind) else b"")
        self._path.write_bytes(content[: self.synced] + kept)
        name = self.folder / MACHINE
        if name.exists():
            name.write_text("another start")


def kill(journal: Journal) -> None:
    """Let go of it as the kernel does for a process that is killed."""
    if journal._timer is not None:
        journal._timer.cancel()
    journal._syncer.close()
    for descriptor in (journal._fd, journal._lock):
        os.close(descriptor)


async def call(machine: Machine, ledger: Ledger, key: Key, stage: str, *, ends: bool) -> None:
    """A call of 100 tokens in and 30 out."""
    machine.calls += 1
    name = f"call-{machine.calls}"

    def record(amount: Amount, attempt: Attempt) -> Dispatch:
        return structs.replace(dispatch(name), trial_uid=key[0], attempt=key[1], stage=stage)

    who = claims(trial_uid=key[0], attempt=key[1], stage=stage)
    made = await ledger.admit(
        who, Need("demo", 1, 1, 1), record, wait_seconds=0.0, wanted=lambda: True
    )
    if ends:
        ledger.settle(structs.replace(settle(made.call), trial_uid=key[0], attempt=key[1]))


steps = st.lists(
    st.tuples(
        st.sampled_from(["call", "call", "begin", "close", "sync"]),
        st.sampled_from([("a", 1), ("b", 1)]),
        st.sampled_from(["work", "work", "evaluate"]),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=200, deadline=None)
@given(steps, st.integers(0, 5))
@example([("call", ("a", 1), "work")] * 2, 1)
@example([("call", ("a", 1), "work"), ("close", ("a", 1), "work")], 0)
def test_sums_are_right_or_say_that_they_are_not_whole(
    taken: list[tuple[str, Key, str]], kept: int
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        machine = Machine(Path(folder))
        patched.setattr("os.fdatasync", machine.sync)
        asyncio.run(_live_and_die(machine, taken, kept))


async def _live_and_die(machine: Machine, taken: list[tuple[str, Key, str]], kept: int) -> None:
    ledger = Ledger.open(machine.folder, SystemClock())
    closed: set[Key] = set()
    for step, key, stage in taken:
        if step == "close":
            ledger.close(key)
            await ledger.closed_for_good()
            closed.add(key)
        elif step == "sync":
            await ledger.journal.durable()
        elif key not in closed:
            await call(machine, ledger, key, stage, ends=step == "call")
    true = {key: ledger.attempt(key).total() for key in {key for _, key, _ in taken}}
    kill(ledger.journal)
    machine.dies(kept)
    again = Ledger.open(machine.folder, SystemClock())
    for key, before in true.items():
        attempt = again.attempt(key)
        after = attempt.total()
        whole = (after.requests, after.output_tokens) == (before.requests, before.output_tokens)
        assert (whole and after.failed == before.failed) or (
            after.unknown_usage and after.unknown_cost and attempt.interrupted
        ), key
        if key not in closed and before.requests:
            assert attempt.interrupted, "nobody can know that nothing is missing"
    await again.shut()


async def test_a_close_that_reached_the_disk_before_the_calls_of_its_attempt(
    tmp_path: Path,
) -> None:
    machine, ledger = Machine(tmp_path), Ledger.open(tmp_path, SystemClock())
    for _ in range(2):
        await call(machine, ledger, ("a", 1), "work", ends=True)
    ledger.close(("a", 1))  # and nobody was told that it is
    kill(ledger.journal)
    lines = machine._path.read_bytes().splitlines(keepends=True)
    lost = b"".join(lines[2:4])
    machine._path.write_bytes(b"".join(lines[:2]) + bytes(len(lost) - 1) + b"\n" + lines[4])
    (tmp_path / MACHINE).write_text("another start")
    again = Ledger.open(tmp_path, SystemClock())
    attempt = again.attempt(("a", 1))
    assert (attempt.total().requests, attempt.total().unknown_usage, attempt.closed) == (1, 1, True)
    await again.shut()


@pytest.mark.parametrize(
    ("ends", "died"),
    [("is stopped", False), ("is killed", False), ("its machine dies", True)],
)
async def test_only_the_death_of_a_machine_is_one(tmp_path: Path, ends: str, died: bool) -> None:
    journal = Journal(tmp_path, machine="boot 1")
    assert not journal.machine_died
    journal.begun()
    if ends == "is stopped":
        await journal.close()
    else:
        kill(journal)
    again = Journal(tmp_path, machine="boot 1" if ends == "is killed" else "boot 2")
    assert again.machine_died is died
    again.begun()
    assert not again.machine_died
    await again.close()
    last = Journal(tmp_path, machine="boot 3")
    assert not last.machine_died, "the one before was stopped"
    await last.close()


async def test_it_is_told_until_somebody_has_written_it_down(tmp_path: Path) -> None:
    (tmp_path / MACHINE).write_text("boot 1")
    for _ in range(2):
        journal = Journal(tmp_path, machine="boot 2")
        assert journal.machine_died
        kill(journal)  # before `begun`
    journal = Journal(tmp_path, machine="boot 2")
    assert journal.machine_died
    journal.begun()
    await journal.close()
