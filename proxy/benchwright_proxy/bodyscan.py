"""Where the top-level values of a JSON object are, without parsing what is inside them.

A prompt can be tens of megabytes and the event loop is shared by all trials, so a request body is
not parsed as a whole: what the proxy must know or change (`model`, `stream`, `max_tokens`, …) is
found by skipping over strings and brackets. It is also what lets one field be replaced while every
other byte stays as the agent sent it.

Repeated keys are refused: two parsers may disagree on which one counts, and then the model or the
maximum that was checked here would not be the one that the provider uses.
"""

import json
import re
from collections.abc import Mapping

from .jsonvalue import Json, parse

Span = tuple[int, int]

#: Steps of the scan before giving up: bounds the time of a hostile body. What has at most three
#: levels of brackets is one step, whatever its length.
MAX_STEPS = 2_000_000

# All of this is matched against a body whose escapes are blanked out (_plain), so that a string ends
# at the next quote: searching for one byte is fast.
_TEXT = rb'"[^"]*+"'
_SPACE = re.compile(rb"[ \t\r\n]*+")
#: A field's name and colon, and its value if that is no object and no array.
_FIELD = re.compile(rb"(" + _TEXT + rb")[ \t\r\n]*+:[ \t\r\n]*+(" + _TEXT + rb"|[-+.0-9a-zA-Z]++)?")
# What lies between brackets, and then what lies between those: skipped without a step for each.
_OTHER = rb"[ \t\r\n,:\-+.0-9a-zA-Z]++"
_FLAT = rb"(?:" + _OTHER + rb"|" + _TEXT + rb")*+"
_SHALLOW = rb"(?:" + _OTHER + rb"|" + _TEXT + rb"|\{" + _FLAT + rb"\}|\[" + _FLAT + rb"\])*+"
_NESTED = re.compile(_SHALLOW + rb"(?:([\[{])|([\]}]))")

_NO_SPACE = frozenset({b",", b"}", b'"', b":", b"{", b"["})


class ScanError(ValueError):
    """Not one JSON object, as far as the scan can tell; the message is fit for the caller."""


class TopLevel:
    """The top-level fields of a JSON object: `spans[key]` is where in `body` its value is."""

    def __init__(self, body: bytes) -> None:
        """Raises ScanError."""
        self.body = body
        self.spans: dict[str, Span] = {}
        self._plain = _plain(body)
        self._steps = 0
        at = self._space(0)
        self._expect(at, b"{")
        #: Just behind the opening brace.
        self.start = at + 1
        at = self._space(self._fields(self.start))
        self._plain = b""  # as large as the body
        if at != len(body):
            raise ScanError("the body goes on after its JSON object")

    def value(self, key: str) -> Json:
        """The value of `key`, None if it is absent or null. Raises ScanError if it is broken."""
        span = self.spans.get(key)
        if span is None:
            return None
        try:
            return parse(self.body[span[0] : span[1]])
        except ValueError as error:
            raise ScanError(f"{key} is not valid JSON") from error

    def replaced(self, values: Mapping[str, bytes]) -> bytes:
        """The body with these fields' values, those that it lacks added in front: no other byte."""
        known = sorted(
            (self.spans[key], value) for key, value in values.items() if key in self.spans
        )
        added = [
            json.dumps(key).encode() + b":" + values[key] for key in values if key not in self.spans
        ]
        front = b",".join([*added, b""] if self.spans else added)
        pieces, at = [self.body[: self.start], front], self.start
        for (start, end), value in known:
            pieces += [self.body[at:start], value]
            at = end
        return b"".join([*pieces, self.body[at:]])

    def _fields(self, at: int) -> int:
        """Scan fields from behind the opening brace; where the closing brace ends."""
        at, body = self._space(at), self.body
        if body[at : at + 1] == b"}":
            return at + 1
        while True:
            at = self._space(self._field(at))
            if body[at : at + 1] == b"}":
                return at + 1
            self._expect(at, b",")
            at = self._space(at + 1)

    def _field(self, at: int) -> int:
        match = _FIELD.match(self._plain, at)
        if match is None:
            raise ScanError(f"expected a field name and a colon at byte {at}")
        key = self._key(self.body[at : match.end(1)])
        start, end = match.span(2)
        if end < 0:
            start = match.end()
            if self._plain[start : start + 1] not in (b"{", b"["):
                raise ScanError(f"expected a value at byte {start}")
            end = self._skip_nested(start)
        self._count()
        self.spans[key] = (start, end)
        return end

    def _key(self, raw: bytes) -> str:
        try:
            key = parse(raw)
        except ValueError as error:
            raise ScanError("a field name is not valid JSON") from error
        if not isinstance(key, str) or key in self.spans:
            raise ScanError(f"field {key!r} occurs twice")
        return key

    def _skip_nested(self, at: int) -> int:
        at, depth = at + 1, 1
        while True:
            match = _NESTED.match(self._plain, at)
            if match is None:
                raise ScanError(f"the value around byte {at} has no end, or is not JSON")
            self._count()
            at = match.end()
            depth += 1 if match.lastindex == 1 else -1
            if depth == 0:
                return at

    def _count(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise ScanError(f"more than {MAX_STEPS} JSON values")

    def _space(self, at: int) -> int:
        if self.body[at : at + 1] in _NO_SPACE:
            return at
        match = _SPACE.match(self.body, at)
        return match.end() if match else at

    def _expect(self, at: int, byte: bytes) -> None:
        if self.body[at : at + 1] != byte:
            raise ScanError(f"expected {byte.decode()!r} at byte {at}")


def _plain(body: bytes) -> bytes:
    """`body` with two other bytes for each escaped backslash and quote: nothing moves. Escapes pair up
    from the left, as `replace` does it; outside of strings neither they nor these bytes are JSON."""
    return body.replace(b"\\\\", b"__").replace(b'\\"', b"__")
