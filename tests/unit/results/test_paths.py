"""Names, digests, stages and attempts in a path: none leads anywhere else, however it is encoded."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.results.support import DIGEST, EVALUATOR, HARNESS, OPERATOR, Service

GOOD_NAMES = [
    "overlay.tar",
    "logs/agent.log",
    "answers/setup.sh",
    "reports/TEST-a.B_c.xml",
    "a" * 64,
]
BAD_NAMES = {
    "above": "../evil",
    "above, encoded": "..%2Fevil",
    "above, encoded twice": "%252E%252E%252Fevil",
    "above in the middle": "logs/../../2/write/a",
    "dots encoded": "%2E%2E/%2E%2E/evil",
    "absolute": "/etc/passwd",
    "absolute, encoded": "%2Fetc%2Fpasswd",
    "a hidden file": ".facts",
    "a dot": "logs/.",
    "a folder": "logs/",
    "three deep": "a/b/c",
    "too long": "a" * 65,
    "a NUL": "a%00b",
    "a line feed": "a%0Ab",
    "a line feed at the end": "a%0A",
    "a carriage return": "a%0D%0AX-Evil:%201",
    "a backslash": "a%5C..%5Cb",
    "a space": "a%20b",
    "a colon": "a:b",
    "no ASCII": "%C3%A9",
    "no UTF-8": "%FF",
    "a temporary file of the store": "a%231",
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD_NAMES)
async def test_names_that_the_harness_uses(service: Service, name: str) -> None:
    assert (await service.upload(name, b"x")).status == 200
    assert (await service.fetch(name)).body == b"x"


@pytest.mark.parametrize("name", BAD_NAMES)
async def test_names_that_play_tricks(service: Service, name: str) -> None:
    before = _tree(service.folder)
    reply = await service.upload(BAD_NAMES[name], b"x")
    assert reply.status in {400, 403, 404}
    assert (await service.fetch(BAD_NAMES[name])).status in {400, 403, 404}
    assert await service.store.files("uid-1") == []
    assert _tree(service.folder) == before


def _tree(folder: Path) -> set[Path]:
    return {p for p in (folder / "objects").rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    "digest",
    ["..%2F..%2Fevidence%2Fuid-1%2F1%2Fwrite", "sha256:..", "d" * 64, "sha256:" + "D" * 64, "%00"],
)
async def test_a_digest_that_plays_tricks(service: Service, digest: str) -> None:
    await service.upload("hidden", b"secret")
    reply = await service.call("GET", f"/v1/tasks/{digest}/hidden", EVALUATOR)
    assert reply.status in {400, 404}
    assert b"secret" not in reply.body


@pytest.mark.parametrize("stage", ["..", "..%2F2%2Fwrite", "write%2Ffiles", "WRITE", "%00", "a%0A"])
async def test_a_stage_that_plays_tricks(service: Service, stage: str) -> None:
    other = replace(HARNESS, attempt=2)
    await service.upload("a", b"secret", other, "/v1/attempts/uid-1/2/write")
    reply = await service.fetch("a", place=f"/v1/attempts/uid-1/1/{stage}")
    assert reply.status in {400, 403, 404}


@pytest.mark.parametrize("attempt", ["01", "1%20", "+1", "1.0", "%31%00", "-1", "9" * 30])
async def test_an_attempt_that_is_spelt_otherwise(service: Service, attempt: str) -> None:
    reply = await service.upload("a", b"x", place=f"/v1/attempts/uid-1/{attempt}/write")
    assert reply.status in {400, 403, 404}
    facts = await service.call(
        "GET", f"/v1/attempts/uid-1/{attempt}/facts", OPERATOR, port="internal"
    )
    assert facts.status in {200, 404}


async def test_what_is_not_there_is_not_found(service: Service) -> None:
    assert (await service.fetch("overlay.tar")).status == 404
    assert (await service.call("GET", f"/v1/tasks/{DIGEST}/visible", HARNESS)).status == 404
    assert (await service.call("GET", f"/v1/tasks/{DIGEST}/other", HARNESS)).status == 404
