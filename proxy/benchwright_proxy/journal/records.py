"""The lines of the journal. Each is one JSON object with a version `v` and a type `t`.

Times are unix seconds, durations seconds, sizes bytes.
"""

from typing import Literal, TypeAlias, TypeVar

import msgspec

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


#: `said` of a response without usage.
NOTHING_SAID = msgspec.Raw(b"{}")


class Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag=str.lower):
    """What all lines have in common. A newer writer's extra fields are ignored."""

    v: Literal[1] = 1
    at: float


class Record(Line, frozen=True, kw_only=True):
    """A line about an attempt."""

    trial_uid: str
    attempt: int


class Dispatch(Record, frozen=True, kw_only=True):
    """A call that is about to go to its provider, and what is reserved for it: tokens, and money in
    nano-dollars.

    `operation` is the first call of the same request: a client that tries again after a failure
    makes another attempt at one operation. `price_provider` and `price_model` are what to look for
    in a table of prices.
    """

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


class Settle(Record, frozen=True, kw_only=True):
    """How a call ended. With its dispatch it is all that is known of the call.

    `ttfb_seconds` runs from the dispatch to the first byte of the body, `response_bytes` counts
    what the provider sent, `chunks` how often something came of it and `longest_gap_seconds` the
    longest time between two. `said` is the provider's usage object as it came (JSON), so that prices can be
    computed again from what was said. `cost_nanos` are nano-dollars by the table `prices`, None where
    `cost_unknown` says why. `retry_after_seconds` is how long a provider at its limit wants to be
    left alone.
    """

    call: str
    stage: str
    status: Status
    http_status: int | None = None
    usage: Usage = UNKNOWN
    said: msgspec.Raw = NOTHING_SAID
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


class Refused(Record, frozen=True, kw_only=True):
    """How often a stage was refused for one reason so far (a running total, not an increment).

    Not a line for each refusal: an agent in a loop must not be able to fill the disk.
    """

    stage: str
    reason: str
    count: int


class Close(Record, frozen=True, kw_only=True):
    """No further calls for this attempt."""


class Gap(Record, frozen=True, kw_only=True):
    """The machine that wrote the journal died: calls of this attempt may be missing before this line."""


class RunBudget(Line, frozen=True, kw_only=True, tag="run_budget"):
    """The limits of a whole run from now on, and the first of them that refused a call."""

    run_uid: str
    limits: Limits
    limit_hit: str | None = None


AttemptRecord: TypeAlias = Dispatch | Settle | Refused | Close | Gap
AnyRecord: TypeAlias = AttemptRecord | RunBudget
_Kept = TypeVar("_Kept", bound=Line)
_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[AnyRecord] = msgspec.json.Decoder(AnyRecord)


def decode(line: bytes) -> AnyRecord:
    """The record in a line. Raises ValueError."""
    return decoded(_DECODER, line)


def decoded(decoder: msgspec.json.Decoder[_Kept], line: bytes) -> _Kept:
    """What a line says. Raises ValueError."""
    try:
        return decoder.decode(line)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(str(error)) from error


def encode(record: Line) -> bytes:
    """The line of a record, with its newline. Raises ValueError for text that UTF-8 cannot hold."""
    return _ENCODER.encode(record) + b"\n"
