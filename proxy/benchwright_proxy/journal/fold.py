"""From records to totals. The same code counts live calls and replays a journal: pure."""

from dataclasses import dataclass, field

from msgspec import Struct

from benchwright_proxy.limits import Amount, Spent
from benchwright_proxy.refusal import LIMIT_REASONS
from benchwright_proxy.usage.record import Usage

from .records import Close, Dispatch, Gap, Record, Refused, Settle

#: Failed requests that are remembered to recognise another try.
MAX_FAILED = 256
#: Different names, fingerprints or tables that are told apart.
MAX_VALUES = 32


@dataclass(slots=True)
class Totals:
    """Sums over calls of one stage, or of all.

    requests = succeeded + failed + those in flight. Token sums are of what providers said;
    `unknown_usage` counts the calls that they lack, wholly or in part: calls whose model may have
    run and whose final usage was not said. A call that the provider refused lacks nothing.
    `unknown_cost` says the same of `cost_nanos` (nano-dollars). Requests are attempts; `operations`
    are what clients wanted, each however often it was tried (BerriAI/litellm#39455). `mismatches`
    counts calls whose usage contradicts itself. `models` are the names asked for, `answered` and
    `fingerprints` what providers say of themselves, `prices` the tables used, each with its calls.
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
    operations: int = 0
    tool_calls: int = 0
    cost_nanos: int = 0
    unknown_cost: int = 0
    mismatches: int = 0
    models: dict[str, int] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    fingerprints: dict[str, int] = field(default_factory=dict)
    prices: dict[str, int] = field(default_factory=dict)

    def settle(self, record: Settle) -> None:
        """Count a call that ended."""
        if record.status == "ok":
            self.succeeded += 1
        else:
            self.failed += 1
        if record.ran:
            self.unknown_usage += record.usage.source != "provider"
            self.unknown_cost += record.cost_nanos is None
        self.cost_nanos += record.cost_nanos or 0
        self.mismatches += bool(record.usage.notes)
        self.tool_calls += record.tool_calls or 0
        _count(self.answered, record.model_answered)
        _count(self.fingerprints, record.fingerprint)
        _count(self.prices, record.prices if record.cost_nanos else None)
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
        self.operations += other.operations
        self.tool_calls += other.tool_calls
        self.cost_nanos += other.cost_nanos
        self.unknown_cost += other.unknown_cost
        self.mismatches += other.mismatches
        if other.reasoning_tokens is not None:
            self.reasoning_tokens = (self.reasoning_tokens or 0) + other.reasoning_tokens
        for name in ("models", "answered", "fingerprints", "prices"):
            for value, count in getattr(other, name).items():
                _count(getattr(self, name), value, count)


class Movement(Struct, frozen=True):
    """What a record did to a budget: a dispatch held `held`, a settlement let go of it and used
    `used` (None for a dispatch)."""

    run_uid: str
    held: Amount
    used: Amount | None = None


@dataclass(slots=True)
class Attempt:
    """What is known of one attempt. `run_uid` is "" until its first call."""

    stages: dict[str, Totals] = field(default_factory=dict)
    in_flight: dict[str, Dispatch] = field(default_factory=dict)
    interrupted: int = 0
    limit_hit: str | None = None
    closed: bool = False
    refusals: dict[tuple[str, str], int] = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    # By stage and request: the operation of a call that failed, which may be tried again.
    failed: dict[tuple[str, str], str] = field(default_factory=dict)
    run_uid: str = ""

    def operation(self, stage: str, request_sha256: str) -> str | None:
        """The operation that a new call is an attempt at, if the same request of the same stage
        failed before."""
        return self.failed.get((stage, request_sha256))

    def apply(self, record: Record) -> Movement | None:
        """Count one record. A second settle of a call counts nothing."""
        if isinstance(record, Dispatch):
            return self._dispatch(record)
        if isinstance(record, Settle):
            return self._settle(record)
        if isinstance(record, Refused):
            self._refused(record)
        elif isinstance(record, Close):
            self.closed = True
        elif isinstance(record, Gap):
            self._gap()
        return None

    def stage(self, name: str) -> Totals:
        """The totals of a stage, made if need be."""
        totals = self.stages.get(name)
        if totals is None:
            totals = self.stages[name] = Totals()
        return totals

    def total(self) -> Totals:
        """The sum of all stages."""
        total = Totals()
        for stage in self.stages.values():
            total.merge(stage)
        return total

    def _dispatch(self, record: Dispatch) -> Movement:
        totals = self.stage(record.stage)
        totals.requests += 1
        totals.operations += record.operation in ("", record.call)
        _count(totals.models, record.model)
        self.in_flight[record.call] = record
        self.run_uid = self.run_uid or record.run_uid
        held = _held(record)
        self.spent.hold(held)
        return Movement(record.run_uid, held)

    def _settle(self, record: Settle) -> Movement | None:
        dispatch = self.in_flight.pop(record.call, None)
        if dispatch is None:
            return None
        self.stage(dispatch.stage).settle(record)
        self._remember(dispatch, failed=record.status != "ok")
        self.interrupted += record.status == "interrupted"
        held = _held(dispatch)
        used = _charged(record, held)
        self.spent.release(held, used)
        return Movement(dispatch.run_uid, held, used)

    def _gap(self) -> None:
        """Nobody knows which calls are missing, if any are: it counts as one that was interrupted, in
        each stage, so that no sum says that it is whole."""
        self.interrupted += 1
        for totals in self.stages.values():
            totals.unknown_usage += 1
            totals.unknown_cost += 1

    def _remember(self, call: Dispatch, *, failed: bool) -> None:
        key = call.stage, call.request_sha256
        self.failed.pop(key, None)
        if failed and call.request_sha256:
            self.failed[key] = call.operation or call.call
            if len(self.failed) > MAX_FAILED:
                self.failed.pop(next(iter(self.failed)))

    def _refused(self, record: Refused) -> None:
        key = (record.stage, record.reason)
        before = self.refusals.get(key, 0)
        self.refusals[key] = max(before, record.count)
        self.stage(record.stage).refused += self.refusals[key] - before
        if record.reason in LIMIT_REASONS:
            self.limit_hit = self.limit_hit or record.reason


def _count(counts: dict[str, int], value: str | None, by: int = 1) -> None:
    """Count a value; a provider that makes up a new one for each call fills nothing."""
    if value is not None and (value in counts or len(counts) < MAX_VALUES):
        counts[value] = counts.get(value, 0) + by


def _held(record: Dispatch) -> Amount:
    return Amount(record.reserved_input, record.reserved_output, record.reserved_nanos)


def _charged(record: Settle, held: Amount) -> Amount:
    """What a call counts against token limits: what was said, else what was reserved for it if the
    model may have run. Unknown is not free: else an agent that hangs up early could run on."""
    if not record.ran:
        return Amount()
    usage, final = record.usage, record.usage.source == "provider"
    output = usage.output_tokens or 0
    return Amount(
        held.input if usage.input_tokens is None else usage.input_tokens,
        output if final else max(output, held.output),
        held.nanos if record.cost_nanos is None else record.cost_nanos,
    )
