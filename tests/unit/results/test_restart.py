"""A service that is stopped and started anew has lost nothing that it had confirmed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.builders import a_snapshot, a_task
from tests.unit.core.evidence import measured, step, worked
from tests.unit.reports.samples import record
from tests.unit.results.archives import file, tar
from tests.unit.results.support import (
    EVALUATOR,
    OPERATOR,
    Service,
    running,
    sha256,
)

REPAIR = a_task("repair", prompt="Mend it.", source={})
EVALUATE = "/v1/attempts/uid-1/1/evaluate"
ARCHIVE = tar(file("pkg/a"))
BASELINE = replace(EVALUATOR, trial="trial-2", trial_uid="uid-2")


def a_record(**more: Any) -> dict[str, Any]:
    row = record(run="run-1", run_uid="uid-run", namespace="bench", trial_uid="uid-1")
    return {**row, "task_digest": "sha256:" + "1" * 64, **more}


async def fill(service: Service) -> dict[str, bytes]:
    """Something of everything."""
    source = {"inline": [{"task": REPAIR.dump(), "files": {"workspace/a": "x"}}]}
    assert (await service.upload("overlay.tar", b"work" * 1000)).status == 200
    await service.facts(worked())
    await service.facts(measured(steps=(step("criterion-regression"),)), EVALUATOR, EVALUATE)
    assert (
        await service.facts(measured(), BASELINE, "/v1/attempts/uid-2/1/evaluate")
    ).status == 200
    for method, path, body in (
        ("POST", "/v1/tasksets", {"source": source}),
        ("PUT", "/v1/records/uid-1", a_record()),
        ("PUT", "/v1/records/uid-2", a_record(purpose="baseline", trial_uid="uid-2")),
    ):
        reply = await service.call(method, path, OPERATOR, json=body, port="internal")
        assert reply.status == 200
    path = f"/v1/archives/{sha256(ARCHIVE)}"
    assert (await service.call("PUT", path, OPERATOR, ARCHIVE, port="internal")).status == 200
    return await everything(service)


async def everything(service: Service) -> dict[str, bytes]:
    """All that can be read."""
    source = {"inline": [{"task": REPAIR.dump(), "files": {"workspace/a": "x"}}]}
    resolved = await service.call(
        "POST", "/v1/tasksets", OPERATOR, json={"source": source}, port="internal"
    )
    digest = resolved.text.split('"')[3]
    snapshot = {"task": a_snapshot(REPAIR).dump(), "purpose": "measurement"}
    verdict = await service.call(
        "POST", "/v1/attempts/uid-1/1/verdict", OPERATOR, json=snapshot, port="internal"
    )
    baselines = await service.call(
        "POST", "/v1/baselines", None, json={"tasks": ["sha256:" + "1" * 64]}, port="internal"
    )
    paths = (
        f"/v1/corpora/{digest}", "/v1/attempts/uid-1/1/facts", "/runs/bench/run-1/results.json",
        "/runs/bench/run-1/results.csv", "/runs/bench/run-1/report.html",
        "/trials/uid-1/evidence.tar.gz",
    )  # fmt: skip
    read = {p: (await service.call("GET", p, None, port="internal")).body for p in paths}
    overlay = await service.fetch("overlay.tar")
    assert b"<html" in read["/runs/bench/run-1/report.html"]
    return {
        **read, "overlay": overlay.body, "verdict": verdict.body, "baselines": baselines.body,
        "corpus": resolved.body,
    }  # fmt: skip


async def test_nothing_is_lost(tmp_path: Path) -> None:
    async with running(tmp_path) as service:
        before = await fill(service)
    assert b"overlay.tar" not in before["overlay"]
    async with running(tmp_path) as service:
        assert await everything(service) == before
        assert before["baselines"] == b'{"sha256:' + b"1" * 64 + b'": 1}'
        again = await service.facts(worked())
        assert again.status == 200, "a harness that asks again after the restart is told so"


async def test_news_go_on_where_they_were_under_a_new_boot(tmp_path: Path) -> None:
    """The operator asks from the start when the boot changed: its store may be another one."""

    async def news(service: Service, after: int) -> dict[str, Any]:
        url = service.internal / "v1/news" % {"after": str(after)}
        async with service.http.get(url) as answer:
            found: dict[str, Any] = await answer.json()
            return found

    async with running(tmp_path) as service:
        await service.facts(worked())
        first = await news(service, 0)
    async with running(tmp_path) as service:
        await service.facts(worked(), EVALUATOR, EVALUATE)
        second = await news(service, first["items"][-1]["seq"])
        assert second["boot"] != first["boot"]
        assert [i["trial"] for i in second["items"]] == ["trial-1"]
        assert len((await news(service, 0))["items"]) == 2
