"""The informer: whatever the API server and the network do, views are what the server has."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from benchwright.kube.client import PODS
from benchwright.kube.informer import Informer
from tests.unit.kube.fakeapi import FakeApi, eventually, gone, serving

Json = dict[str, Any]


@dataclass(frozen=True)
class View:
    name: str
    value: str
    version: int


def parse(raw: Json) -> View:
    if raw["value"] == "poison":
        raise ValueError("cannot be understood")
    meta = raw["metadata"]
    return View(meta["name"], raw["value"], int(meta["resourceVersion"]))


@dataclass
class Running:
    """A running informer and what it said."""

    api: FakeApi
    informer: Informer[View]
    changes: list[View] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    """Names that were not there any more when the change was told."""

    def told(self, view: View) -> None:
        self.changes.append(view)
        if self.informer.get(view.name) is None:
            self.dropped.append(view.name)

    @property
    def values(self) -> dict[str, str]:
        return {view.name: view.value for view in self.informer}

    async def shows(self, **values: str) -> None:
        await eventually(lambda: self.values == values)


@asynccontextmanager
async def running(api: FakeApi, **more: Any) -> AsyncIterator[Running]:
    async with serving(api) as client:
        options: Json = {"inactivity": 5.0, "server_timeout": 30, **more}
        r: Running

        def changed(view: View) -> None:
            r.told(view)

        informer = Informer(
            client, PODS, "bench", parse=parse, changed=changed, monotonic=time.monotonic, **options
        )
        r = Running(api, informer)
        task = asyncio.create_task(informer.run())
        try:
            yield r
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def _ready(api: FakeApi, **values: str) -> None:
    for name, value in values.items():
        await api.put(name, value)


# The good case


async def test_what_is_there_is_listed_before_it_says_that_it_is_synced() -> None:
    api = FakeApi()
    await _ready(api, a="1", b="2")
    async with running(api) as r:
        assert not r.informer.synced.is_set()
        await asyncio.wait_for(r.informer.synced.wait(), 5)
        assert r.values == {"a": "1", "b": "2"}
        assert len(r.informer) == 2
        assert [c.name for c in r.changes] == ["a", "b"]


async def test_changes_come_through_the_watch_and_are_told() -> None:
    api = FakeApi()
    async with running(api) as r:
        await eventually(lambda: api.watchers == 1)
        await api.put("a", "1")
        await api.put("a", "2")
        await r.shows(a="2")
        await api.remove("a")
        await r.shows()
        assert [c.value for c in r.changes] == ["1", "2", "2"], "added, changed, deleted"
        assert len(api.lists) == 1


async def test_the_watch_begins_where_the_list_ended_and_asks_for_bookmarks() -> None:
    api = FakeApi(version=700)
    async with running(api, selector="benchwright.dev/trial"):
        await eventually(lambda: api.watchers == 1)
        assert api.watches[0]["resourceVersion"] == "700"
        assert api.watches[0]["allowWatchBookmarks"] == "true"
        assert (
            api.watches[0]["labelSelector"]
            == api.lists[0]["labelSelector"]
            == "benchwright.dev/trial"
        )


async def test_long_lists_come_in_pages_that_make_one_whole() -> None:
    api = FakeApi(page=3)
    await _ready(api, **{f"p{n}": str(n) for n in range(8)})
    async with running(api) as r:
        await asyncio.wait_for(r.informer.synced.wait(), 5)
        assert len(r.values) == 8
        assert len(api.lists) == 3


async def test_an_event_in_two_halves_is_one_event() -> None:
    api = FakeApi()
    async with running(api) as r:
        await eventually(lambda: api.watchers == 1)
        meta = {"name": "a", "resourceVersion": "101"}
        line = (
            json.dumps({"type": "ADDED", "object": {"metadata": meta, "value": "é"}}).encode()
            + b"\n"
        )
        await api.say_bytes(line[:40])
        await asyncio.sleep(0.02)
        await api.say_bytes(line[40:] + line[:10])
        await r.shows(a="é")


# Bad networks


async def test_after_the_servers_own_time_limit_it_watches_on_without_listing() -> None:
    api = FakeApi()
    async with running(api, server_timeout=1) as r:
        await eventually(lambda: api.watchers == 1)
        await api.put("a", "1")
        await eventually(lambda: len(api.watches) == 2)
        await eventually(lambda: api.watchers == 1)
        assert api.watches[1]["resourceVersion"] == "101"
        assert len(api.lists) == 1
        await api.put("a", "2")
        await r.shows(a="2")


async def test_bookmarks_move_the_place_from_which_it_watches_on() -> None:
    api = FakeApi()
    async with running(api, server_timeout=1):
        await eventually(lambda: api.watchers == 1)
        await api.bookmark()
        await eventually(lambda: len(api.watches) == 2)
        assert api.watches[1]["resourceVersion"] == "101"


async def test_a_cut_connection_loses_no_change() -> None:
    api = FakeApi()
    async with running(api) as r:
        await eventually(lambda: api.watchers == 1)
        await api.put("a", "1")
        await r.shows(a="1")
        for n in range(2, 5):
            api.cut()
            await api.put("a", str(n))
            await api.put(f"b{n}", "new")
            await eventually(lambda n=n: r.values.get("a") == str(n) and f"b{n}" in r.values)  # type: ignore[misc]


async def test_silence_is_taken_for_a_dead_connection() -> None:
    """dask#620, kopf#585: an idle TCP connection whose other side is gone looks healthy for ever."""
    api = FakeApi()
    async with running(api, inactivity=0.2) as r:
        await eventually(lambda: api.watchers == 1)
        api.deaf = True
        await api.put("a", "1")
        await r.shows(a="1")


async def test_bookmarks_alone_keep_a_quiet_watch_alive() -> None:
    api = FakeApi()
    async with running(api, inactivity=0.4) as r:
        await eventually(lambda: api.watchers == 1)
        for _ in range(12):
            await asyncio.sleep(0.06)
            await api.bookmark()
        assert len(api.lists) == 1
        assert r.informer.silence < 0.4


async def test_what_was_deleted_during_an_outage_is_gone_afterwards_and_told() -> None:
    """kopf keeps such objects for ever (control-plane-measured.md, trap 2)."""
    api = FakeApi()
    await _ready(api, a="1", b="2")
    async with running(api, inactivity=0.2) as r:
        await r.shows(a="1", b="2")
        api.deaf = True
        await api.remove("a")
        await r.shows(b="2")
        assert r.dropped == ["a"]


# 410


async def test_410_inside_the_stream_lists_anew_and_drops_what_is_gone() -> None:
    """kubernetes_asyncio PR#327, headlamp#7451."""
    api = FakeApi()
    await _ready(api, a="1", b="2")
    async with running(api) as r:
        await r.shows(a="1", b="2")
        await eventually(lambda: api.watchers == 1)
        api.deaf = True
        await api.remove("a")
        await api.put("c", "3")
        api.deaf = False
        await api.say(gone())
        await r.shows(b="2", c="3")
        assert len(api.lists) == 2


async def test_410_as_the_answer_to_the_watch_lists_anew() -> None:
    api = FakeApi()

    async def expired(_: web.Request) -> web.StreamResponse:
        return web.json_response(
            {"code": 410, "reason": "Expired", "message": "too old"}, status=410
        )

    async with running(api, server_timeout=1) as r:
        await eventually(lambda: api.watchers == 1)
        api.deaf = True
        await api.put("a", "1")
        api.instead.append(expired)
        await r.shows(a="1")
        assert len(api.lists) == 2


async def test_410_in_the_middle_of_a_paged_list_begins_the_list_anew() -> None:
    api = FakeApi(page=2)
    await _ready(api, a="1", b="2", c="3")

    async def expired(_: web.Request) -> web.StreamResponse:
        return web.json_response(
            {"code": 410, "reason": "Expired", "message": "continue"}, status=410
        )

    first = True

    async def expire_second_page() -> None:
        nonlocal first
        if first:
            first = False
            api.instead.append(expired)

    api.before_list_answer = expire_second_page
    async with running(api) as r:
        await r.shows(a="1", b="2", c="3")
        assert "continue" in api.lists[1]
        assert "continue" not in api.lists[2]


# Errors


async def test_errors_of_the_server_are_survived_with_growing_pauses() -> None:
    api = FakeApi()
    await _ready(api, a="1")

    async def broken(_: web.Request) -> web.StreamResponse:
        return web.Response(status=500, text="etcd is down")

    async def garbage(_: web.Request) -> web.StreamResponse:
        return web.Response(text="<html>")

    api.instead += [broken, garbage]
    began = time.monotonic()
    async with running(api) as r:
        await r.shows(a="1")
        assert len(api.lists) == 3
        assert time.monotonic() - began > 0.5


async def test_an_error_event_that_is_no_410_lists_anew() -> None:
    api = FakeApi()
    async with running(api) as r:
        await eventually(lambda: api.watchers == 1)
        api.deaf = True
        await api.put("a", "1")
        api.deaf = False
        await api.say({"type": "ERROR", "object": {"code": 500, "reason": "InternalError"}})
        await r.shows(a="1")


async def test_one_object_that_cannot_be_understood_blinds_nobody() -> None:
    """One pod or trial that somebody made by hand must not stop every run of the namespace."""
    api = FakeApi()
    await _ready(api, a="1", bad="poison", b="2")
    async with running(api) as r:
        await r.shows(a="1", b="2")
        await eventually(lambda: api.watchers == 1)
        await api.put("worse", "poison")
        await api.put("a", "3")
        await r.shows(a="3", b="2")
        assert len(api.lists) == 1


async def test_a_server_that_ends_every_watch_at_once_is_not_hammered() -> None:
    api = FakeApi()

    async def ended(request: web.Request) -> web.StreamResponse:
        return web.Response(text="")

    async with running(api):
        await eventually(lambda: api.watchers == 1)
        api.instead += [ended] * 5000
        api.cut()
        before = len(api.watches) + len(api.lists)
        await asyncio.sleep(0.5)
        assert len(api.watches) + len(api.lists) - before < 25
