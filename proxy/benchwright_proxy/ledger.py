"""All attempts that the proxy knows: admits calls, writes them down, counts them.

The state is what `journal.fold` makes of the records; every change is a record, written first and
then applied, so a restart arrives at the same numbers. One event loop owns it: between reading what
is spent and holding a reservation nothing else runs, which makes admission exact.
"""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from .accounts import Account, Accounts, Key
from .clock import Clock
from .journal.fold import Attempt
from .journal.reading import Damage
from .journal.records import Close, Dispatch, Gap, Refused, Settle
from .journal.writing import Journal, JournalError
from .limits import RUN, Amount, Exceeded, Need, limited_in_money, reserve
from .refusal import Reason, RefusalError, over_budget
from .runs import Run
from .token import Claims, Limits

log = logging.getLogger(__name__)

#: Calls of one attempt that may be under way at once: more than any agent makes, and few enough that one
#: attempt cannot take all of the proxy's connections.
MAX_CONCURRENT = 512
#: Calls of one attempt in all, whatever its budget says: each takes about 1.3 KB of the volume that all
#: trials share.
MAX_CALLS = 100_000
#: A machine that dies takes what was written in its last seconds along, in any order.
RECENT_SECONDS = 10.0
#: A stage that keeps being refused for one reason writes that down at most this often (seconds).
REFUSAL_INTERVAL = 1.0


class Ledger:
    """See the module. Made by `Ledger.open`."""

    def __init__(self, journal: Journal, accounts: Accounts, clock: Clock, damage: Damage) -> None:
        self.journal = journal
        self.damage = damage
        self._clock = clock
        self._accounts = accounts
        self._runs = accounts.runs

    @classmethod
    def open(cls, folder: Path, clock: Clock, *, patience: float = 0.0) -> "Ledger":
        """Lock and replay the journal in `folder`; calls without an end become interrupted.

        `patience`: seconds to wait for another proxy to let go of it. Raises JournalError.
        """
        journal, damage = Journal(folder, patience=patience), Damage()
        try:
            ledger = cls(journal, Accounts(folder, damage), clock, damage)
        except OSError as error:
            raise JournalError(f"{folder}: {error.strerror}") from error
        for where in damage.where:
            log.error("journal: unreadable line at %s", where)
        ledger._begin()
        return ledger

    def _begin(self) -> None:
        """Tell of what the writer before left unfinished, or may have lost. Raises JournalError."""
        if self.journal.machine_died:
            self._tell_of_gaps()
        self._interrupt_leftovers()
        self.journal.begun()
        for _, account in self._accounts.items():
            account.sure.update(account.attempt.stages)

    def _tell_of_gaps(self) -> None:
        """Attempts that were open, or had just been closed, may have made calls that are not here."""
        accounts = list(self._accounts.items())
        last_at = max((account.last_at for _, account in accounts), default=0.0)
        log.error("journal: its last writer's machine died: the latest calls may be missing")
        for (uid, number), account in accounts:
            if not account.attempt.closed or account.last_at >= last_at - RECENT_SECONDS:
                gap = Gap(trial_uid=uid, attempt=number, at=self._clock.now())
                account.apply(gap, self.journal.append(gap))

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
        line of what was reserved for an attempt. That a stage makes calls is on the disk before its
        first one goes out: if the machine dies, its sums are known not to be whole.

        Raises RefusalError: closed (403), over a limit (400), too many at once (429), without a price
        where money is limited (403), or no journal (503); and ConnectionResetError when it had to
        wait and is no longer `wanted`.
        """
        deadline = self._clock.monotonic() + wait_seconds
        while True:
            self.check_open(claims)
            account = self._accounts.account((claims.trial_uid, claims.attempt))
            _check_numbers(account.attempt)
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
            if call.stage not in account.sure:
                await self.journal.durable()
                account.sure.add(call.stage)
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
        if self._accounts.closed((claims.trial_uid, claims.attempt)):
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
        account = self._accounts.account((record.trial_uid, record.attempt))
        try:
            self._runs.move(account.apply(record, self.journal.append(record)))
        except JournalError as error:
            log.error("call %s: its end could not be recorded: %s", record.call, error)
            self._runs.move(account.attempt.apply(record))
            account.changed.ring()

    def refuse(self, claims: Claims, reason: Reason) -> None:
        """Count a refusal; a kill may lose those of the last REFUSAL_INTERVAL. They are not counted
        of an attempt whose calls somebody else keeps: its totals are final."""
        key = claims.trial_uid, claims.attempt
        if self._accounts.archived(key):
            return
        account = self._accounts.account(key)
        which = (claims.stage, reason)
        if reason in RUN.values() and claims.run_uid:
            self._hit(claims.run_uid, reason)
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

    def _hit(self, run_uid: str, limit: Reason) -> None:
        """A limit of a run refused a call: the first that does is remembered."""
        run = self.run(run_uid)
        if run.limit_hit is None and run.limits is not None:
            run.limit_hit = limit
            try:
                self._accounts.keep_run(run_uid, run.limits, limit, self._clock.now())
            except OSError as error:
                log.error("run %s: %s could not be recorded: %s", run_uid, limit, error.strerror)

    def close(self, key: Key) -> None:
        """No further calls for an attempt."""
        if self._accounts.archived(key):
            return
        account = self._accounts.account(key)
        if not account.attempt.closed:
            record = Close(trial_uid=key[0], attempt=key[1], at=self._clock.now())
            account.attempt.apply(record)
            self._append(account, record)
        self._write_refusals(key, account)
        account.changed.ring()

    async def closed_for_good(self) -> None:
        """Wait until what was closed is on the disk; if it does not get there, the next start tells."""
        try:
            await self.journal.durable()
        except JournalError as error:
            log.error("a close could not be recorded: %s", error)

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
        self._append(account, record)

    def _append(self, account: Account, record: Close | Refused) -> None:
        """Write down what was counted."""
        try:
            account.written(record, self.journal.append(record))
        except JournalError as error:
            log.error("a %s could not be recorded: %s", type(record).__name__.lower(), error)

    async def hand_over(self, key: Key, seconds: float) -> bool:
        """Somebody else keeps the calls of a closed attempt now, so its totals are enough; whether
        that is so. It is not while calls are in flight, for which it waits at most `seconds`."""
        await self.idle(key, seconds)
        account = self._accounts.find(key)
        if account and account.attempt.closed and not account.attempt.in_flight:
            await self._accounts.hand_over([key], self._clock.now())
        return self._accounts.archived(key)

    async def tidy(self, abandoned_seconds: float) -> list[Key]:
        """Delete files that nobody needs any more. Attempts of which nothing was heard for so long
        are closed before, and their calls given up: somebody has deleted their trial. Returns them."""
        now = self._clock.now()
        abandoned = self._accounts.quiet_since(now - abandoned_seconds)
        for key in abandoned:
            log.warning("attempt %d of trial %s was given up", key[1], key[0])
            self.close(key)
        await self._accounts.hand_over(abandoned, now)
        if deleted := await self._accounts.delete_files(self.journal.current):
            log.info("journal: %d files deleted: others keep these calls", deleted)
        return abandoned

    async def idle(self, key: Key, seconds: float) -> None:
        """Wait until an attempt has no call in flight, at most `seconds`."""
        account = self._accounts.find(key)
        deadline = self._clock.monotonic() + seconds
        while account and account.attempt.in_flight:
            left = deadline - self._clock.monotonic()
            if left <= 0:
                return
            await account.changed.wait(left)

    def attempt(self, key: Key) -> Attempt:
        """What is known of an attempt; nothing is counted of one never seen."""
        return self._accounts.attempt(key)

    def handed_over(self, key: Key) -> bool:
        """Whether somebody else keeps the calls of an attempt, and here are only totals."""
        return self._accounts.archived(key)

    def run(self, uid: str) -> Run:
        """What is known of a run."""
        return self._runs.get(uid)

    def limit_run(self, uid: str, limits: Limits) -> None:
        """Set the limits of a run. Raises JournalError, and then they are as before."""
        known = self.run(uid).limits
        if known != limits:
            if known is not None or limits != Limits():
                self._keep_run(uid, limits)
            self.run(uid).limit(limits)

    def _keep_run(self, uid: str, limits: Limits) -> None:
        try:
            self._accounts.keep_run(uid, limits, None, self._clock.now())
        except OSError as error:
            raise JournalError(f"{self.journal.folder}: {error.strerror}") from error

    async def calls(self, key: Key) -> list[Dispatch | Settle]:
        """The dispatch and settle records of an attempt, in the order of writing."""
        blocks, folder = self._accounts.blocks(key), self.journal.folder
        records = await asyncio.to_thread(lambda: list(blocks.read(folder, key)))
        return [record for record in records if isinstance(record, Dispatch | Settle)]

    def in_flight(self) -> int:
        """Calls under way, of all attempts."""
        return sum(len(account.attempt.in_flight) for _, account in self._accounts.items())

    def waiting(self) -> int:
        """How many wait: for a reservation to be released, or for an attempt's last call."""
        own = sum(account.changed.awaited for _, account in self._accounts.items())
        return own + self._runs.waiting()

    async def shut(self) -> None:
        """Write down what is still only counted, and let go of the journal."""
        for key, account in self._accounts.items():
            self._write_refusals(key, account)
        self._accounts.close()
        await self.journal.close()


def _check_numbers(attempt: Attempt) -> None:
    """Raises RefusalError where an attempt has as many calls as any may have."""
    if len(attempt.in_flight) >= MAX_CONCURRENT:
        message = f"this trial has {MAX_CONCURRENT} calls under way: wait for one to end"
        raise RefusalError(429, "rate_limit_error", message, "too_many_calls", retry=1)
    if attempt.spent.requests >= MAX_CALLS:
        message = f"a trial makes at most {MAX_CALLS} calls, and this one has"
        raise over_budget(message, "requests")


def _unpriced(model: str) -> RefusalError:
    message = (
        f"model {model!r} has no price that is known, and this budget limits money: tell who "
        "runs the benchmark"
    )
    return RefusalError(403, "permission_error", message, "no_price", retry=False)
