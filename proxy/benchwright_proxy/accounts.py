"""Every attempt and run that the journal in a folder knows, and which files of it are needed.

An attempt is in one of two places. As an account: its records are in the journal's files. Or, when
somebody else keeps its calls, archived: a line of totals, and its records are needed no more.
"""

import asyncio
import logging
from collections.abc import Iterable
from pathlib import Path

from .bell import Bell
from .journal.archive import Archive, Archived, decode
from .journal.blocks import Blocks
from .journal.fold import Attempt, Movement
from .journal.reading import Damage, Location, replay, segment_path, segments
from .journal.records import AttemptRecord, RunBudget, encode
from .runs import Runs
from .token import Limits

log = logging.getLogger(__name__)

Key = tuple[str, int]


class Account:
    """An attempt with what the process needs besides: where its records are, and who waits."""

    def __init__(self) -> None:
        self.attempt = Attempt()
        self.changed = Bell()
        self.blocks = Blocks()
        #: Stages of which a call is sure to be on the disk.
        self.sure: set[str] = set()
        #: When its last record was written (unix seconds).
        self.last_at = 0.0
        #: By stage and reason: when a count was last written, and how high it was.
        self.refusals_written: dict[tuple[str, str], tuple[float, int]] = {}

    def apply(self, record: AttemptRecord, location: Location) -> Movement | None:
        """Count a record that was written at `location`."""
        movement = self.attempt.apply(record)
        self.written(record, location)
        self.changed.ring()
        return movement

    def written(self, record: AttemptRecord, location: Location) -> None:
        """Remember where a record is that was counted."""
        self.blocks.add(location)
        self.last_at = record.at


class Accounts:
    """See the module."""

    def __init__(self, folder: Path, damage: Damage) -> None:
        """Read what is in `folder`, whose lock the caller holds. Raises OSError."""
        self.runs = Runs()
        self._folder, self._damage = folder, damage
        self._archive = Archive(folder)
        self._handing_over = asyncio.Lock()
        self._open: dict[Key, Account] = {}
        # The lines as they are in the file: objects would take ten times as much.
        self._archived: dict[Key, bytes] = {}
        self._read_archive(damage)
        self._replay(damage)

    def _read_archive(self, damage: Damage) -> None:
        budgets: dict[str, RunBudget] = {}
        for record in self._archive.read(damage):
            if isinstance(record, RunBudget):
                budgets[record.run_uid] = record
                continue
            key = record.trial_uid, record.attempt
            if key not in self._archived and record.run_uid:
                self.runs.get(record.run_uid).spent.add(record.requests, record.used)
            self._archived[key] = encode(record)
        for budget in budgets.values():
            self.runs.get(budget.run_uid).restore(budget.limits, budget.limit_hit)

    def _replay(self, damage: Damage) -> None:
        for location, record in replay(self._folder, damage):
            if isinstance(record, RunBudget):
                continue  # of a version that kept it here; the operator says it again
            key = record.trial_uid, record.attempt
            if key not in self._archived:
                self.runs.move(self.account(key).apply(record, location))

    def account(self, key: Key) -> Account:
        """The account of an attempt that is not archived, made if need be."""
        assert key not in self._archived
        account = self._open.get(key)
        if account is None:
            account = self._open[key] = Account()
        return account

    def archived(self, key: Key) -> bool:
        """Whether somebody else keeps the calls of an attempt."""
        return key in self._archived

    def attempt(self, key: Key) -> Attempt:
        """What is known of an attempt; nothing is counted of one never seen."""
        if key in self._archived:
            kept = decode(self._archived[key])
            assert isinstance(kept, Archived)
            return kept.restored()
        account = self._open.get(key)
        return account.attempt if account else Attempt()

    def closed(self, key: Key) -> bool:
        """Whether an attempt makes no further calls."""
        account = self._open.get(key)
        return account.attempt.closed if account else key in self._archived

    def find(self, key: Key) -> Account | None:
        """The account of an attempt, if it has one."""
        return self._open.get(key)

    def blocks(self, key: Key) -> Blocks:
        """Where the records of an attempt are, as it is now: for reading them in a thread."""
        account = self._open.get(key)
        return account.blocks.copy() if account else Blocks()

    def items(self) -> Iterable[tuple[Key, Account]]:
        """The accounts."""
        return self._open.items()

    def keep_run(self, uid: str, limits: Limits, limit_hit: str | None, at: float) -> None:
        """Write down the limits of a run, and which of them was hit. Raises OSError."""
        self._archive.append(RunBudget(at=at, run_uid=uid, limits=limits, limit_hit=limit_hit))

    def quiet_since(self, moment: float) -> list[Key]:
        """Attempts without a call in flight of which the last was written before `moment`."""
        return [
            key
            for key, account in self._open.items()
            if not account.attempt.in_flight and 0 < account.last_at < moment
        ]

    async def hand_over(self, keys: Iterable[Key], now: float) -> None:
        """From now on only totals are kept of attempts that are closed and have no call in flight.
        If that cannot be written they stay as they are."""
        async with self._handing_over:  # an operator and its successor may ask at the same time
            await self._hand_over([key for key in keys if key in self._open], now)

    async def _hand_over(self, keys: Iterable[Key], now: float) -> None:
        lines: dict[Key, bytes] = {}
        try:
            for key in keys:
                attempt = self._open[key].attempt
                lines[key] = self._archive.append(Archived.of(key, attempt, now))
            await asyncio.to_thread(self._archive.sync)
        except OSError as error:
            log.error("the archive cannot be written: %s", error.strerror)
            return
        for key, line in lines.items():
            del self._open[key]
            self._archived[key] = line

    async def delete_files(self, current: int) -> int:
        """Delete the files that no account needs; how many. `current` is the one being written. A
        file with lines that could not be read stays, for somebody to look at."""
        candidates = {
            number
            for number in segments(self._folder)
            if number != current and segment_path(self._folder, number) not in self._damage.files
        }
        for account in self._open.values():
            candidates -= account.blocks.segments()
        await asyncio.to_thread(_delete, self._folder, candidates)
        return len(candidates)

    def close(self) -> None:
        """Let go of the archive."""
        self._archive.close()


def _delete(folder: Path, numbers: Iterable[int]) -> None:
    for number in sorted(numbers):
        segment_path(folder, number).unlink(missing_ok=True)
