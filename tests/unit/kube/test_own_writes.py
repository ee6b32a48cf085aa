"""The informer and our own writes: what we wrote is seen at once, and nothing undoes or outlives it."""

from typing import Any

from tests.unit.kube.fakeapi import FakeApi, eventually, gone
from tests.unit.kube.test_informer import _ready, running

Json = dict[str, Any]


def older(raw: Json, version: int, value: str) -> Json:
    return {"metadata": {**raw["metadata"], "resourceVersion": str(version)}, "value": value}


async def test_an_own_write_is_seen_before_its_event_comes() -> None:
    api = FakeApi()
    async with running(api) as r:
        await eventually(lambda: api.watchers == 1)
        api.deaf = True
        r.informer.upsert(await api.put("a", "1"))
        assert r.values == {"a": "1"}
        assert [c.value for c in r.changes] == ["1"]


async def test_the_event_of_an_own_write_is_not_told_a_second_time() -> None:
    """Each telling costs a reconcile of the trial and one of its run, with a dozen requests."""
    api = FakeApi()
    async with running(api) as r:
        await eventually(lambda: api.watchers == 1)
        r.informer.upsert(await api.put("a", "1"))
        await api.put("marker", "x")
        await r.shows(a="1", marker="x")
        assert [c.name for c in r.changes] == ["a", "marker"]


async def test_a_late_event_from_before_the_write_does_not_undo_it() -> None:
    api = FakeApi()
    async with running(api) as r:
        await eventually(lambda: api.watchers == 1)
        api.deaf = True
        first = await api.put("a", "1")
        second = await api.put("a", "2")
        r.informer.upsert(second)
        api.deaf = False
        await api.say({"type": "ADDED", "object": first})
        await api.put("marker", "x")
        await r.shows(a="2", marker="x")


async def test_versions_are_compared_as_numbers() -> None:
    api = FakeApi(version=98)
    async with running(api) as r:
        await eventually(lambda: api.watchers == 1)
        raw = await api.put("a", "99")
        await r.shows(a="99")
        r.informer.upsert(older(raw, 100, "100"))
        assert r.values == {"a": "100"}


async def test_a_list_that_is_older_than_our_write_does_not_drop_it() -> None:
    """The pod was created while a list was on its way: dropping it would mean PodLost, and a
    second attempt beside a healthy pod."""
    api = FakeApi()
    await _ready(api, old="1")
    async with running(api) as r:
        await eventually(lambda: api.watchers == 1)

        async def written_meanwhile() -> None:
            api.before_list_answer = None
            r.informer.upsert(await api.put("mine", "2"))

        api.before_list_answer = written_meanwhile
        await api.say(gone())
        await eventually(lambda: len(api.watches) == 2)
        await r.shows(old="1", mine="2")
        assert r.dropped == []


async def test_a_list_that_is_newer_than_our_write_does_drop_it() -> None:
    api = FakeApi()
    async with running(api) as r:
        await eventually(lambda: api.watchers == 1)
        api.deaf = True
        r.informer.upsert(await api.put("mine", "2"))
        await api.remove("mine")
        api.deaf = False
        await api.say(gone())
        await r.shows()


async def test_an_answer_that_comes_after_the_deletion_does_not_bring_the_object_back() -> None:
    """The trial was deleted while our patch of its status was being answered: a ghost would get
    pods again and again, and no list comes for hours."""
    api = FakeApi()
    async with running(api) as r:
        await eventually(lambda: api.watchers == 1)
        answer = await api.put("a", "1")
        await r.shows(a="1")
        await api.remove("a")
        await r.shows()
        r.informer.upsert(answer)
        assert r.values == {}


async def test_an_object_made_anew_after_its_deletion_is_seen() -> None:
    api = FakeApi()
    async with running(api) as r:
        await eventually(lambda: api.watchers == 1)
        await api.put("a", "1")
        await api.remove("a")
        r.informer.upsert(await api.put("a", "2"))
        assert r.values == {"a": "2"}
