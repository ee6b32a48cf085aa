"""Inputs of runs, kept for a while."""

from collections.abc import Callable

from benchwright.core.runview import Inputs, RunView

KEPT_SECONDS = 30.0


class InputsCache:
    """By run; a new generation of its spec is another run."""

    def __init__(self, monotonic: Callable[[], float]):
        self._monotonic = monotonic
        self._kept: dict[str, tuple[str, int, float, Inputs]] = {}
        self.era = 0
        """Counts what ended the keeping: who began to gather before must not keep."""

    def kept(self, run: RunView) -> Inputs | None:
        uid, generation, until, inputs = self._kept.get(run.name, ("", 0, 0.0, None))
        same = (uid, generation) == (run.uid, run.generation)
        return inputs if same and self._monotonic() < until else None

    def keep(self, run: RunView, inputs: Inputs, era: int) -> None:
        """What was kept already is no fresher for being kept again."""
        if era != self.era:
            return
        fresh = self.kept(run) is None
        until = self._monotonic() + KEPT_SECONDS if fresh else self._kept[run.name][2]
        self._kept[run.name] = (run.uid, run.generation, until, inputs)

    def forget(self, run: str) -> None:
        self._kept.pop(run, None)

    def forget_all(self) -> None:
        self.era += 1
        self._kept.clear()
