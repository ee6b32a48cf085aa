"""What the results service tells Prometheus: missing, invalid and failed are three things."""

import re
from dataclasses import replace

import pytest

from benchwright.api.facts import HarnessError, ReportProblem, StageFacts
from benchwright.results import run_api
from tests.builders import a_snapshot, a_task
from tests.unit.core.evidence import killed, measured, step, worked
from tests.unit.results.support import EVALUATOR, HARNESS, MINE, OPERATOR, Service, sha256

EVALUATE = "/v1/attempts/uid-1/1/evaluate"
REPAIR = a_task("repair", prompt="Mend it.", source={})


async def samples(service: Service) -> dict[str, float]:
    """Sample by name and labels, as Prometheus reads them."""
    reply = await service.call("GET", "/metrics", None, port="metrics")
    assert reply.status == 200
    lines = [line for line in reply.text.splitlines() if line and not line.startswith("#")]
    found = {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}
    return {
        n.removeprefix("benchwright_results_"): v for n, v in found.items() if "_created" not in n
    }


async def grade(service: Service, uid: str = "uid-1") -> int:
    body = {"task": a_snapshot(REPAIR).dump(), "purpose": "measurement"}
    path = f"/v1/attempts/{uid}/1/verdict"
    return (await service.call("POST", path, OPERATOR, json=body, port="internal")).status


BROKEN = StageFacts(error=HarnessError(reason="Fetch", message="x"), runner_finished=False)
STATES = {"complete": worked(3), "killed": killed(), "broken": BROKEN}


@pytest.mark.parametrize("state", STATES)
async def test_facts_that_say_that_they_are_broken_are_not_those_of_an_agent_that_failed(
    service: Service, state: str
) -> None:
    await service.facts(STATES[state])
    await service.facts(STATES[state])  # sent again, and counted once
    found = await samples(service)
    facts = {name: value for name, value in found.items() if name.startswith("facts_total")}
    assert facts == {f'facts_total{{stage="write",state="{state}"}}': 1}


async def test_a_report_that_is_missing_is_not_one_of_zero_lines(service: Service) -> None:
    problem = ReportProblem(reason="missing", message="no file")
    await service.facts(measured(coverage=None, coverage_problem=problem), EVALUATOR, EVALUATE)
    found = await samples(service)
    assert found['reports_total{kind="coverage",state="missing"}'] == 1
    assert found['reports_total{kind="tests",state="read"}'] == 1
    assert 'reports_total{kind="coverage",state="read"}' not in found


async def test_a_stage_without_reports_misses_none(service: Service) -> None:
    await service.facts(worked())
    assert not any(name.startswith("reports_total") for name in await samples(service))


CRITERIA = {"failure": 1, "success": 0}


@pytest.mark.parametrize("outcome", CRITERIA)
async def test_gradings_are_counted_by_outcome(service: Service, outcome: str) -> None:
    names = [c.name for c in REPAIR.criteria]
    steps = tuple(step(f"criterion-{name}", CRITERIA[outcome]) for name in names)
    place = MINE.replace("write", "repair")
    await service.facts(worked(), replace(HARNESS, stage="repair"), place)
    await service.facts(measured(steps=steps), EVALUATOR, EVALUATE)
    assert await grade(service) == 200
    found = await samples(service)
    assert found[f'gradings_total{{outcome="{outcome}",purpose="measurement"}}'] == 1


async def test_an_attempt_that_lacks_facts_is_neither_failed_nor_invalid(service: Service) -> None:
    assert await grade(service) == 409
    found = await samples(service)
    gradings = {name: value for name, value in found.items() if name.startswith("gradings")}
    assert gradings == {'gradings_total{outcome="incomplete",purpose="measurement"}': 1}


async def test_task_sets_and_refusals_are_counted_by_why(service: Service) -> None:
    for task in (REPAIR, a_task("repair", source={})):
        body = {"source": {"inline": [{"task": task.dump(), "files": {}}]}}
        await service.call("POST", "/v1/tasksets", OPERATOR, json=body, port="internal")
    await service.call("PUT", f"{MINE}/facts", None, b"{}")
    await service.call("PUT", f"{MINE}/facts", EVALUATOR, b"{}")
    await service.call("GET", "/v1/nowhere", OPERATOR, port="internal")
    found = await samples(service)
    assert found['tasksets_total{result="resolved"}'] == 1
    assert found['tasksets_total{result="PromptMissing"}'] == 1
    refusals = {name: value for name, value in found.items() if name.startswith("refusals")}
    assert refusals == {
        'refusals_total{port="trials",status="401"}': 1,
        'refusals_total{port="trials",status="403"}': 1,
        'refusals_total{port="internal",status="404"}': 1,
        'refusals_total{port="internal",status="422"}': 1,
    }


async def test_a_defect_of_the_service_itself_is_counted(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_api, "state", None)
    reply = await service.call("GET", "/runs/bench/run-1/results.json", None, port="internal")
    assert reply.status == 500
    assert (await samples(service))['refusals_total{port="internal",status="500"}'] == 1


async def test_no_label_has_a_name_that_a_trial_or_a_token_chose(service: Service) -> None:
    """Each new label value is a time series for ever."""
    for number in range(30):
        who = replace(
            HARNESS, trial_uid=f"uid-{number}", trial=f"trial-{number}", stage=f"stage-{number}",
            run=f"run-{number}", namespace=f"ns-{number}",
        )  # fmt: skip
        place = f"/v1/attempts/uid-{number}/1/stage-{number}"
        await service.upload(f"f{number}", b"x" * 10, who, place)
        await service.facts(worked(), who, place)
        await service.call("GET", f"/v1/nowhere-{number}", who)
    found = await samples(service)
    assert found['facts_total{stage="other",state="complete"}'] == 30
    assert found["evidence_bytes_total"] == 300
    assert not [
        name for name in found if re.search(r"(uid|trial|stage|run|ns|f|nowhere)-?\d", name)
    ]
    assert len(found) < 20


async def test_metrics_are_at_a_port_of_their_own(service: Service) -> None:
    """Prometheus may come to it, and to no evidence."""
    await service.upload("a", b"x")
    for path in ("/trials/uid-1/evidence.tar.gz", "/v1/news", f"{MINE}/files/a"):
        assert (await service.call("GET", path, OPERATOR, port="metrics")).status == 404
    for port in ("internal", "trial"):
        assert (await service.call("GET", "/metrics", OPERATOR, port=port)).status == 404
    assert sha256(b"x") not in str(await samples(service))
