"""The lines of the journal. Each is one JSON object with a version `v` and a type `t`.

Times are unix seconds, durations seconds, sizes bytes.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from benchwright_proxy.token import Limits
from benchwright_proxy.usage.record import UNKNOWN, Usage

Status = Literal[
    "ok",  # the provider answered and the answer was whole
    "http_error",  # the provider answered with a status of 300 or more
    "error_in_body",  # a 200 with an error in it
    "truncated",  # the answer ended before its end
    "unreachable",  # no connection was made: nothing reached the provider
    "no_response",  # the request was sent, nothing came back
    "drain_cut",  # the client had gone, and the rest took too long to read
    "interrupted",  # the proxy ended first
]

#: Statuses behind which the model may have run although the provider's own API did not answer:
#: these come from a gateway in front of it, or from a time limit.
_MAY_HAVE_RUN = frozenset({408, 499, 502, 504, 524})


def may_have_run(status: Status, http_status: int | None, usage: Usage) -> bool:
    """Whether a model may have run, and so may have used tokens, behind a call that ended so.

    A provider that refuses a call (429, 529, 400, 500 …) generates nothing and bills nothing.
    """
    if status == "unreachable":
        return False
    if status != "http_error":
        return True
    return http_status in _MAY_HAVE_RUN or usage.source != "unknown"


class Line(BaseModel):
    """What all lines have in common. A newer writer's extra fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    v: Literal[1] = 1
    at: float


class Record(Line):
    """A line about an attempt."""

    trial_uid: str
    attempt: int


class Dispatch(Record):
    """A call that is about to go to its provider, and what is reserved for it: tokens, and money in
    nano-dollars.

    `operation` is the first call of the same request: a client that tries again after a failure
    makes another attempt at one operation. `price_provider` and `price_model` are what to look for
    in a table of prices.
    """

    t: Literal["dispatch"] = "dispatch"
    call: str
    stage: str
    role: str
    namespace: str
    run: str
    trial: str
    dialect: str
    endpoint: str = ""
    provider: str
    model: str
    upstream_model: str
    stream: bool
    request_bytes: int
    reserved_input: int
    reserved_output: int
    reserved_nanos: int = 0
    run_uid: str = ""
    operation: str = ""
    request_sha256: str = ""
    price_provider: str | None = None
    price_model: str | None = None


class Settle(Record):
    """How a call ended. With its dispatch it is all that is known of the call.

    `ttfb_seconds` runs from the dispatch to the first byte of the body, `response_bytes` counts
    what the provider sent, `chunks` how often something came of it and `longest_gap_seconds` the
    longest time between two. `said` is the provider's usage object as it came, so that prices can be
    computed again from what was said. `cost_nanos` are nano-dollars by the table `prices`, None where
    `cost_unknown` says why. `retry_after_seconds` is how long a provider at its limit wants to be
    left alone.
    """

    t: Literal["settle"] = "settle"
    call: str
    stage: str
    status: Status
    http_status: int | None = None
    usage: Usage = UNKNOWN
    said: dict[str, JsonValue] = Field(default_factory=dict)
    model_answered: str | None = None
    stop_reason: str | None = None
    error: str | None = None
    service_tier: str | None = None
    speed: str | None = None
    geo: str | None = None
    fingerprint: str | None = None
    tool_calls: int | None = None
    cost_nanos: int | None = None
    cost_unknown: str | None = None
    prices: str | None = None
    retry_after_seconds: float | None = None
    chunks: int = 0
    longest_gap_seconds: float | None = None
    duration_seconds: float | None = None
    ttfb_seconds: float | None = None
    response_bytes: int = 0
    client_gone: bool = False
    upstream_request_id: str | None = None

    @property
    def ran(self) -> bool:
        """Whether the model may have run."""
        return may_have_run(self.status, self.http_status, self.usage)


class Refused(Record):
    """How often a stage was refused for one reason so far (a running total, not an increment).

    Not a line for each refusal: an agent in a loop must not be able to fill the disk.
    """

    t: Literal["refused"] = "refused"
    stage: str
    reason: str
    count: int


class Close(Record):
    """No further calls for this attempt."""

    t: Literal["close"] = "close"


class RunBudget(Line):
    """The limits of a whole run from now on, and the first of them that refused a call."""

    t: Literal["run_budget"] = "run_budget"
    run_uid: str
    limits: Limits
    limit_hit: str | None = None


AttemptRecord: TypeAlias = Dispatch | Settle | Refused | Close
AnyRecord: TypeAlias = AttemptRecord | RunBudget
_ADAPTER: TypeAdapter[AnyRecord] = TypeAdapter(Annotated[AnyRecord, Field(discriminator="t")])


def decode(line: bytes) -> AnyRecord:
    """The record in a line. Raises ValueError."""
    return _ADAPTER.validate_json(line)


def encode(record: Line) -> bytes:
    """The line of a record, with its newline."""
    return record.model_dump_json().encode() + b"\n"
