"""The operator's client of the results service, against the real service on a temporary folder."""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
from aiohttp.test_utils import TestServer

from benchwright.api.task import Task
from benchwright.control.services import ResultsClient, ServiceError, TaskSetProblem
from benchwright.control.tokens import Tokens
from benchwright.results.database import open_engine
from benchwright.results.news import News
from benchwright.results.objects import ObjectStore
from benchwright.results.service import internal_app
from benchwright.results.store import Store
from tests.builders import NOW, a_task, a_trial
from tests.unit.core.evidence import killed, measured, step, worked

KEY = b"k" * 40


@dataclass
class Service:
    client: ResultsClient
    store: Store


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    engine = await open_engine(f"sqlite+aiosqlite:///{tmp_path}/results.db")
    store = Store(engine, ObjectStore.open(str(tmp_path / "objects")))
    async with (
        TestServer(internal_app(store, [KEY], News())) as server,
        aiohttp.ClientSession() as session,
    ):
        url = str(server.make_url("")).rstrip("/")
        yield Service(ResultsClient(session, url, Tokens(KEY, time.time)), store)
    await engine.dispose()


def inline(task: Task) -> dict[str, object]:
    return {"inline": [{"task": task.dump(), "files": {"workspace/a.py": "x = 1\n"}}]}


REPAIR = a_task("repair", prompt="Mend it.", source={})


async def _store(service: Service, stage: str, facts: object, attempt: int = 1) -> None:
    document = facts.model_dump_json(by_alias=True, exclude_none=True)  # type: ignore[attr-defined]
    await service.store.put_facts(
        "uid-trial", attempt, stage, document, namespace="bench", trial="t", now=NOW
    )


async def test_a_corpus_is_resolved_and_found_again(service: Service) -> None:
    digest, tasks = await service.client.resolve(inline(REPAIR), None)
    assert [t.name for t in tasks] == ["task"]
    assert await service.client.corpus(digest) == tasks


async def test_a_corpus_that_the_store_has_lost_is_none_not_an_error(service: Service) -> None:
    """Then the TaskSet is resolved again; an error would be repeated for ever."""
    assert await service.client.corpus("sha256:" + "0" * 64) is None


async def test_what_is_wrong_with_a_task_set_comes_back_in_words(service: Service) -> None:
    with pytest.raises(TaskSetProblem) as caught:
        await service.client.resolve(inline(a_task("repair", source={})), None)
    assert caught.value.reason == "PromptMissing"
    assert "prompt" in caught.value.message


async def test_a_file_that_is_also_a_folder_comes_back_in_words(service: Service) -> None:
    source = {
        "inline": [{"task": REPAIR.dump(), "files": {"workspace/a": "x", "workspace/a/b": "y"}}]
    }
    with pytest.raises(TaskSetProblem):
        await service.client.resolve(source, None)


@pytest.mark.parametrize(
    "packed", ["", "%%%", "aGVsbG8="], ids=["nothing", "no base64", "no archive"]
)
async def test_a_broken_archive_comes_back_in_words(service: Service, packed: str) -> None:
    with pytest.raises(TaskSetProblem):
        await service.client.resolve({"configMap": {"name": "tasks"}}, packed)


FACTS = {
    "worked": worked(),
    "measured": measured(),
    "past its limit": worked(None, timed_out=True),
    "killed": killed(),
    "setup failed, agent never ran": worked(None, setup=step("setup", 1)),
}


@pytest.mark.parametrize("name", FACTS)
async def test_facts_of_every_kind_are_read_back(service: Service, name: str) -> None:
    await _store(service, "write", FACTS[name])
    found = await service.client.facts("uid-trial", 1)
    assert found.keys() == {(1, "write")}
    assert found[1, "write"].steps == FACTS[name].steps
    assert found[1, "write"].runner_finished is FACTS[name].runner_finished


async def test_facts_of_another_attempt_are_not_mixed_in(service: Service) -> None:
    await _store(service, "write", worked(), attempt=1)
    await _store(service, "write", worked(3), attempt=2)
    assert (await service.client.facts("uid-trial", 2)).keys() == {(2, "write")}
    assert await service.client.facts("uid-other", 1) == {}


@pytest.mark.parametrize("name", FACTS)
async def test_an_attempt_with_facts_of_any_kind_is_graded(service: Service, name: str) -> None:
    trial = a_trial().of("repair")
    await _store(service, "repair", FACTS[name])
    await _store(service, "evaluate", measured(steps=(step("criterion-regression"),)))
    verdict = await service.client.verdict(trial.view(), 1)
    assert verdict.outcome in {"failure", "timeout"}
    assert verdict.measurements is not None
    assert len(verdict.measurements.criteria) == 3


async def test_half_an_attempt_is_not_graded(service: Service) -> None:
    await _store(service, "write", worked())
    with pytest.raises(ServiceError, match="409"):
        await service.client.verdict(a_trial().view(), 1)


async def test_a_service_that_is_not_there_is_one_kind_of_error() -> None:
    async with aiohttp.ClientSession() as session:
        client = ResultsClient(session, "http://127.0.0.1:9", Tokens(KEY, time.time))
        with pytest.raises(ServiceError):
            await client.facts("uid-trial", 1)
