"""The results service as users reach it: through the API server's service proxy."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from benchwright.cli.errors import CliError
from benchwright.cli.target import Session

if TYPE_CHECKING:
    import aiohttp

_CHUNK = 256 * 1024


class RefusedError(CliError):
    """The results service (or the API server in front of it) did not answer with a success."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Gateway:
    """Calls of the results service."""

    session: Session
    service: str

    def path(self, path: str) -> str:
        """Path at the API server of a path at the service."""
        name = quote(self.service, safe="")
        base = f"/api/v1/namespaces/{self.session.namespace}/services/http:{name}:http/proxy"
        return f"{base}/{path.lstrip('/')}"

    async def read(self, path: str, params: dict[str, str] | None = None) -> bytes:
        """A whole answer."""
        async with self._call("GET", path, params=params) as answer:
            return await answer.read()

    async def save(self, path: str, target: Path, check: Callable[[Path], None]) -> None:
        """Stream an answer to a file, which is there in whole and passes `check`, or not at all."""
        part = target.with_name(target.name + ".part")
        try:
            async with self._call("GET", path) as answer:
                with part.open("wb") as file:
                    async for chunk in answer.content.iter_chunked(_CHUNK):
                        file.write(chunk)
            await asyncio.to_thread(check, part)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)

    async def put_file(self, path: str, source: Path, token: str) -> None:
        """Stream a file up. The API server keeps Authorization for itself, hence the own header."""
        headers = {"X-Benchwright-Token": token, "Content-Type": "application/octet-stream"}
        with source.open("rb") as file:
            async with self._call("PUT", path, data=file, headers=headers):
                pass

    @asynccontextmanager
    async def _call(
        self, method: str, path: str, *, headers: dict[str, str] | None = None, **more: Any
    ) -> AsyncIterator["aiohttp.ClientResponse"]:
        from aiohttp import ClientTimeout

        # Evidence can be large: no limit on the whole, but silence ends it.
        patience = ClientTimeout(total=None, sock_connect=10, sock_read=120)
        kube = self.session.kube
        url = kube.login.server + self.path(path)
        every = {**kube.login.headers(), **(headers or {})}
        async with kube.session.request(
            method, url, headers=every, timeout=patience, **more
        ) as answer:
            if answer.status != 200:
                raise RefusedError(answer.status, self._refused(answer, await answer.text()))
            yield answer

    def _refused(self, answer: "aiohttp.ClientResponse", body: str) -> str:
        said = _status_message(body) or body[:300] or answer.reason or ""
        where = f"service {self.service} in namespace {self.session.namespace}"
        if answer.status == 503 or f'services "http:{self.service}:http" not found' in said:
            return (
                f"the results service cannot be reached ({said}): is Benchwright installed there? "
                f"Looked for {where}; see --namespace and --results-service"
            )
        if answer.status == 403 and "services/proxy" in said:
            return f"{said}: ask for the permission to get services/proxy of {where}"
        return f"{where} says {answer.status}: {said}"


def _status_message(body: str) -> str:
    """The message of a Kubernetes Status object; empty where it isn't one."""
    try:
        found = json.loads(body)
    except ValueError:
        return ""
    message = found.get("message") if isinstance(found, dict) else None
    return message if isinstance(message, str) else ""
