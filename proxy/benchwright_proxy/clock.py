"""Time, passed in: rules and tests never read it by themselves."""

import time
from typing import Protocol


class Clock(Protocol):
    """`now` in unix seconds for records, `monotonic` in seconds for durations."""

    def now(self) -> float: ...

    def monotonic(self) -> float: ...


class SystemClock:
    """The machine's clocks."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()
