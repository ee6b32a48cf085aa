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
_SHORT_WATCH, _PAUSE = 1.0, 0.1
_REMEMBERED = 100_000
"""Versions for which deletions are remembered: far longer than any answer is on its way."""


class Clock(Protocol):
    """Monotonic seconds."""

    def __call__(self) -> float: ...


class _Expired(Exception):
    """The resource version is too old: list again."""


class Informer(Generic[V]):
    """Views of all objects of `resource` in `namespace` that match `selector` (of labels) and
    `fields`, by name."""

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
        fields: str = "",
        server_timeout: int = 270,
        inactivity: float = 70.0,
    ):
        self._client, self._resource, self._namespace = client, resource, namespace
        self._parse, self._changed, self._monotonic = parse, changed, monotonic
        selectors = {"labelSelector": selector, "fieldSelector": fields}
        self._selectors = {name: text for name, text in selectors.items() if text}
        self._server_timeout, self._inactivity = server_timeout, inactivity
        self._views: dict[str, V] = {}
        self._versions: dict[str, int] = {}
        self._gone: dict[str, int] = {}
        """Names that were deleted → version, so that a late answer brings none of them back."""
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

    def forget(self, name: str) -> None:
        """Drop an object that the server has just said is gone."""
        if name in self._views:
            self._drop(name, self._versions.get(name, 0))

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
        self._replace(seen, int(meta["resourceVersion"]))
        self._hear()
        self.synced.set()
        return str(meta["resourceVersion"])

    def _replace(self, seen: Mapping[str, Json], version: int) -> None:
        self._gone = {n: v for n, v in self._gone.items() if v > version - _REMEMBERED}
        for name in [n for n in self._views if n not in seen]:
            # What we wrote while the list was on its way is newer than the list.
            if self._versions.get(name, 0) <= version:
                self._drop(name, version)
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
            began = self._monotonic()
            with contextlib.suppress(aiohttp.ClientPayloadError):
                async for event in self._client.watch(
                    self._resource, self._namespace, params, self._inactivity
                ):
                    self._hear()
                    version = self._take(event)
            if self._monotonic() - began < _SHORT_WATCH:
                await asyncio.sleep(_PAUSE)  # a server that ends every watch at once

    def _take(self, event: Json) -> str:
        kind, raw = event["type"], event["object"]
        if kind == "ERROR":
            if raw.get("code") == 410:
                raise _Expired
            raise ApiError(raw.get("code", 500), raw.get("reason", ""), raw.get("message", ""))
        if kind == "DELETED":
            self._drop(raw["metadata"]["name"], int(raw["metadata"]["resourceVersion"]))
        elif kind != "BOOKMARK":
            self._store(raw)
        return str(raw["metadata"]["resourceVersion"])

    def _store(self, raw: Json) -> None:
        name = raw["metadata"]["name"]
        version = int(raw["metadata"]["resourceVersion"])
        # An event from before our own write must not undo what we know of that write.
        if version <= max(self._versions.get(name, 0), self._gone.get(name, 0)):
            return
        try:
            view = self._parse(raw)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            log.error(
                "%s %s cannot be understood and is left out: %s", self._resource.plural, name, error
            )
            return
        self._versions[name] = version
        self._views[name] = view
        self._changed(view)

    def _drop(self, name: str, version: int) -> None:
        view = self._views.pop(name, None)
        self._gone[name] = version
        self._versions.pop(name, None)
        if view is not None:
            self._changed(view)

    def _params(self, more: Mapping[str, str]) -> dict[str, str]:
        return {**self._selectors, **more}

    def _hear(self) -> None:
        self.last_heard = self._monotonic()
