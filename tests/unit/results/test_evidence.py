"""The evidence archive of a trial: everything that was kept, of every attempt, byte for byte."""

import io
import os
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from benchwright.api.facts import HarnessError, StageFacts
from benchwright.results.objects import evidence_key
from tests.unit.core.evidence import killed, measured, worked
from tests.unit.results.support import EVALUATOR, HARNESS, OPERATOR, Reply, Service
from tests.unit.results.test_restart import a_record

EVALUATE = "/v1/attempts/uid-1/1/evaluate"


async def archive(service: Service, uid: str = "uid-1") -> Reply:
    return await service.call("GET", f"/trials/{uid}/evidence.tar.gz", None, port="internal")


async def evidence(service: Service, uid: str = "uid-1") -> dict[str, bytes]:
    reply = await archive(service, uid)
    assert reply.status == 200
    found = {}
    with tarfile.open(fileobj=io.BytesIO(reply.body), mode="r|gz") as tar:
        for member in tar:
            assert member.isreg()
            stream = tar.extractfile(member)
            assert stream is not None
            found[member.name] = stream.read()
    return found


def document(facts: StageFacts) -> bytes:
    return facts.model_dump_json(by_alias=True, exclude_none=True).encode()


async def test_files_and_facts_of_every_stage_are_in_it(service: Service) -> None:
    files = {
        "patch.diff": b"no end of line",
        "logs/agent.log": bytes(range(256)),
        "overlay.tar": os.urandom(600_001),
        "empty": b"",
        "a" * 64 + "/" + "b" * 64: b"a long name",
    }
    for name, data in files.items():
        await service.upload(name, data)
    await service.facts(worked())
    await service.upload("reports/junit.xml", b"<x/>", EVALUATOR, EVALUATE)
    await service.facts(measured(), EVALUATOR, EVALUATE)
    assert await evidence(service) == {
        **{f"1/write/{name}": data for name, data in files.items()},
        "1/write/facts.json": document(worked()),
        "1/evaluate/reports/junit.xml": b"<x/>",
        "1/evaluate/facts.json": document(measured()),
    }


async def test_an_attempt_that_was_repeated_keeps_its_evidence(service: Service) -> None:
    """Harbor's resume removed it, and a later attempt must not shadow an earlier one
    (inspect_ai#4933, #1582)."""
    again = replace(HARNESS, attempt=2)
    await service.upload("a", b"first")
    await service.facts(killed())
    await service.upload("a", b"second", again, "/v1/attempts/uid-1/2/write")
    await service.facts(worked(), again, "/v1/attempts/uid-1/2/write")
    assert await evidence(service) == {
        "1/write/a": b"first", "1/write/facts.json": document(killed()),
        "2/write/a": b"second", "2/write/facts.json": document(worked()),
    }  # fmt: skip


async def test_facts_of_a_stage_that_left_no_file_are_evidence(service: Service) -> None:
    """A harness that could not prepare its pod leaves nothing but the reason."""
    broken = StageFacts(
        error=HarnessError(reason="FetchFailed", message="x"), runner_finished=False
    )
    await service.facts(broken)
    assert await evidence(service) == {"1/write/facts.json": document(broken)}


async def test_files_without_facts_are_evidence(service: Service) -> None:
    await service.upload("logs/agent.log", b"half")
    assert await evidence(service) == {"1/write/logs/agent.log": b"half"}


async def test_another_trials_evidence_is_not_in_it(service: Service) -> None:
    other = replace(HARNESS, trial_uid="uid-2")
    await service.upload("a", b"x", other, "/v1/attempts/uid-2/1/write")
    await service.upload("b", b"y")
    assert set(await evidence(service)) == {"1/write/b"}


async def test_a_trial_that_left_nothing_but_a_record_has_an_empty_archive(
    service: Service,
) -> None:
    record = a_record()
    await service.call("PUT", "/v1/records/uid-1", OPERATOR, json=record, port="internal")
    assert await evidence(service) == {}


@pytest.mark.parametrize("uid", ["uid-1", "..%2Fuid-1", "%00", "x" * 300])
async def test_a_trial_that_nobody_knows_is_not_found(service: Service, uid: str) -> None:
    assert (await archive(service, uid)).status == 404


async def test_the_same_evidence_is_the_same_bytes(service: Service) -> None:
    await service.upload("a", b"x" * 5000)
    await service.facts(worked())
    assert (await archive(service)).body == (await archive(service)).body


def _file(service: Service, name: str) -> Path:
    return service.folder / "objects" / evidence_key("uid-1", 1, "write", name)


async def test_a_lost_file_is_named_and_the_rest_comes(service: Service) -> None:
    """A disk that lost one file must not make all evidence of the trial unreadable."""
    for name in ("a", "b", "c"):
        await service.upload(name, name.encode())
    _file(service, "b").unlink()
    found = await evidence(service)
    assert found.keys() == {"1/write/a", "1/write/c", "lost.txt"}
    assert found["lost.txt"].startswith(b"1/write/b 1 bytes sha256 3e23e8160039594a")


async def test_a_file_of_another_size_than_the_row_says_does_not_break_the_archive(
    service: Service,
) -> None:
    """A service that was killed between the file and its row leaves the two different."""
    await service.upload("a", b"old")
    await service.upload("b", b"b")
    _file(service, "a").write_bytes(b"newer and longer" * 100)
    found = await evidence(service)
    assert found == {"1/write/a": b"newer and longer" * 100, "1/write/b": b"b"}


async def test_no_file_can_be_taken_for_the_facts(service: Service) -> None:
    reply = await service.upload("facts.json", b"forged")
    assert (reply.status, "is the name of the facts" in reply.text) == (400, True)
    await service.facts(worked())
    assert await evidence(service) == {"1/write/facts.json": document(worked())}
