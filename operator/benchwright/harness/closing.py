"""The runner's closing record: how each step ended (pure)."""

import re
from dataclasses import dataclass

_RECORD = re.compile(r"benchwright-runner-1 done((?: [a-z0-9-]+:\d{1,3}:\d{1,12}:\d{1,12}:[01])*)")


@dataclass(frozen=True, slots=True)
class StepEnd:
    """How one step ended."""

    name: str
    exit_code: int | None
    seconds: float
    timed_out: bool


def parse(text: bytes) -> tuple[StepEnd, ...] | None:
    """The last whole line of the pipe; None where the runner did not come to its end.

    Only the last line counts: it was written when every process of the agent was dead. Earlier
    ones may be anything.
    """
    lines = text.decode("ascii", "replace").split("\n")
    if len(lines) < 2 or lines[-1]:
        return None
    # An agent may have left half a line in front of the runner's own.
    start = lines[-2].rfind("benchwright-runner-1 done")
    match = _RECORD.fullmatch(lines[-2][start:]) if start >= 0 else None
    return tuple(_step(part) for part in match[1].split()) if match else None


def _step(part: str) -> StepEnd:
    name, code, start, end, late = part.split(":")
    seconds = max(0, int(end) - int(start)) / 100
    timed_out = late == "1"
    return StepEnd(name, None if timed_out else int(code), seconds, timed_out)
