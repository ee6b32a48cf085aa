"""Time, passed in: rules and tests never read it by themselves."""

import time
from typing import Protocol


class Clock(Protocol):
    """`now` in unix seconds for records, `monotonic` in seconds for durations."""

    def now(self) -> float: ...

    def monotonic(self) -> float: ...


class SystemClock:
    """The machine's clocks."""

    now = staticmethod(time.time)
    monotonic = staticmethod(time.monotonic)
