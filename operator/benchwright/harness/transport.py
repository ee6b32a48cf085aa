"""Talking to the results service: fetch and store, with patience for a service that restarts."""

import hashlib
import http.client
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_TIMEOUT = 30
_PAUSE = (0.1, 0.3, 1.0, 2.0, 3.0)


class TransportError(Exception):
    """The service refused, or did not answer in time."""

    def __init__(self, message: str, status: int | None = None):
        super().__init__(message)
        self.status = status


@dataclass
class Transport:
    """One service, one token."""

    url: str
    token: str
    patience: float = 90.0
    """Seconds to go on trying while the service is away."""
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def fetch(self, path: str, into: Path) -> None:
        """GET to a file."""
        into.write_bytes(self._retry("GET", path, None, {}))

    def get(self, path: str) -> bytes | None:
        """GET; None where there is no such thing."""
        try:
            return self._retry("GET", path, None, {})
        except TransportError as error:
            if error.status == 404:
                return None
            raise

    def store(self, path: str, data: bytes | Path) -> None:
        """PUT with a hash that the service checks."""
        body = data.read_bytes() if isinstance(data, Path) else data
        digest = hashlib.sha256(body).hexdigest()
        self._retry("PUT", path, body, {"X-Content-SHA256": digest})

    def _retry(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> bytes:
        deadline = self.monotonic() + self.patience
        tries = 0
        while True:
            try:
                return self._once(method, path, body, headers)
            except (OSError, http.client.HTTPException) as error:
                if self.monotonic() >= deadline:
                    raise TransportError(f"{method} {path}: {error!r}") from error
            except TransportError as error:
                # What is refused stays refused; what is broken may be mended.
                if (
                    error.status is not None and error.status < 500
                ) or self.monotonic() >= deadline:
                    raise
            self.sleep(_PAUSE[min(tries, len(_PAUSE) - 1)])
            tries += 1

    def _once(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> bytes:
        host = urllib.parse.urlsplit(self.url).netloc
        connection = http.client.HTTPConnection(host, timeout=_TIMEOUT)
        try:
            headers = {"Authorization": f"Bearer {self.token}", **headers}
            connection.request(method, path, body=body, headers=headers)
            answer = connection.getresponse()
            data = answer.read()
        finally:
            connection.close()
        if answer.status >= 300:
            text = data[:500].decode("utf-8", "replace")
            raise TransportError(f"{method} {path}: {answer.status} {text}", answer.status)
        return data
