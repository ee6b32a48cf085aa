"""Success against what it takes: money and wall time, failed and invalid attempts included.

Point estimates only: that a configuration is on a frontier says nothing of how sure its place is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from benchwright.analysis.observations import ConfigKey
from benchwright.analysis.standings import Amount, Standing
from benchwright.stats.pareto import frontier
from benchwright.stats.values import Undefined


@dataclass(frozen=True)
class Point:
    """One configuration."""

    config: ConfigKey
    amount: Decimal
    """Of a mean trial, so that configurations with more trials are not punished for them."""
    rate: float
    on_frontier: bool


@dataclass(frozen=True)
class Trade:
    """Success rate against one kind of amount."""

    points: tuple[Point, ...]
    """The cheapest first."""
    left_out: tuple[tuple[ConfigKey, str], ...]
    """Configurations that have no place in it, and why: an unknown cost is not a low one."""


def against_cost(standings: Sequence[Standing]) -> Trade:
    """Against money, in US dollars."""
    return _trade(standings, lambda s: s.cost, "cost")


def against_seconds(standings: Sequence[Standing]) -> Trade:
    """Against the wall time of whole trials."""
    return _trade(standings, lambda s: s.seconds, "time")


def against_agent_seconds(standings: Sequence[Standing]) -> Trade:
    """Against the agents' own time, without the harness, set-up and evaluators."""
    return _trade(standings, lambda s: s.agent_seconds, "agent time")


def against_output_tokens(standings: Sequence[Standing]) -> Trade:
    """Against output tokens."""
    return _trade(standings, lambda s: s.tokens_out, "number of output tokens")


def _trade(standings: Sequence[Standing], of: Callable[[Standing], Amount], what: str) -> Trade:
    known: list[tuple[ConfigKey, Decimal, float]] = []
    left_out = []
    for one in standings:
        amount, key = of(one), one.config.key
        if isinstance(one.rate, Undefined):
            left_out.append((key, one.rate.reason))
        elif amount.total is None or not amount.trials:
            left_out.append(
                (key, f"the {what} of {amount.unknown} of {amount.trials} trials is unknown")
            )
        else:
            known.append((key, amount.total / amount.trials, one.rate))
    flags = frontier([(float(amount), rate) for _, amount, rate in known])
    points = [Point(*place, flag) for place, flag in zip(known, flags, strict=True)]
    return Trade(
        tuple(sorted(points, key=lambda p: (p.amount, -p.rate, p.config))), tuple(left_out)
    )
