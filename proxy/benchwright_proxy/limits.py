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
* a call whose usage stays unknown keeps its reservation.

A call that would fit if others in flight were not holding reservations is not over budget: it waits
for them (justrach/codegraff#269).
"""

import math
from dataclasses import dataclass, field

from .refusal import LimitName
from .token import Limits

#: A limit: name, allowed, used, held, asked.
Row = tuple[LimitName, int | None, int, int, int]


@dataclass(frozen=True, slots=True)
class Amount:
    """Tokens in and out."""

    input: int = 0
    output: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.input + other.input, self.output + other.output)

    def __sub__(self, other: "Amount") -> "Amount":
        return Amount(self.input - other.input, self.output - other.output)

    @property
    def total(self) -> int:
        return self.input + self.output


@dataclass(slots=True)
class Spent:
    """What an attempt has used: `requests` made, `used` by ended calls, `held` for running ones."""

    requests: int = 0
    used: Amount = field(default_factory=Amount)
    held: Amount = field(default_factory=Amount)

    def hold(self, reserved: Amount) -> None:
        """A call is made."""
        self.requests += 1
        self.held += reserved

    def release(self, reserved: Amount, used: Amount) -> None:
        """It ended."""
        self.held -= reserved
        self.used += used


@dataclass(frozen=True, slots=True)
class Need:
    """What a call asks for: bytes of its body, and its maximum output if it declares one."""

    body_bytes: int
    declared_output: int | None
    default_output: int
    bytes_per_token: float = 1.0


@dataclass(frozen=True, slots=True)
class Exceeded:
    """A limit that a call does not fit into. `transient`: it would, if nothing were in flight."""

    limit: LimitName
    allowed: int
    used: int
    asked: int
    transient: bool

    def message(self) -> str:
        """For the agent and whoever reads its log."""
        if self.transient:
            return f"the {self.limit} limit of {self.allowed} is held by calls still running"
        return (
            f"this trial's {self.limit} limit is {self.allowed}: {self.used} used, "
            f"and this call may need {self.asked}"
        )


def reserve(limits: Limits, spent: Spent, need: Need) -> Amount | Exceeded:
    """The reservation for a call, or the limit that it does not fit into."""
    if limits.requests is not None and spent.requests >= limits.requests:
        return Exceeded("requests", limits.requests, spent.requests, 1, transient=False)
    asked_input = math.ceil(need.body_bytes / need.bytes_per_token)
    asked = Amount(asked_input, _output(limits, spent.used, asked_input, need))
    rows: tuple[Row, ...] = (
        ("input_tokens", limits.input_tokens, spent.used.input, spent.held.input, asked.input),
        ("output_tokens", limits.output_tokens, spent.used.output, spent.held.output, asked.output),
        ("total_tokens", limits.total_tokens, spent.used.total, spent.held.total, asked.total),
    )
    return _first_exceeded(rows) or asked


def _first_exceeded(
    rows: tuple[Row, ...],
) -> Exceeded | None:
    """A limit that is exceeded for good goes before one that only waits."""
    waiting = None
    for name, allowed, used, held, asked in rows:
        if allowed is None or used + held + asked <= allowed:
            continue
        if used + asked > allowed:
            return Exceeded(name, allowed, used, asked, transient=False)
        waiting = waiting or Exceeded(name, allowed, used, asked, transient=True)
    return waiting


def _output(limits: Limits, used: Amount, asked_input: int, need: Need) -> int:
    if need.declared_output is not None:
        return need.declared_output
    left = [need.default_output]
    if limits.output_tokens is not None:
        left.append(limits.output_tokens - used.output)
    if limits.total_tokens is not None:
        left.append(limits.total_tokens - used.total - asked_input)
    # At least one token: with nothing left the call must not fit.
    return max(1, min(left))
