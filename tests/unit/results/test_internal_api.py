"""The port of the operator and the users: news, records, results of a run."""

import asyncio
import csv
import io
import json
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from benchwright.core.record import record
from tests.builders import a_trial
from tests.unit.core.evidence import worked
from tests.unit.results.bulk import insert
from tests.unit.results.support import HARNESS, OPERATOR, Reply, Service


async def read(service: Service, path: str) -> Reply:
    return await service.call("GET", path, None, port="internal")


async def news(service: Service, after: int = 0, wait: float = 0) -> dict[str, Any]:
    async with service.http.get(f"{service.internal}/v1/news?after={after}&wait={wait}") as answer:
        found: dict[str, Any] = await answer.json()
        return found


async def test_a_poll_hears_of_facts_when_they_come(service: Service) -> None:
    began = time.monotonic()
    polling = asyncio.create_task(news(service, wait=20))
    await asyncio.sleep(0.1)
    assert not polling.done()
    await service.facts(worked())
    found = await polling
    assert [(i["namespace"], i["trial"]) for i in found["items"]] == [("bench", "trial-1")]
    assert time.monotonic() - began < 10
    assert (await news(service, found["items"][0]["seq"]))["items"] == []


async def test_facts_that_come_together_are_all_heard(service: Service) -> None:
    """Between asking the database and waiting there is a moment."""
    seen: set[str] = set()

    async def listen() -> None:
        after = 0
        while len(seen) < 30:
            for item in (await news(service, after, 20))["items"]:
                after = max(after, item["seq"])
                seen.add(item["trial"])

    listening = asyncio.create_task(listen())
    for number in range(30):
        who = replace(HARNESS, trial_uid=f"uid-{number}", trial=f"trial-{number}")
        await service.facts(worked(), who, f"/v1/attempts/uid-{number}/1/write")
    await asyncio.wait_for(listening, 20)


async def test_a_poll_that_hears_nothing_ends_at_its_time(service: Service) -> None:
    assert (await news(service, wait=0.05))["items"] == []


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
async def test_health_asks_the_database(
    service: Service, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await read(service, path)).status == 200
    monkeypatch.setattr(service.store, "facts_after", None)
    assert (await read(service, path)).status == 500


def a_row(uid: str = "uid-1", **more: Any) -> dict[str, Any]:
    trial = a_trial().finished("success", "CriteriaPassed").view()
    row = record(trial, trial.status)
    return {**row, "trial_uid": uid, "run": "run-1", "run_uid": "uid-run", **more}


async def put(service: Service, row: dict[str, Any]) -> None:
    path = f"/v1/records/{row['trial_uid']}"
    reply = await service.call("PUT", path, OPERATOR, json=row, port="internal")
    assert reply.status == 200


async def rows(service: Service, query: str = "") -> list[dict[str, Any]]:
    reply = await read(service, f"/runs/bench/run-1/results.json{query}")
    found: list[dict[str, Any]] = json.loads(reply.body)
    return found


async def test_results_are_in_the_drawn_order_and_without_baselines(service: Service) -> None:
    for uid, order in (("uid-b", 2), ("uid-a", 1), ("uid-c", 0)):
        await put(service, a_row(uid, order=order, namespace="bench"))
    await put(service, a_row("uid-base", purpose="baseline", namespace="bench"))
    await put(service, a_row("uid-else", namespace="other"))
    assert [r["trial_uid"] for r in await rows(service)] == ["uid-c", "uid-a", "uid-b"]


async def test_a_record_that_is_put_again_is_still_one(service: Service) -> None:
    """An operator that was killed between the record and the status writes it again."""
    await put(service, a_row(namespace="bench", outcome="invalid"))
    await put(service, a_row(namespace="bench", outcome="failure"))
    assert [r["outcome"] for r in await rows(service)] == ["failure"]


async def test_two_runs_of_one_name_are_told_apart_by_their_uid(service: Service) -> None:
    await put(service, a_row("uid-1", run_uid="old", namespace="bench"))
    await put(service, a_row("uid-2", run_uid="new", namespace="bench"))
    assert len(await rows(service)) == 2
    assert [r["trial_uid"] for r in await rows(service, "?uid=new")] == ["uid-2"]


@pytest.mark.parametrize("file", ["results.json", "results.csv", "report.html"])
async def test_a_run_without_results_is_said_so(service: Service, file: str) -> None:
    reply = await read(service, f"/runs/bench/no-such-run/{file}")
    assert (reply.status, reply.text) == (404, "no results of run no-such-run in namespace bench")


async def test_each_file_is_what_its_name_says(service: Service) -> None:
    await put(service, a_row(namespace="bench", agent='<script>alert("x")</script>'))
    table = (await read(service, "/runs/bench/run-1/results.csv")).text
    assert len(list(csv.DictReader(io.StringIO(table)))) == 1
    page = (await read(service, "/runs/bench/run-1/report.html")).text
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "<script>alert" not in page
    assert (await read(service, "/runs/bench/run-1/other.txt")).status == 404


async def test_many_trials_come_whole_and_in_the_order_of_the_plan(service: Service) -> None:
    documents = [a_row(f"uid-{n}", order=1200 - n, namespace="bench") for n in range(1201)]
    documents.append(a_row("uid-base", order=0, namespace="bench", purpose="baseline"))
    await insert(service.store, documents, datetime(2026, 1, 2, tzinfo=UTC))
    assert [r["order"] for r in await rows(service)] == list(range(1201))
    table = (await read(service, "/runs/bench/run-1/results.csv")).text
    found = list(csv.DictReader(io.StringIO(table)))
    assert [int(row["order"]) for row in found] == list(range(1201))


@pytest.mark.parametrize("digest", ["sha256:" + "0" * 64, "..", "%00", "%27%20OR%201=1%20--"])
async def test_a_corpus_that_is_not_known_is_not_found(service: Service, digest: str) -> None:
    assert (await read(service, f"/v1/corpora/{digest}")).status == 404


BAD_BODIES = {
    "no JSON": b"{",
    "nothing": b"",
    "a list": b"[]",
    "no UTF-8": b'{"\xff": 1}',
    "nesting without an end": b"[" * 100_000,
}
TAKE_JSON = (
    ("POST", "/v1/tasksets"),
    ("POST", "/v1/baselines"),
    ("POST", "/v1/attempts/uid-1/1/verdict"),
    ("PUT", "/v1/records/uid-1"),
)


@pytest.mark.parametrize(("method", "path"), TAKE_JSON)
@pytest.mark.parametrize("name", BAD_BODIES)
async def test_a_body_of_another_shape_is_refused_in_words(
    service: Service, name: str, method: str, path: str
) -> None:
    reply = await service.call(method, path, OPERATOR, BAD_BODIES[name], port="internal")
    assert reply.status == 400
    assert reply.text.startswith(f"{method} {path}: ")


async def test_a_body_that_lacks_something_is_told_what(service: Service) -> None:
    path = "/v1/attempts/uid-1/1/verdict"
    reply = await service.call("POST", path, OPERATOR, json={"task": {}}, port="internal")
    assert (reply.status, reply.text.split(": ")[1]) == (400, "task.name")


PLAN = {
    "namespace": "bench", "run": "run-1", "trials_per_task": 2,
    "agents": [{"agent": "script", "agent_digest": "d"}, {"agent": "late", "agent_digest": "d"}],
    "tasks": [{"task": "task", "task_digest": "t"}],
}  # fmt: skip


async def put_plan(service: Service, uid: str = "uid-run", **more: Any) -> Reply:
    body = {**PLAN, **more}
    return await service.call("PUT", f"/v1/plans/{uid}", OPERATOR, json=body, port="internal")


async def plans(service: Service, query: str = "") -> Any:
    return json.loads((await read(service, f"/runs/bench/run-1/plan.json{query}")).body)


async def test_a_run_s_plan_is_kept_and_told(service: Service) -> None:
    assert await plans(service) == []
    assert (await put_plan(service)).status == 200
    assert await plans(service) == [{**PLAN, "run_uid": "uid-run"}]


async def test_a_plan_that_is_told_again_is_one_and_those_of_namesakes_are_told_apart(
    service: Service,
) -> None:
    await put_plan(service)
    await put_plan(service, trials_per_task=3)
    await put_plan(service, "uid-other")
    assert [p["trials_per_task"] for p in await plans(service, "?uid=uid-run")] == [3]
    assert {p["run_uid"] for p in await plans(service)} == {"uid-run", "uid-other"}


async def test_only_the_operator_tells_plans(service: Service) -> None:
    reply = await service.call("PUT", "/v1/plans/uid-run", HARNESS, json=PLAN, port="internal")
    assert reply.status in {401, 403}
    assert await plans(service) == []


async def test_the_report_knows_what_is_missing_by_the_plan(service: Service) -> None:
    await put(service, a_row())
    assert (
        "as far as the data show the plan"
        in (await read(service, "/runs/bench/run-1/report.html")).text
    )
    await put_plan(service)
    page = (await read(service, "/runs/bench/run-1/report.html")).text
    assert "trials planned" in page
    assert "missing: no trial of 2 planned has an outcome" in page
