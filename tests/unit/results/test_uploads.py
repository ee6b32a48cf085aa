"""Evidence and facts: byte for byte, under their hash, once or twice."""

import asyncio
import os
from dataclasses import replace

import pytest

from tests.unit.core.evidence import killed, measured, worked
from tests.unit.results.support import HARNESS, MINE, Service, sha256

CONTENTS = {
    "nothing": b"",
    "text": b"a line without an end",
    "bytes that are no UTF-8": bytes(range(256)),
    "a binary patch": b"GIT binary patch\nliteral 3\nKcmZQ\n\0\r\n",
    "several pieces": os.urandom(700_000),
}


@pytest.mark.parametrize("name", CONTENTS)
async def test_evidence_comes_back_byte_for_byte(service: Service, name: str) -> None:
    """SWE-bench#345, SWE-bench_Pro-os#74: a lost line end or a binary hunk is a failed task."""
    data = CONTENTS[name]
    reply = await service.upload("patch.diff", data)
    assert (reply.status, sha256(data) in reply.text) == (200, True)
    assert (await service.fetch("patch.diff")).body == data


# Hashes


@pytest.mark.parametrize("header", [None, "", "0" * 64, sha256(b"y"), sha256(b"x").upper()])
async def test_another_hash_than_was_declared_stores_nothing(
    service: Service, header: str | None
) -> None:
    headers = {} if header is None else {"X-Content-SHA256": header}
    reply = await service.call("PUT", f"{MINE}/files/a", HARNESS, b"x", **headers)
    assert reply.status == 400
    assert sha256(b"x") in reply.text
    assert (await service.fetch("a")).status == 404


# Twice


async def test_the_same_file_twice_is_fine(service: Service) -> None:
    """A harness whose answer was lost on the way sends it again."""
    for _ in range(2):
        assert (await service.upload("a", b"x")).status == 200
    assert len(await service.store.files("uid-1")) == 1


async def test_a_file_may_change_until_the_stage_has_its_facts(service: Service) -> None:
    await service.upload("a", b"first")
    assert (await service.upload("a", b"second")).status == 200
    await service.facts(worked())
    assert (await service.upload("a", b"second")).status == 200
    late = await service.upload("a", b"third")
    assert (late.status, "cannot change any more" in late.text) == (409, True)
    assert (await service.fetch("a")).body == b"second"
    new = await service.upload("b", b"late")
    assert new.status == 409, "evidence that came after the facts was not what they were made of"


async def test_the_same_facts_twice_are_fine_and_other_facts_are_refused(service: Service) -> None:
    """METR/vivaria#872: what was said of a stage is not unsaid by a pod that dies later."""
    assert (await service.facts(worked())).status == 200
    assert (await service.facts(worked())).status == 200
    other = await service.facts(killed())
    assert (other.status, "other facts" in other.text) == (409, True)
    (row,) = await service.store.all_facts("uid-1")
    assert row.document == worked().model_dump_json(by_alias=True, exclude_none=True)


async def test_two_harnesses_at_once_leave_one_of_their_facts(service: Service) -> None:
    replies = await asyncio.gather(*(service.facts(worked(code)) for code in range(8)))
    assert sorted(r.status for r in replies) == [200] + [409] * 7


async def test_many_stages_store_at_once(service: Service) -> None:
    async def one(number: int) -> list[int]:
        who = replace(HARNESS, trial_uid=f"uid-{number}")
        place = f"/v1/attempts/uid-{number}/1/write"
        file = await service.upload("a", b"x" * number, who, place)
        return [file.status, (await service.facts(worked(), who, place)).status]

    replies = await asyncio.gather(*(one(number) for number in range(60)))
    assert {s for statuses in replies for s in statuses} == {200}
    assert len(await service.store.facts_after(0)) == 60


# Facts that are none


BAD_FACTS = {
    "nothing": b"",
    "no JSON": b"{",
    "no UTF-8": b'{"steps": "\xff"}',
    "a list": b"[]",
    "an unknown field": b'{"outcome": "success"}',
    "a newer version": b'{"version": 2}',
    "a number that is none": b'{"collectSeconds": NaN}',
    "a negative count": b'{"droppedFiles": -1}',
    "steps that are too many": b'{"steps": [' + b",".join([b'{"name": "a"}'] * 33) + b"]}",
    "nesting without an end": b"[" * 100_000,
    "changes that are no document": b'{"changes": "{}"}',
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_FACTS)
async def test_facts_that_are_none_are_refused_and_good_ones_are_still_welcome(
    service: Service, name: str
) -> None:
    reply = await service.call("PUT", f"{MINE}/facts", HARNESS, BAD_FACTS[name])
    assert (reply.status, reply.text[:14]) == (422, "facts refused:")
    assert await service.store.all_facts("uid-1") == []
    assert (await service.facts(measured())).status == 200
