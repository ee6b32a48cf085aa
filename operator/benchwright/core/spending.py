"""What a trial has cost over all of its attempts, from its status alone (pure).

Tokens of an attempt that was given up were spent as well: the trial's usage is that of the attempt
that counts, and their sum is what the run must pay for.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from benchwright.api.measurements import StageUsage
from benchwright.api.spent import Spent
from benchwright.api.trial import TrialStatus

N = TypeVar("N", int, float)


class _Attempt(NamedTuple):
    usage: StageUsage | None
    cost: float | None


_NOTHING = _Attempt(
    StageUsage(
        requests=0, input_tokens=0, cached_input_tokens=0, output_tokens=0, reasoning_tokens=0
    ),
    0.0,
)


def spent(status: TrialStatus) -> Spent:
    """Sums over the attempts that `status` tells of; a sum of what is not all known is None."""
    every = _attempts(status)
    usages = [a.usage for a in every]
    known = [u for u in usages if u is not None]
    return Spent(
        attempts=status.attempt,
        unknown_attempts=sum(u is None or u.unknown_usage > 0 for u in usages),
        requests=_sum(u and u.requests for u in usages),
        input_tokens=_sum(u and u.input_tokens for u in usages),
        cached_input_tokens=_sum(u and u.cached_input_tokens for u in usages),
        output_tokens=_sum(u and u.output_tokens for u in usages),
        reasoning_tokens=_sum(u and u.reasoning_tokens for u in usages),
        cost_usd=_sum(a.cost for a in every),
        known_requests=sum(u.requests for u in known),
        known_input_tokens=sum(max(u.input_tokens or 0, u.known_input_tokens) for u in known),
        known_output_tokens=sum(max(u.output_tokens or 0, u.known_output_tokens) for u in known),
    )


def _attempts(status: TrialStatus) -> Sequence[_Attempt]:
    """Each attempt once: the last one is among the invalid ones too where it ended the trial."""
    before = [_Attempt(a.usage, a.cost_usd) for a in status.attempts if a.attempt < status.attempt]
    return [*before, _last(status)]


def _last(status: TrialStatus) -> _Attempt:
    if status.usage is not None:
        return _Attempt(status.usage.total, status.usage.cost_usd)
    # Without a pod there was no agent and no call, and nobody asked the proxy.
    return _Attempt(None, None) if status.stages else _NOTHING


def _sum(values: Iterable[N | None]) -> N | None:
    """None where one is; there is at least one."""
    total, *rest = values
    for value in rest:
        total = None if total is None or value is None else total + value
    return total
