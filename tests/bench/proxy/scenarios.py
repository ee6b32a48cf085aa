"""What is asked of every peer, round after round."""

from dataclasses import dataclass

#: Of a stream; the fake upstream knows it too.
EVENTS = 50


@dataclass(frozen=True, slots=True)
class Scenario:
    """Calls that are all the same, `concurrency` at a time.

    New ones are begun for `seconds`, or until there were `count`. `gap_ms` lies between the events
    of a stream, None is a burst. Callers begin spread over `spread` seconds, because streams that
    are all in step measure the step.
    """

    name: str
    what: str
    concurrency: int
    seconds: float = 0.0
    count: int = 0
    prompt_bytes: int = 40
    stream: bool = False
    gap_ms: int | None = None
    spread: float = 0.0

    @property
    def model(self) -> str:
        """The model's name, which tells the fake upstream how to stream."""
        return "chat" if self.gap_ms is None else f"paced-{self.gap_ms}"

    @property
    def paced(self) -> bool:
        return self.gap_ms is not None


SCENARIOS = (
    Scenario("json-20", "small JSON calls, 20 at a time", 20, seconds=2.0),
    Scenario("json-1", "small JSON calls, one at a time", 1, seconds=1.0),
    Scenario("prompts", "prompts of 400 KB, 10 at a time", 10, seconds=2.0, prompt_bytes=400_000),
    Scenario("burst", "streams of 50 events at once, 10 at a time", 10, seconds=2.0, stream=True),
    Scenario(
        "paced", "streams of 50 events, 4 ms between, 10 at a time", 10,
        seconds=2.0, stream=True, gap_ms=4, spread=0.2,
    ),
    Scenario(
        "paced-500", "500 streams at a time of 50 events, 100 ms between", 500,
        count=500, stream=True, gap_ms=100, spread=2.0,
    ),
)  # fmt: skip
MODELS = tuple(sorted({scenario.model for scenario in SCENARIOS}))
WARM_UP = (
    Scenario("warm-up", "JSON", 20, seconds=1.0),
    Scenario("warm-up", "prompts", 4, count=20, prompt_bytes=400_000),
    Scenario("warm-up", "streams", 10, seconds=0.5, stream=True),
)


@dataclass(frozen=True, slots=True)
class Mixed:
    """A part of a mixed load: `rate` calls a second, each given up after `patience` seconds."""

    scenario: Scenario
    rate: float
    patience: float = 20.0

    @property
    def leaves(self) -> bool:
        """Whether callers give up before a stream can be whole."""
        gap = self.scenario.gap_ms or 0
        return self.patience < EVENTS * gap / 1000


#: Each under a trial of its name. The last ones leave in the middle of their streams.
MIX = (
    Mixed(Scenario("json", "", 8), 40),
    Mixed(Scenario("prompts", "", 4, prompt_bytes=400_000), 4),
    Mixed(Scenario("bursts", "", 8, stream=True), 10),
    Mixed(Scenario("streams", "", 8, stream=True, gap_ms=4), 10),
    Mixed(Scenario("leavers", "", 4, stream=True, gap_ms=4), 5, patience=0.06),
)
