"""What a run's trials have cost together: all attempts, the invalid ones too."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.reports.summary import Record, number
from benchwright.reports.words import number as said


@dataclass(frozen=True, slots=True)
class Spending:
    """Sums of what is known. `unknown`: trials of which not everything is, so that they are lower
    bounds; `given_up`: attempts that are in here and in no other figure."""

    requests: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    unknown: int
    given_up: int

    @property
    def tokens(self) -> str:
        """`≥ 1,000 in, 50 out, 3 calls`."""
        least = "≥ " if self.unknown else ""
        calls = f"{said(self.requests)} call{'' if self.requests == 1 else 's'}"
        money = "" if self.cost_usd is None else f", ${self.cost_usd:,.2f}"
        return (
            f"{least}{said(self.input_tokens)} in, {said(self.output_tokens)} out, {calls}{money}"
        )

    def __str__(self) -> str:
        """A sentence for the whole run."""
        parts = []
        if self.given_up:
            parts.append(
                f"{self.given_up} invalid attempt{'' if self.given_up == 1 else 's'} included"
            )
        if self.unknown:
            trials = f"{self.unknown} trial{'' if self.unknown == 1 else 's'}"
            parts.append(f"a lower bound: of {trials} not all is known")
        return f"{self.tokens}{' (' if parts else ''}{'; '.join(parts)}{')' if parts else ''}"


def spending(records: Sequence[Record]) -> Spending:
    """Of trials of all outcomes."""
    costs = [number(r, "spent", "cost_usd") for r in records]
    known = [c for c in costs if c is not None]
    return Spending(
        requests=_sum(records, "requests"),
        input_tokens=_sum(records, "input_tokens"),
        output_tokens=_sum(records, "output_tokens"),
        cost_usd=sum(known) if known and len(known) == len(costs) else None,
        unknown=sum(_unknown(r) for r in records),
        given_up=sum(len(r.get("attempts") or []) for r in records),
    )


def _sum(records: Sequence[Record], what: str) -> int:
    return sum(int(number(r, "spent", f"known_{what}") or 0) for r in records)


def _unknown(record: Record) -> bool:
    return number(record, "spent", "unknown_attempts") != 0
