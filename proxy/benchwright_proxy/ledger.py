"""All attempts that the proxy knows: admits calls, writes them down, counts them.

The state is what `journal.fold` makes of the records; every change is a record, written first and
then applied, so a restart arrives at the same numbers. One event loop owns it: between reading what
is spent and holding a reservation nothing else runs, which makes admission exact.
"""

import logging
from array import array
from collections.abc import Callable
from pathlib import Path

from .bell import Bell
from .clock import Clock
from .journal.fold import Attempt, Movement
from .journal.reading import Damage, Location, read_at, replay
from .journal.records import (
    AnyRecord,
    AttemptRecord,
    Close,
    Dispatch,
    Refused,
    RunBudget,
    Settle,
)
from .journal.writing import Journal, JournalError
from .limits import RUN, Amount, Exceeded, Need, limited_in_money, reserve
from .refusal import Reason, RefusalError, over_budget
from .runs import Run, Runs
from .token import Claims, Limits

log = logging.getLogger(__name__)

Key = tuple[str, int]
#: A stage that keeps being refused for one reason writes that down at most this often (seconds).
REFUSAL_INTERVAL = 1.0


class Account:
    """An attempt with what the process needs besides: where its records are, and who waits."""

    def __init__(self) -> None:
        self.attempt = Attempt()
        self.changed = Bell()
        # Packed, because there may be millions: 16 bytes a record.
        self._where = array("Q")
        # By stage and reason: when a count was last written, and how high it was.
        self.refusals_written: dict[tuple[str, str], tuple[float, int]] = {}

    def apply(self, record: AttemptRecord, location: Location) -> Movement | None:
        """Count a record that was written at `location`."""
        movement = self.attempt.apply(record)
        if isinstance(record, Dispatch | Settle):
            self._where.extend((location.segment, location.offset))
        self.changed.ring()
        return movement

    def locations(self) -> list[Location]:
        """Where the records of its calls are, oldest first."""
        return [Location(*pair) for pair in zip(self._where[::2], self._where[1::2], strict=True)]


class Ledger:
    """See the module. Made by `Ledger.open`."""

    def __init__(self, journal: Journal, clock: Clock, damage: Damage) -> None:
        self.journal = journal
        self.damage = damage
        self._clock = clock
        self._accounts: dict[Key, Account] = {}
        self._runs = Runs()

    @classmethod
    def open(cls, folder: Path, clock: Clock, *, patience: float = 0.0) -> "Ledger":
        """Lock and replay the journal in `folder`; calls without an end become interrupted.

        `patience`: seconds to wait for another proxy to let go of it. Raises JournalError.
        """
        journal, damage = Journal(folder, patience=patience), Damage()
        ledger = cls(journal, clock, damage)
        for location, record in replay(folder, damage):
            if isinstance(record, RunBudget):
                ledger._runs.get(record.run_uid).limit(record.limits)
                continue
            account = ledger._account((record.trial_uid, record.attempt))
            ledger._runs.move(account.apply(record, location))
        for where in damage.where:
            log.error("journal: unreadable line at %s", where)
        ledger._interrupt_leftovers()
        return ledger

    def _interrupt_leftovers(self) -> None:
        for (uid, number), account in self._accounts.items():
            for call in list(account.attempt.in_flight.values()):
                self.settle(
                    Settle(
                        trial_uid=uid,
                        attempt=number,
                        at=self._clock.now(),
                        call=call.call,
                        stage=call.stage,
                        status="interrupted",
                    )
                )

    async def admit(
        self,
        claims: Claims,
        need: Need,
        record: Callable[[Amount, Attempt], Dispatch],
        *,
        wait_seconds: float,
        wanted: Callable[[], bool],
    ) -> Dispatch:
        """Reserve for a call and write it down; it may go out when this returns. `record` makes the
        line of what was reserved for an attempt.

        Raises RefusalError: closed (403), over a limit (429), without a price where money is limited
        (403), or no journal (503); and ConnectionResetError when it had to wait and is no longer `wanted`.
        """
        account = self._account((claims.trial_uid, claims.attempt))
        deadline = self._clock.monotonic() + wait_seconds
        while True:
            self.check_open(claims)
            run = self._runs.purse(claims)
            if need.ceiling is None and limited_in_money(claims.limits, run):
                raise _unpriced(need.model)
            asked = reserve(claims.limits, account.attempt.spent, need, run)
            if isinstance(asked, Amount):
                break
            left = deadline - self._clock.monotonic()
            if not asked.transient or left <= 0:
                raise self._over(asked)
            of_run = asked.limit.startswith("run_")
            bell = self._runs.get(claims.run_uid).changed if of_run else account.changed
            await bell.wait(left)
            if not wanted():
                raise ConnectionResetError("the client left while its call waited")
        return await self._dispatch(account, record(asked, account.attempt))

    async def _dispatch(self, account: Account, call: Dispatch) -> Dispatch:
        try:
            self._runs.move(account.apply(call, self.journal.append(call)))
            await self.journal.durable()
        except JournalError as error:
            self._settle_unsent(account, call)
            raise RefusalError(
                503, "api_error", f"the call cannot be recorded: {error}", "journal", retry=None
            ) from error
        return call

    def _settle_unsent(self, account: Account, call: Dispatch) -> None:
        """Give back what a call that could not be recorded holds, if it got that far."""
        if call.call in account.attempt.in_flight:
            self.settle(
                Settle(
                    trial_uid=call.trial_uid,
                    attempt=call.attempt,
                    at=self._clock.now(),
                    call=call.call,
                    stage=call.stage,
                    status="unreachable",
                )
            )

    def check_open(self, claims: Claims) -> None:
        """Raises RefusalError (403) if the attempt is closed."""
        if self.attempt((claims.trial_uid, claims.attempt)).closed:
            message = f"attempt {claims.attempt} of this trial is closed: it has ended"
            raise RefusalError(403, "permission_error", message, "closed", retry=False)

    def _over(self, exceeded: Exceeded) -> RefusalError:
        if exceeded.transient:
            return RefusalError(
                429, "budget_reserved", exceeded.message(), "budget_reserved", retry=1
            )
        return over_budget(exceeded.message(), exceeded.limit)

    def settle(self, record: Settle) -> None:
        """Write down how a call ended. Never raises: what cannot be written is still counted, and
        becomes an interrupted call with the next start."""
        account = self._account((record.trial_uid, record.attempt))
        try:
            self._runs.move(account.apply(record, self.journal.append(record)))
        except JournalError as error:
            log.error("call %s: its end could not be recorded: %s", record.call, error)
            self._runs.move(account.attempt.apply(record))
            account.changed.ring()

    def refuse(self, claims: Claims, reason: Reason) -> None:
        """Count a refusal; a kill may lose those of the last REFUSAL_INTERVAL."""
        account = self._account((claims.trial_uid, claims.attempt))
        which = (claims.stage, reason)
        if reason in RUN.values() and claims.run_uid:
            run = self._runs.get(claims.run_uid)
            run.limit_hit = run.limit_hit or reason
        record = Refused(
            trial_uid=claims.trial_uid,
            attempt=claims.attempt,
            at=self._clock.now(),
            stage=claims.stage,
            reason=reason,
            count=account.attempt.refusals.get(which, 0) + 1,
        )
        account.attempt.apply(record)
        written_at, _ = account.refusals_written.get(which, (None, 0))
        if written_at is None or record.at - written_at >= REFUSAL_INTERVAL:
            self._write_refusal(account, record)

    def close(self, key: Key) -> None:
        """No further calls for an attempt."""
        account = self._account(key)
        if not account.attempt.closed:
            record = Close(trial_uid=key[0], attempt=key[1], at=self._clock.now())
            account.attempt.apply(record)
            self._append(record)
        self._write_refusals(key, account)
        account.changed.ring()

    def _write_refusals(self, key: Key, account: Account) -> None:
        """Write down counts that have grown since they were written."""
        now = self._clock.now()
        for which, (_, written) in list(account.refusals_written.items()):
            count = account.attempt.refusals[which]
            if count > written:
                record = Refused(
                    trial_uid=key[0],
                    attempt=key[1],
                    at=now,
                    stage=which[0],
                    reason=which[1],
                    count=count,
                )
                self._write_refusal(account, record)

    def _write_refusal(self, account: Account, record: Refused) -> None:
        account.refusals_written[record.stage, record.reason] = (record.at, record.count)
        self._append(record)

    def _append(self, record: AnyRecord) -> None:
        try:
            self.journal.append(record)
        except JournalError as error:
            log.error("%s could not be recorded: %s", record.t, error)

    async def idle(self, key: Key, seconds: float) -> None:
        """Wait until an attempt has no call in flight, at most `seconds`."""
        account = self._account(key)
        deadline = self._clock.monotonic() + seconds
        while account.attempt.in_flight:
            left = deadline - self._clock.monotonic()
            if left <= 0:
                return
            await account.changed.wait(left)

    def attempt(self, key: Key) -> Attempt:
        """What is known of an attempt; nothing is counted of one never seen."""
        account = self._accounts.get(key)
        return account.attempt if account else Attempt()

    def run(self, uid: str) -> Run:
        """What is known of a run."""
        return self._runs.get(uid)

    def limit_run(self, uid: str, limits: Limits) -> None:
        """Set the limits of a run. Raises JournalError, and then they are as before."""
        if self.run(uid).limits != limits:
            self.journal.append(RunBudget(at=self._clock.now(), run_uid=uid, limits=limits))
            self.run(uid).limit(limits)

    def calls(self, key: Key) -> list[AnyRecord]:
        """The dispatch and settle records of an attempt, in the order of writing."""
        account = self._accounts.get(key)
        return read_at(self.journal.folder, account.locations()) if account else []

    def in_flight(self) -> int:
        """Calls under way, of all attempts."""
        return sum(len(account.attempt.in_flight) for account in self._accounts.values())

    def waiting(self) -> int:
        """How many wait: for a reservation to be released, or for an attempt's last call."""
        own = sum(account.changed.awaited for account in self._accounts.values())
        return own + self._runs.waiting()

    async def shut(self) -> None:
        """Write down what is still only counted, and let go of the journal."""
        for key, account in self._accounts.items():
            self._write_refusals(key, account)
        await self.journal.close()

    def _account(self, key: Key) -> Account:
        account = self._accounts.get(key)
        if account is None:
            account = self._accounts[key] = Account()
        return account


def _unpriced(model: str) -> RefusalError:
    message = (
        f"model {model!r} has no price that is known, and this budget limits money: tell who "
        "runs the benchmark"
    )
    return RefusalError(403, "permission_error", message, "no_price", retry=False)
