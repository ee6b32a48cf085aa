"""A small API client: raw JSON in and out, one shared session."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import aiohttp

from benchwright.api.base import GROUP, VERSION
from benchwright.kube.config import Login
from benchwright.kube.errors import ApiError
from benchwright.kube.patience import patiently

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Resource:
    """A kind's place in the API."""

    prefix: str
    plural: str

    def path(self, namespace: str, name: str | None = None, sub: str | None = None) -> str:
        parts = [self.prefix, "namespaces", namespace, self.plural, name, sub]
        return "/".join(p for p in parts if p)


_CUSTOM = f"/apis/{GROUP}/{VERSION}"
RUNS = Resource(_CUSTOM, "benchmarkruns")
TRIALS = Resource(_CUSTOM, "trials")
AGENTS = Resource(_CUSTOM, "agents")
TASKSETS = Resource(_CUSTOM, "tasksets")
PODS = Resource("/api/v1", "pods")
CONFIGMAPS = Resource("/api/v1", "configmaps")
EVENTS = Resource("/api/v1", "events")
SECRETS = Resource("/api/v1", "secrets")

MERGE_PATCH = "application/merge-patch+json"
_TIMEOUT = aiohttp.ClientTimeout(total=30)


class KubeClient:
    """Talks to one API server. Use as an async context manager."""

    def __init__(self, login: Login, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep):
        self.login, self._sleep = login, sleep
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> "KubeClient":
        connector = aiohttp.TCPConnector(ssl=self.login.tls or False, limit=100)
        self._session = aiohttp.ClientSession(
            connector=connector, trust_env=False, cookie_jar=aiohttp.DummyCookieJar()
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session:
            await self._session.close()

    @property
    def session(self) -> aiohttp.ClientSession:
        assert self._session is not None, "use the client in `async with`"
        return self._session

    async def request(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        params: Mapping[str, str] | None = None,
        content_type: str = "application/json",
    ) -> Json:
        """One call, repeated where a busy server asks for it; other than 2xx raises ApiError."""
        more = {} if body is None else {"Content-Type": content_type}
        data = None if body is None else json.dumps(body)

        async def once() -> Json:
            async with self.session.request(
                method,
                self.login.server + path,
                data=data,
                params=params,
                headers={**self.login.headers(), "Accept": "application/json", **more},
                timeout=_TIMEOUT,
            ) as answer:
                if answer.status >= 300:
                    raise await _error(answer)
                return json.loads(await answer.read())  # type: ignore[no-any-return]

        return await patiently(once, self._sleep)

    async def get(self, resource: Resource, namespace: str, name: str) -> Json:
        return await self.request("GET", resource.path(namespace, name))

    async def create(self, resource: Resource, namespace: str, body: Json) -> Json:
        return await self.request("POST", resource.path(namespace), body=body)

    async def delete(
        self, resource: Resource, namespace: str, name: str, **options: object
    ) -> Json | None:
        """Delete; that it is gone already (or another of that name is there) is what was wanted.

        Returns the object where it is still on its way out, None where it is gone.
        """
        try:
            body = options or None
            raw = await self.request("DELETE", resource.path(namespace, name), body=body)
        except ApiError as error:
            if not (error.not_found or error.conflict):
                raise
            return None
        return raw if "deletionTimestamp" in raw.get("metadata", {}) else None

    async def patch_status(
        self, resource: Resource, namespace: str, name: str, status: Json, version: str = ""
    ) -> Json:
        """Replace the status's given fields; with `version` a stale write gets 409."""
        body: Json = {"status": status}
        if version:
            body["metadata"] = {"resourceVersion": version}
        path = resource.path(namespace, name, "status")
        return await self.request("PATCH", path, body=body, content_type=MERGE_PATCH)

    async def list_page(
        self, resource: Resource, namespace: str, params: Mapping[str, str]
    ) -> Json:
        return await self.request("GET", resource.path(namespace), params=params)

    async def list_all(self, resource: Resource, namespace: str, selector: str = "") -> list[Json]:
        """All objects, in chunks."""
        items: list[Json] = []
        params = {"limit": "500", **({"labelSelector": selector} if selector else {})}
        while True:
            page = await self.list_page(resource, namespace, params)
            items += page.get("items") or []
            token = page.get("metadata", {}).get("continue")
            if not token:
                return items
            params = {**params, "continue": token}

    async def watch(
        self, resource: Resource, namespace: str, params: Mapping[str, str], inactivity: float
    ) -> AsyncIterator[Json]:
        """Events until the server ends the stream; silence longer than `inactivity` raises."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=inactivity)
        url = self.login.server + resource.path(namespace)

        async def open_stream() -> aiohttp.ClientResponse:
            answer = await self.session.get(
                url, params={**params, "watch": "1"}, headers=self.login.headers(), timeout=timeout
            )
            if answer.status >= 300:
                async with answer:
                    raise await _error(answer)
            return answer

        async with await patiently(open_stream, self._sleep) as answer:
            buffer = b""
            async for chunk in answer.content.iter_any():
                *lines, buffer = (buffer + chunk).split(b"\n")
                for line in lines:
                    if line.strip():
                        yield json.loads(line)


async def _error(answer: aiohttp.ClientResponse) -> ApiError:
    raw = await answer.read()
    retry_after = answer.headers.get("Retry-After", "")
    seconds = float(retry_after) if retry_after.isdigit() else None
    try:
        body = json.loads(raw)
        return ApiError(answer.status, body.get("reason", ""), body.get("message", ""), seconds)
    except (ValueError, AttributeError):
        return ApiError(
            answer.status, answer.reason or "", raw[:300].decode("utf-8", "replace"), seconds
        )
