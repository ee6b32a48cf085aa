"""A provider on the network: the request goes out natively, with the provider's key swapped in."""

import ssl
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from urllib.parse import SplitResult, urlencode, urlsplit

from benchwright_proxy import headers
from benchwright_proxy.clock import Clock
from benchwright_proxy.config import Bounds, HttpProvider
from benchwright_proxy.dialect import Dialect, error_body
from benchwright_proxy.http1.outbound import Incoming, OutboundError
from benchwright_proxy.http1.pool import Pool
from benchwright_proxy.routes import Endpoint
from benchwright_proxy.watched import WatchedFile, read_provider_key
from benchwright_proxy.yamlfile import FileError

from .addresses import endpoint_url
from .base import Asked, BrokenReplyError, NoResponseError, UnreachableError, nothing

_REQUEST_IDS = ("request-id", "x-request-id", "apim-request-id")


class HttpReply:
    """A response that is still coming."""

    def __init__(self, response: Incoming, name: str, dialect: Dialect) -> None:
        self._response = response
        self._name = name
        self.status = response.status
        self.headers = headers.downstream(response.headers)
        self.request_id: str | None = None
        for header in _REQUEST_IDS:
            self.request_id = self.request_id or self.headers.get(header)
        self._instead: bytes | None = None
        if response.status == 401:
            self._hide(dialect)

    def _hide(self, dialect: Dialect) -> None:
        """The proxy's key was refused, not the agent's token; and such a body may quote the key."""
        message = f"provider {self._name} refused the proxy's own key: tell who runs the benchmark"
        self._instead = error_body(dialect, 401, "provider_key_refused", message)
        self.headers = {"content-type": "application/json", "x-should-retry": "false"}
        self.headers["content-length"] = str(len(self._instead))

    async def read(self) -> bytes:
        if self._instead is not None:
            instead, self._instead = self._instead, b""
            return instead
        try:
            return await self._response.read()
        except OutboundError as error:
            raise BrokenReplyError(f"provider {self._name}: {error}") from error

    def close(self) -> None:
        self._response.close()


class HttpUpstream:
    """Connections to one provider."""

    def __init__(self, settings: HttpProvider, bounds: Bounds, clock: Clock | None = None) -> None:
        """Raises FileError if the CA file cannot be used."""
        self.name = settings.name
        self._settings = settings
        self._dialect = dialect_of(settings)
        self._key = (
            WatchedFile(settings.key_file, read_provider_key, clock) if settings.key_file else None
        )
        # As many as models are configured.
        self._urls: dict[tuple[Endpoint, str], SplitResult] = {}
        origin = urlsplit(settings.base_url)
        self._pool = Pool(origin, _tls(settings), bounds.connect_seconds, bounds.idle_seconds)

    def speaks(self, dialect: Dialect) -> bool:
        return dialect is self._dialect

    async def open(self, asked: Asked, on_sent: Callable[[], None] = nothing) -> HttpReply:
        try:
            key = self._key.get() if self._key else None
        except FileError as error:
            raise UnreachableError(f"provider {self.name} has no usable key") from error
        head = self._head(asked, key)
        try:
            connection = await self._pool.connection()
        except OSError as error:
            raise UnreachableError(f"provider {self.name} cannot be reached") from error
        response = connection.request(head, asked.body)
        del asked  # a model may think for minutes, and a body is large
        on_sent()
        try:
            await response.head()
        except OutboundError as error:
            raise NoResponseError(f"provider {self.name} did not answer") from error
        except BaseException:
            response.close()
            raise
        return HttpReply(response, self.name, self._dialect)

    def _head(self, asked: Asked, key: str | None) -> bytes:
        url = self._url(asked.endpoint, asked.model.sent_as)
        query = url.query
        if asked.query:
            added = urlencode(headers.upstream_query(asked.query))
            query = "&".join(part for part in (query, added) if part)
        sent = headers.upstream(self._settings.dialect, asked.headers, key)
        lines = "".join([f"{name}: {value}\r\n" for name, value in sent.items()])
        target = url.path + ("?" + query if query else "")
        return (
            f"POST {target} HTTP/1.1\r\nHost: {url.netloc}\r\n{lines}"
            f"Content-Length: {len(asked.body)}\r\n\r\n"
        ).encode("ascii")

    def _url(self, endpoint: Endpoint, model: str) -> SplitResult:
        found = self._urls.get((endpoint, model))
        if found is None:
            found = urlsplit(endpoint_url(self._settings, endpoint, model))
            self._urls[endpoint, model] = found
        return found

    async def close(self) -> None:
        self._pool.close()


def dialect_of(settings: HttpProvider) -> Dialect:
    """What a provider speaks; Azure has another address and the same dialect."""
    return Dialect.OPENAI if settings.dialect == "azure" else Dialect(settings.dialect)


def _tls(settings: HttpProvider) -> ssl.SSLContext | None:
    """A bad CA file is told of even where the address does not need it."""
    secure = settings.base_url.startswith("https:")
    if settings.ca_file is None:
        return _context(None) if secure else None
    try:
        context = _context(settings.ca_file)
    except (OSError, ssl.SSLError) as error:
        raise FileError(f"{settings.ca_file}: not a usable CA file: {error}") from error
    return context if secure else None


@lru_cache
def _context(ca_file: Path | None) -> ssl.SSLContext:
    """One for all who trust the same: to read the machine's own takes tens of milliseconds."""
    context = ssl.create_default_context(cafile=ca_file)
    context.set_alpn_protocols(["http/1.1"])
    return context
