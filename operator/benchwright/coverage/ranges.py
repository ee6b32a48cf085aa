"""Sets of line numbers as text: "1-3,7"."""

import re
from collections.abc import Iterable

_RANGE = re.compile(r"([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?", re.ASCII)


def encode(lines: Iterable[int]) -> str:
    """The shortest such text, ascending; of nothing: ""."""
    spans: list[list[int]] = []
    for line in sorted(lines):
        if spans and line == spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


def decode(text: str, room: int) -> frozenset[int]:
    """Read what `encode` wrote, and nothing else: ascending, apart, of at most `room` lines.

    Raises ValueError; a range is measured before it is expanded ("1-999999999").
    """
    lines: set[int] = set()
    last = -1
    for part in text.split(",") if text else ():
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ValueError(f"no range of lines: {part[:40]!r}")
        first, end = int(match[1]), int(match[2] or match[1])
        if first <= last + 1 or (match[2] and end <= first):
            raise ValueError(f"ranges are not ascending and apart at {part!r}")
        if end - first >= room - len(lines):
            raise OverflowError(f"more than {room} lines")
        lines.update(range(first, end + 1))
        last = end
    return frozenset(lines)
