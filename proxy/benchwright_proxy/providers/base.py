"""What the proxy asks of a provider, and what it gets."""

from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec import Struct, field, structs

from benchwright_proxy.config import Model
from benchwright_proxy.dialect import Dialect, error_body
from benchwright_proxy.routes import Endpoint
from benchwright_proxy.token import Claims


class ProviderError(Exception):
    """A provider that did not answer; the message is fit for the caller."""


class UnreachableError(ProviderError):
    """No connection was made, so the model cannot have run."""


class NoResponseError(ProviderError):
    """The request was sent and nothing came back: the model may have run."""


class BrokenReplyError(ProviderError):
    """The body ended before its end."""


class Asked(Struct, frozen=True):
    """A request as it goes out. `headers` and `query` are the client's, not yet filtered."""

    claims: Claims
    endpoint: Endpoint
    dialect: Dialect
    model: Model
    body: bytes
    stream: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)

    def sent(self) -> "Asked":
        """Itself without its body, which may be large and is not needed again."""
        return structs.replace(self, body=b"")


class Reply(Protocol):
    """An answer whose body is still coming. `headers` are those that the client may get."""

    status: int
    headers: dict[str, str]
    request_id: str | None

    async def read(self) -> bytes:
        """What has come of the body since, b"" at its end. Raises BrokenReplyError."""

    def close(self) -> None:
        """Hang up, whether all was read or not."""


class WholeReply:
    """An answer that is there at once."""

    request_id: str | None = None

    def __init__(self, status: int, body: bytes, **headers: str) -> None:
        self.status, self._body = status, body
        self.headers = {"content-type": "application/json", "content-length": str(len(body))}
        self.headers |= {name.replace("_", "-"): value for name, value in headers.items()}

    async def read(self) -> bytes:
        body, self._body = self._body, b""
        return body

    def close(self) -> None:
        """Nothing to hang up."""


def final_error(dialect: Dialect, status: int, kind: str, message: str) -> WholeReply:
    """An error that will not go away by asking again."""
    return WholeReply(status, error_body(dialect, status, kind, message), x_should_retry="false")


def nothing() -> None:
    """What most do when a request is sent."""


class Provider(Protocol):
    """A source of answers."""

    name: str

    def speaks(self, dialect: Dialect) -> bool:
        """Whether requests of that dialect can be answered without translation."""

    async def open(self, asked: Asked, on_sent: Callable[[], None] = nothing) -> Reply:
        """Send a request. `on_sent` may be called when its body is needed no more, which can be long
        before there is an answer. Raises UnreachableError, NoResponseError, RefusalError."""

    async def close(self) -> None:
        """Let go of connections."""
