"""A provider on the network: the request goes out natively, with the provider's key swapped in."""

import ssl
from collections.abc import AsyncIterator

import aiohttp
from multidict import CIMultiDict

from benchwright_proxy import headers
from benchwright_proxy.clock import Clock
from benchwright_proxy.config import Bounds, HttpProvider
from benchwright_proxy.dialect import Dialect, error_body
from benchwright_proxy.watched import WatchedFile, read_provider_key
from benchwright_proxy.yamlfile import FileError

from .addresses import endpoint_url
from .base import Asked, BrokenReplyError, NoResponseError, UnreachableError

_REQUEST_IDS = ("request-id", "x-request-id", "apim-request-id")


class HttpReply:
    """A response that is still coming."""

    def __init__(self, response: aiohttp.ClientResponse, name: str, dialect: Dialect) -> None:
        self._response = response
        self._name = name
        self.status = response.status
        self.headers = headers.downstream(response.headers.items())
        self.request_id = next(
            (self.headers[name] for name in _REQUEST_IDS if name in self.headers), None
        )
        self._instead: bytes | None = None
        if response.status == 401:
            self._hide(dialect)

    def _hide(self, dialect: Dialect) -> None:
        """The proxy's key was refused, not the agent's token; and such a body may quote the key."""
        message = f"provider {self._name} refused the proxy's own key: tell who runs the benchmark"
        self._instead = error_body(dialect, 401, "provider_key_refused", message)
        self.headers = {"content-type": "application/json", "x-should-retry": "false"}
        self.headers["content-length"] = str(len(self._instead))

    async def chunks(self) -> AsyncIterator[bytes]:
        if self._instead is not None:
            yield self._instead
            return
        try:
            async for chunk in self._response.content.iter_any():
                yield chunk
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise BrokenReplyError(f"provider {self._name}: {type(error).__name__}") from error

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
        self._bounds = bounds
        self._tls = _tls(settings)
        self._session: aiohttp.ClientSession | None = None

    def speaks(self, dialect: Dialect) -> bool:
        return dialect is self._dialect

    async def open(self, asked: Asked) -> HttpReply:
        try:
            key = self._key.get() if self._key else None
        except FileError as error:
            raise UnreachableError(f"provider {self.name} has no usable key") from error
        try:
            response = await self._connected().post(
                endpoint_url(self._settings, asked.endpoint, asked.model.sent_as),
                params=headers.upstream_query(asked.query),
                data=asked.body,
                headers=CIMultiDict(headers.upstream(self._settings.dialect, asked.headers, key)),
                # Following one would carry the key to wherever it points.
                allow_redirects=False,
                ssl=self._tls,
            )
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise UnreachableError(f"provider {self.name} cannot be reached") from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise NoResponseError(f"provider {self.name} did not answer") from error
        return HttpReply(response, self.name, self._dialect)

    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
                # No limit on the whole: models may think and write for longer than any.
                timeout=aiohttp.ClientTimeout(
                    total=None,
                    sock_connect=self._bounds.connect_seconds,
                    sock_read=self._bounds.idle_seconds,
                ),
                auto_decompress=False,
                # Some gateways add long security headers.
                max_line_size=2**16,
                max_field_size=2**16,
                trust_env=False,
                skip_auto_headers=("User-Agent", "Content-Type"),
            )
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()


def dialect_of(settings: HttpProvider) -> Dialect:
    """What a provider speaks; Azure has another address and the same dialect."""
    return Dialect.OPENAI if settings.dialect == "azure" else Dialect(settings.dialect)


def _tls(settings: HttpProvider) -> ssl.SSLContext | bool:
    if settings.ca_file is None:
        return True
    try:
        return ssl.create_default_context(cafile=settings.ca_file)
    except (OSError, ssl.SSLError) as error:
        raise FileError(f"{settings.ca_file}: not a usable CA file: {error}") from error
