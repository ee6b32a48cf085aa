"""Requests and responses, and the text of their heads."""

from collections.abc import Mapping
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from urllib.parse import parse_qsl

from msgspec import Struct, field

#: Not a library's and Python's versions.
SERVER = "benchwright-proxy"
#: Statuses behind which there is never a body.
BODILESS = frozenset({204, 304})


class Request(Struct):
    """A request to the proxy. `headers` are by lower-case name, of several the first; `body` grows
    until the request is `complete`. `http_1_0`: such a client knows no chunks."""

    method: str
    target: str
    headers: dict[str, str]
    keep_alive: bool = True
    http_1_0: bool = False
    complete: bool = False
    parts: list[bytes] = field(default_factory=list)
    size: int = 0

    @property
    def body(self) -> bytes:
        return self.parts[0] if len(self.parts) == 1 else b"".join(self.parts)

    @property
    def query(self) -> dict[str, str]:
        """The query parameters, of several the first."""
        query = self.target.partition("?")[2]
        return dict(reversed(parse_qsl(query, keep_blank_values=True))) if query else {}


class Response(Struct, frozen=True):
    """A whole response of the proxy's own."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def head_of(status: int, headers: Mapping[str, str], *, now: float, more: str = "") -> bytes:
    """The head of a response at unix second `now`. `more` are header lines with their ends."""
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
    return f"{_status_line(status)}{_dated(int(now))}{lines}{more}\r\n".encode("latin-1", "replace")


@lru_cache(64)
def _status_line(status: int) -> str:
    known = status in HTTPStatus._value2member_map_
    reason = HTTPStatus(status).phrase if known else "Unknown"
    return f"HTTP/1.1 {status} {reason}\r\n"


@lru_cache(4)
def _dated(second: int) -> str:
    return f"Server: {SERVER}\r\nDate: {formatdate(second, usegmt=True)}\r\n"
