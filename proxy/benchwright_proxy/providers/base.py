"""What the proxy asks of a provider, and what it gets."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from benchwright_proxy.config import Model
from benchwright_proxy.dialect import Dialect
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


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it goes out. `headers` and `query` are the client's, not yet filtered."""

    claims: Claims
    endpoint: Endpoint
    dialect: Dialect
    model: Model
    body: bytes
    stream: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)


class Reply(Protocol):
    """An answer whose body is still coming. `headers` are those that the client may get."""

    status: int
    headers: dict[str, str]
    request_id: str | None

    def chunks(self) -> AsyncIterator[bytes]:
        """The body as it comes. Raises BrokenReplyError."""

    def close(self) -> None:
        """Hang up, whether all was read or not."""


class Provider(Protocol):
    """A source of answers."""

    name: str

    def speaks(self, dialect: Dialect) -> bool:
        """Whether requests of that dialect can be answered without translation."""

    async def open(self, asked: Asked) -> Reply:
        """Send a request. Raises UnreachableError, NoResponseError, RefusalError."""

    async def close(self) -> None:
        """Let go of connections."""
