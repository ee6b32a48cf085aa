"""From records to totals. The same code counts live calls and replays a journal: pure."""

from dataclasses import dataclass, field

from benchwright_proxy.limits import Amount, Spent
from benchwright_proxy.refusal import LIMIT_REASONS
from benchwright_proxy.usage.record import Usage

from .records import Close, Dispatch, Record, Refused, Settle


@dataclass(slots=True)
class Totals:
    """Sums over calls of one stage, or of all.

    requests = succeeded + failed + those in flight. Token sums are of what providers said;
    `unknown_usage` counts the calls that they lack, wholly or in part: calls whose model may have
    run and whose final usage was not said. A call that the provider refused lacks nothing.
    """

    requests: int = 0
    succeeded: int = 0
    failed: int = 0
    refused: int = 0
    unknown_usage: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int | None = None
    models: dict[str, int] = field(default_factory=dict)

    def settle(self, record: Settle) -> None:
        """Count a call that ended."""
        if record.status == "ok":
            self.succeeded += 1
        else:
            self.failed += 1
        if record.ran and record.usage.source != "provider":
            self.unknown_usage += 1
        self._add(record.usage)

    def _add(self, usage: Usage) -> None:
        self.input_tokens += usage.input_tokens or 0
        self.cached_input_tokens += usage.cache_read or 0
        self.cache_write_tokens += usage.cache_write or 0
        self.output_tokens += usage.output_tokens or 0
        if usage.reasoning_tokens is not None:
            self.reasoning_tokens = (self.reasoning_tokens or 0) + usage.reasoning_tokens

    def merge(self, other: "Totals") -> None:
        """Add another stage."""
        self.requests += other.requests
        self.succeeded += other.succeeded
        self.failed += other.failed
        self.refused += other.refused
        self.unknown_usage += other.unknown_usage
        self.input_tokens += other.input_tokens
        self.cached_input_tokens += other.cached_input_tokens
        self.cache_write_tokens += other.cache_write_tokens
        self.output_tokens += other.output_tokens
        if other.reasoning_tokens is not None:
            self.reasoning_tokens = (self.reasoning_tokens or 0) + other.reasoning_tokens
        for model, count in other.models.items():
            self.models[model] = self.models.get(model, 0) + count


@dataclass(slots=True)
class Attempt:
    """What is known of one attempt."""

    stages: dict[str, Totals] = field(default_factory=dict)
    in_flight: dict[str, Dispatch] = field(default_factory=dict)
    interrupted: int = 0
    limit_hit: str | None = None
    closed: bool = False
    refusals: dict[tuple[str, str], int] = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)

    def apply(self, record: Record) -> None:
        """Count one record. A second settle of a call counts nothing."""
        if isinstance(record, Dispatch):
            self._dispatch(record)
        elif isinstance(record, Settle):
            self._settle(record)
        elif isinstance(record, Refused):
            self._refused(record)
        elif isinstance(record, Close):
            self.closed = True

    def stage(self, name: str) -> Totals:
        """The totals of a stage, made if need be."""
        return self.stages.setdefault(name, Totals())

    def total(self) -> Totals:
        """The sum of all stages."""
        total = Totals()
        for stage in self.stages.values():
            total.merge(stage)
        return total

    def _dispatch(self, record: Dispatch) -> None:
        totals = self.stage(record.stage)
        totals.requests += 1
        totals.models[record.model] = totals.models.get(record.model, 0) + 1
        self.in_flight[record.call] = record
        self.spent.hold(Amount(record.reserved_input, record.reserved_output))

    def _settle(self, record: Settle) -> None:
        dispatch = self.in_flight.pop(record.call, None)
        if dispatch is None:
            return
        self.stage(dispatch.stage).settle(record)
        self.interrupted += record.status == "interrupted"
        held = Amount(dispatch.reserved_input, dispatch.reserved_output)
        self.spent.release(held, _charged(record, held))

    def _refused(self, record: Refused) -> None:
        key = (record.stage, record.reason)
        before = self.refusals.get(key, 0)
        self.refusals[key] = max(before, record.count)
        self.stage(record.stage).refused += self.refusals[key] - before
        if record.reason in LIMIT_REASONS:
            self.limit_hit = self.limit_hit or record.reason


def _charged(record: Settle, held: Amount) -> Amount:
    """What a call counts against token limits: what was said, else what was reserved for it if the
    model may have run. Unknown is not free: else an agent that hangs up early could run on."""
    if not record.ran:
        return Amount(0, 0)
    usage, final = record.usage, record.usage.source == "provider"
    output = usage.output_tokens or 0
    return Amount(
        held.input if usage.input_tokens is None else usage.input_tokens,
        output if final else max(output, held.output),
    )
