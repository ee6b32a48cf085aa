"""Whatever is handed over, tidied away and restarted: the totals are those of a journal that keeps all."""

import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from benchwright_proxy.admin_port import run_usage, usage
from benchwright_proxy.journal.fold import Attempt
from benchwright_proxy.journal.records import Dispatch
from benchwright_proxy.jsonvalue import JsonObject
from benchwright_proxy.ledger import Ledger
from benchwright_proxy.limits import Amount, Need
from benchwright_proxy.refusal import RefusalError
from benchwright_proxy.token import Claims, Limits

from .helpers import claims
from .test_fold import dispatch, settle

Step = Literal[
    "call", "fails", "starts", "ends", "refused", "close", "hand over", "limit", "tidy", "restart"
]
TRIALS = tuple(
    replace(claims(trial_uid=uid, attempt=attempt), run_uid=run, limits=Limits(requests=4))
    for uid, run in (("u1", "r"), ("u2", "r"), ("u3", "s"))
    for attempt in (1, 2)
)
STEPS = st.lists(
    st.tuples(st.sampled_from(Step.__args__), st.sampled_from(TRIALS)),  # type: ignore[attr-defined]
    max_size=40,
)


class Still:
    """A clock that goes on by a second with each look."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        self.time += 1.0
        return self.time

    monotonic = now


class Machine:
    """One ledger, which lets go of what it may, or never does."""

    def __init__(self, folder: Path, *, lets_go: bool) -> None:
        self.folder, self.lets_go = folder, lets_go
        self.clock, self.number = Still(), 0
        self.open_calls: list[Dispatch] = []
        self.ledger = self._opened()

    def _opened(self) -> Ledger:
        ledger = Ledger.open(self.folder, self.clock)
        ledger.journal._segment_bytes = 2000
        return ledger

    async def do(self, step: Step, who: Claims) -> None:
        key = who.trial_uid, who.attempt
        if step in ("call", "fails", "starts"):
            await self._call(step, who)
        elif step == "ends" and self.open_calls:
            self._settle(self.open_calls.pop(), "ok")
        elif step == "refused" and not self.ledger.attempt(key).closed:
            self.ledger.refuse(who, "forbidden")
        elif step in ("close", "hand over"):
            self.ledger.close(key)
            if step == "hand over" and self.lets_go:
                await self.ledger.hand_over(key, 0.0)
        elif step == "limit":
            self.number += 1
            self.ledger.limit_run(who.run_uid, Limits(requests=3 + self.number % 5))
        elif step == "tidy" and self.lets_go:
            await self.ledger.tidy(10.0**9)
        elif step == "restart":
            await self.ledger.shut()
            self.open_calls.clear()
            self.ledger = self._opened()

    async def _call(self, step: Step, who: Claims) -> None:
        self.number += 1
        name = f"call-{self.number}"

        def record(amount: Amount, attempt: Attempt) -> Dispatch:
            made = dispatch(name)
            return structs.replace(
                made, trial_uid=who.trial_uid, attempt=who.attempt, run_uid=who.run_uid
            )

        need = Need("demo", 1, 1, 1)
        try:
            made = await self.ledger.admit(who, need, record, wait_seconds=0.0, wanted=lambda: True)
        except RefusalError as refusal:
            if refusal.reason != "closed":
                self.ledger.refuse(who, refusal.reason)
            return
        if step == "starts":
            self.open_calls.append(made)
        else:
            self._settle(made, "ok" if step == "call" else "truncated")

    def _settle(self, made: Dispatch, status: Literal["ok", "truncated"]) -> None:
        record = settle(made.call, status=status)
        key = {"trial_uid": made.trial_uid, "attempt": made.attempt}
        self.ledger.settle(structs.replace(record, **key))

    def told(self) -> list[JsonObject]:
        attempts = [usage(self.ledger, (who.trial_uid, who.attempt)) for who in TRIALS]
        runs = [run_usage(uid, self.ledger.run(uid)) for uid in ("r", "s")]
        return [{k: v for k, v in row.items() if k != "handed_over"} for row in (*attempts, *runs)]


@settings(deadline=None)
@given(STEPS)
def test_totals_are_those_of_a_journal_that_keeps_all(steps: list[tuple[Step, Claims]]) -> None:
    async def play() -> None:
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            ours, model = Machine(Path(one), lets_go=True), Machine(Path(other), lets_go=False)
            for step, who in [*steps, ("tidy", TRIALS[0]), ("restart", TRIALS[0])]:
                await ours.do(step, who)
                await model.do(step, who)
                assert ours.told() == model.told()
            for machine in (ours, model):
                await machine.ledger.shut()

    asyncio.run(play())
