"""Whether a call fits into what is left of an attempt's limits, decided before it is made. Pure.

Each call reserves an upper bound of what it may use, and settles to what it did use:

* requests: one each, exact.
* output: what the request declares (max_tokens, for each of its answers). Servers that enforce
  what they accept cannot overrun a limit with such calls, however many run at once. A request that
  declares nothing reserves what its model can write at most (`maxOutputTokens`, else
  `defaultOutputReservation`), or all that is left if that is less, so that an agent which never
  declares a maximum can use its limit to the end. Such a call can overrun the limit by what it
  writes past its reservation. Where `maxOutputTokens` is true of the model, that happens once in an
  attempt, by less than `maxOutputTokens`: whoever reserves all that is left runs alone.
* input: one token for each byte of the body. Byte-level tokenizers never make more tokens than
  there are bytes, JSON adds bytes, and the markup that a provider puts around messages is shorter
  than their JSON. Not covered: content by reference (image URLs, file ids), instructions that a
  provider adds for its tools, and input that server-side tools fetch. Text is 3 to 5 bytes a token,
  so a call whose prompt exceeds about a quarter of the limit is refused early; `inputBytesPerToken`
  trades that for overrun.
* money: what these tokens cost at most, by the dearest class, tier and variant of the model's price.
  Not covered: tools that the provider runs by itself and charges for by use. A model without a price
  is refused where money is limited.
* a call whose usage, or cost, stays unknown keeps its reservation.

A run's limits are kept in the same way, over all trials that this process serves.

A call that would fit if others in flight were not holding reservations is not over budget: it waits
for them (justrach/codegraff#269).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from .prices.cost import Ceiling
from .refusal import LimitName
from .token import Limits

#: A limit: name, allowed, used, held, asked.
Row = tuple[LimitName, int, int, int, int]


class Amount(Struct, frozen=True):
    """Tokens in and out, and nano-dollars."""

    input: int = 0
    output: int = 0
    nanos: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(
            self.input + other.input, self.output + other.output, self.nanos + other.nanos
        )

    def __sub__(self, other: "Amount") -> "Amount":
        return Amount(
            self.input - other.input, self.output - other.output, self.nanos - other.nanos
        )

    @property
    def total(self) -> int:
        return self.input + self.output


@dataclass(slots=True)
class Spent:
    """What an attempt has used: `requests` made, `used` by ended calls, `held` for running ones."""

    requests: int = 0
    used: Amount = field(default_factory=Amount)
    held: Amount = field(default_factory=Amount)

    def add(self, requests: int, used: Amount) -> None:
        """Calls were made and have ended."""
        self.requests += requests
        self.used += used

    def hold(self, reserved: Amount) -> None:
        """A call is made."""
        self.requests += 1
        self.held += reserved

    def release(self, reserved: Amount, used: Amount) -> None:
        """It ended."""
        self.held -= reserved
        self.used += used


class Need(Struct, frozen=True):
    """What a call of `model` asks for: bytes of its body, and its maximum output if it declares one.
    `ceiling` is what it can cost, None where no price is known."""

    model: str
    body_bytes: int
    declared_output: int | None
    default_output: int
    bytes_per_token: float = 1.0
    ceiling: Ceiling | None = None


class Exceeded(Struct, frozen=True):
    """A limit that a call does not fit into. `transient`: it would, if nothing were in flight."""

    limit: LimitName
    allowed: int
    used: int
    asked: int
    transient: bool

    def message(self) -> str:
        """For the agent and whoever reads its log."""
        whose, name = ("run", self.limit[4:]) if self.limit[:4] == "run_" else ("trial", self.limit)
        allowed, used, asked = (_shown(name, n) for n in (self.allowed, self.used, self.asked))
        if self.transient:
            return f"this {whose}'s {name} limit of {allowed} is held by calls still running"
        return (
            f"this {whose}'s {name} limit is {allowed}: {used} used, and this call may need {asked}"
        )


def _shown(name: str, count: int) -> str:
    return f"${count / 1e9:.6g}" if name == "cost" else str(count)


class Purse(Struct, frozen=True):
    """Limits, and what was used of them; `names` is what a limit of it is called."""

    limits: Limits
    spent: Spent
    names: Mapping[str, LimitName]


TRIAL: Mapping[str, LimitName] = {
    "requests": "requests",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "total_tokens": "total_tokens",
    "cost": "cost",
}
RUN: Mapping[str, LimitName] = {
    "requests": "run_requests",
    "input_tokens": "run_input_tokens",
    "output_tokens": "run_output_tokens",
    "total_tokens": "run_total_tokens",
    "cost": "run_cost",
}


def reserve(
    limits: Limits, spent: Spent, need: Need, run: Purse | None = None
) -> Amount | Exceeded:
    """The reservation for a call, or the limit that it does not fit into."""
    own = Purse(limits, spent, TRIAL)
    asked_input = math.ceil(need.body_bytes / need.bytes_per_token)
    asked_output = _output(own, asked_input, need)
    if run is not None:
        asked_output = min(asked_output, _output(run, asked_input, need))
    nanos = need.ceiling.nanos(asked_input, asked_output) if need.ceiling else 0
    asked = Amount(asked_input, asked_output, nanos)
    rows = _rows(own, asked)
    return _first_exceeded(rows if run is None else rows + _rows(run, asked)) or asked


def limited_in_money(limits: Limits, run: Purse | None = None) -> bool:
    """Whether the price of a call matters."""
    return limits.cost_nanos is not None or bool(run and run.limits.cost_nanos is not None)


def _rows(purse: Purse, asked: Amount) -> list[Row]:
    limits, names, rows = purse.limits, purse.names, list[Row]()
    used, held, made = purse.spent.used, purse.spent.held, purse.spent.requests
    if (most := limits.requests) is not None:
        # Requests are never held: one that was made is used.
        rows.append((names["requests"], most, made, 0, 1))
    if (most := limits.input_tokens) is not None:
        rows.append((names["input_tokens"], most, used.input, held.input, asked.input))
    if (most := limits.output_tokens) is not None:
        rows.append((names["output_tokens"], most, used.output, held.output, asked.output))
    if (most := limits.total_tokens) is not None:
        rows.append((names["total_tokens"], most, used.total, held.total, asked.total))
    if (most := limits.cost_nanos) is not None:
        rows.append((names["cost"], most, used.nanos, held.nanos, asked.nanos))
    return rows


def _first_exceeded(
    rows: Sequence[Row],
) -> Exceeded | None:
    """A limit that is exceeded for good goes before one that only waits."""
    waiting = None
    for name, allowed, used, held, asked in rows:
        if used + held + asked <= allowed:
            continue
        if used + asked > allowed:
            return Exceeded(name, allowed, used, asked, transient=False)
        waiting = waiting or Exceeded(name, allowed, used, asked, transient=True)
    return waiting


def _output(purse: Purse, asked_input: int, need: Need) -> int:
    if need.declared_output is not None:
        return need.declared_output
    limits, used = purse.limits, purse.spent.used
    left = [need.default_output]
    if limits.output_tokens is not None:
        left.append(limits.output_tokens - used.output)
    if limits.total_tokens is not None:
        left.append(limits.total_tokens - used.total - asked_input)
    # At least one token: with nothing left the call must not fit.
    return max(1, min(left))
