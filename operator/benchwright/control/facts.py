"""Facts of attempts, remembered while the news feed is heard.

A trial is looked at at every change of its pods, and mostly there is nothing new: to ask the results
service each time is its and the operator's largest cost. What is remembered may be a moment old, so
it may only ever say "nothing to do"; whoever wants to do something asks (see trials.reconcile).
"""

from collections.abc import Awaitable, Callable, Mapping

from benchwright.api.facts import StageFacts
from benchwright.core.trialview import StageKey, TrialView

Facts = Mapping[StageKey, StageFacts]
Ask = Callable[[str, int], Awaitable[Facts]]


class FactsCache:
    """The last answer for each trial, until news of it come, or the news cannot be trusted."""

    def __init__(self, ask: Ask):
        self._ask = ask
        self._known: dict[str, tuple[str, int, Facts]] = {}
        """Trial name → UID and attempt that were asked for, and the answer."""
        self._on_its_way: dict[str, bool] = {}
        """Trial name → whether the answer may be older than news that came meanwhile."""
        self._listening = False

    def remembered(self, trial: TrialView, attempt: int) -> Facts | None:
        uid, number, facts = self._known.get(trial.name, ("", 0, None))
        return facts if (uid, number) == (trial.uid, attempt) else None

    async def ask(self, trial: TrialView, attempt: int) -> Facts:
        """What the results service has now."""
        self._on_its_way[trial.name] = False
        try:
            facts = await self._ask(trial.uid, attempt)
        finally:
            outdated = self._on_its_way.pop(trial.name, True)
        if self._listening and not outdated:
            self._known[trial.name] = (trial.uid, attempt, facts)
        return facts

    def forget(self, trial: str) -> None:
        """There are news of it, or it is over."""
        self._known.pop(trial, None)
        if trial in self._on_its_way:
            self._on_its_way[trial] = True

    def forget_all(self) -> None:
        """News may have been missed, or the store is another one."""
        for trial in [*self._known, *self._on_its_way]:
            self.forget(trial)

    def listen(self) -> None:
        """The feed has told everything up to now, and will tell what comes."""
        self._listening = True

    def deaf(self) -> None:
        self._listening = False
        self.forget_all()
