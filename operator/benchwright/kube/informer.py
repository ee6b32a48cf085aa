"""A small list+watch: keeps views of the objects of one kind, and says which keys changed.

kopf loses deletions after a 410 and starts in quadratic time with indexes; this lists in chunks,
*replaces* what it knew, watches with bookmarks, lists again after 410 or silence
(research/control-plane-measured.md). Only views are kept, never whole objects.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

import aiohttp

from benchwright.kube.client import Json, KubeClient, Resource
from benchwright.kube.errors import ApiError

log = logging.getLogger(__name__)

V = TypeVar("V")
_BACKOFF = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
PAGE = "500"


class Clock(Protocol):
    """Monotonic seconds."""

    def __call__(self) -> float: ...


class _Expired(Exception):
    """The resource version is too old: list again."""


class Informer(Generic[V]):
    """Views of all objects of `resource` in `namespace` that match `selector`, by name."""

    def __init__(
        self,
        client: KubeClient,
        resource: Resource,
        namespace: str,
        *,
        parse: Callable[[Json], V],
        changed: Callable[[V], None],
        monotonic: Clock,
        selector: str = "",
        server_timeout: int = 270,
        inactivity: float = 70.0,
    ):
        self._client, self._resource, self._namespace = client, resource, namespace
        self._parse, self._changed, self._monotonic = parse, changed, monotonic
        self._selector, self._server_timeout, self._inactivity = (
            selector,
            server_timeout,
            inactivity,
        )
        self._views: dict[str, V] = {}
        self._versions: dict[str, int] = {}
        self.synced = asyncio.Event()
        self.last_heard = monotonic()

    def get(self, name: str) -> V | None:
        return self._views.get(name)

    def __iter__(self) -> Iterator[V]:
        return iter(list(self._views.values()))

    def __len__(self) -> int:
        return len(self._views)

    @property
    def silence(self) -> float:
        """Seconds since the server was last heard, bookmarks included."""
        return self._monotonic() - self.last_heard

    def upsert(self, raw: Json) -> None:
        """Take in an object just written, so that the next decision sees it (read your writes)."""
        self._store(raw)

    async def run(self) -> None:
        """List and watch for ever."""
        failures = 0
        while True:
            try:
                version = await self._relist()
                failures = 0
                await self._follow(version)
            except _Expired:
                log.info("%s: resource version expired, listing again", self._resource.plural)
            except (ApiError, aiohttp.ClientError, TimeoutError, ValueError) as error:
                delay = _BACKOFF[min(failures, len(_BACKOFF) - 1)]
                failures += 1
                log.warning("%s: %r; listing again in %s s", self._resource.plural, error, delay)
                await asyncio.sleep(delay)

    async def _relist(self) -> str:
        params = self._params({"limit": PAGE})
        seen: dict[str, Json] = {}
        while True:
            page = await self._client.list_page(self._resource, self._namespace, params)
            seen |= {raw["metadata"]["name"]: raw for raw in page.get("items") or []}
            meta: Mapping[str, Any] = page["metadata"]
            if not meta.get("continue"):
                break
            params = {**params, "continue": meta["continue"]}
        self._replace(seen)
        self._hear()
        self.synced.set()
        return str(meta["resourceVersion"])

    def _replace(self, seen: Mapping[str, Json]) -> None:
        for name in [n for n in self._views if n not in seen]:
            self._drop(name)
        for raw in seen.values():
            self._store(raw)

    async def _follow(self, version: str) -> None:
        """Watch, and watch on where the server ends the stream at its own time limit."""
        while True:
            params = self._params(
                {
                    "resourceVersion": version,
                    "allowWatchBookmarks": "true",
                    "timeoutSeconds": str(self._server_timeout),
                }
            )
            with contextlib.suppress(aiohttp.ClientPayloadError):
                async for event in self._client.watch(
                    self._resource, self._namespace, params, self._inactivity
                ):
                    self._hear()
                    version = self._take(event)

    def _take(self, event: Json) -> str:
        kind, raw = event["type"], event["object"]
        if kind == "ERROR":
            if raw.get("code") == 410:
                raise _Expired
            raise ApiError(raw.get("code", 500), raw.get("reason", ""), raw.get("message", ""))
        if kind == "DELETED":
            self._drop(raw["metadata"]["name"])
        elif kind != "BOOKMARK":
            self._store(raw)
        return str(raw["metadata"]["resourceVersion"])

    def _store(self, raw: Json) -> None:
        name = raw["metadata"]["name"]
        version = int(raw["metadata"]["resourceVersion"])
        # An event from before our own write must not undo what we know of that write.
        if version < self._versions.get(name, 0):
            return
        view = self._parse(raw)
        self._versions[name] = version
        self._views[name] = view
        self._changed(view)

    def _drop(self, name: str) -> None:
        view = self._views.pop(name, None)
        self._versions.pop(name, None)
        if view is not None:
            self._changed(view)

    def _params(self, more: Mapping[str, str]) -> dict[str, str]:
        return {**({"labelSelector": self._selector} if self._selector else {}), **more}

    def _hear(self) -> None:
        self.last_heard = self._monotonic()
