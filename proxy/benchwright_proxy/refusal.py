"""Answers that the proxy gives by itself instead of calling a model."""

from collections.abc import Mapping
from typing import Literal, get_args

LimitName = Literal[
    "requests",
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cost",
    "run_requests",
    "run_input_tokens",
    "run_output_tokens",
    "run_total_tokens",
    "run_cost",
]
#: Bounded set: these are metric labels and keys of journal counters.
Reason = Literal[
    "unauthenticated",
    "forbidden",
    "unknown_route",
    "bad_request",
    "too_large",
    "no_room",
    "too_many_calls",
    "model_not_allowed",
    "wrong_dialect",
    "closed",
    LimitName,
    "budget_reserved",
    "no_price",
    "hosted_tool",
    "run_unknown",
    "journal",
    "shutting_down",
]
LIMIT_REASONS: frozenset[str] = frozenset(get_args(LimitName))


class RefusalError(Exception):
    """A call that is not made.

    `kind` is the error type in the caller's dialect. `retry` False tells SDKs to stop at once
    (x-should-retry: false), a number of seconds asks for another try, None leaves it to them.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        message: str,
        reason: Reason,
        retry: Literal[False] | int | None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.reason: Reason = reason
        self.retry = retry

    def headers(self) -> dict[str, str]:
        """The response headers that say whether to try again."""
        if self.retry is None:
            return {}
        if self.retry is False:
            return {"x-should-retry": "false"}
        return {"x-should-retry": "true", "retry-after": str(self.retry)}


def bad_request(message: str, reason: Reason = "bad_request") -> RefusalError:
    """A 400 that trying again will not change."""
    return RefusalError(400, "invalid_request_error", message, reason, retry=False)


def too_large(limit: int) -> RefusalError:
    """413 for a body past `limit` bytes."""
    message = f"request bodies of more than {limit} bytes are not accepted"
    return RefusalError(413, "request_too_large", message, "too_large", retry=False)


def no_room() -> RefusalError:
    """503 for a body where too much is here already; worth another try."""
    message = "too much is being sent to the proxy at once: try again in a moment"
    return RefusalError(503, "overloaded_error", message, "no_room", retry=1)


def check_body(headers: Mapping[str, str], limit: int) -> None:
    """Raises RefusalError for a body that its headers show not to be acceptable: 413 past `limit`
    bytes, 400 if it is encoded."""
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding != "identity":
        raise bad_request(f"request bodies with Content-Encoding {encoding!r} are not accepted")
    declared = headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise too_large(limit)


def over_budget(message: str, limit: LimitName) -> RefusalError:
    """400, so that agents stop and do not loop: after a 429 most of them try again for minutes, with
    x-should-retry: false or without."""
    return RefusalError(400, "budget_exceeded", message, limit, retry=False)
