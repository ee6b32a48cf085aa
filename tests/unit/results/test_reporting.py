"""Reports of runs: made in another process, once for each state, and never in the way of trials."""

import asyncio
import os
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchwright.results.reporting import ReportError, Reports
from benchwright.results.runs import Asked
from benchwright.results.summaries import RunSummaries
from benchwright.web.lists import RunRow
from tests.unit.results.support import Service
from tests.unit.web.samples import RUN, row

ASKED = Asked("bench", "nightly", RUN)
ROW = RunRow(RUN, "bench", "nightly", None, None, {})
COUNTS = """
import json, pathlib, sys
order = json.load(sys.stdin)
made = pathlib.Path({folder!r}) / "made"
with made.open("a") as log:
    log.write("x")
print(json.dumps({{"page": str(len(made.read_text())), "summary": order["asked"]["run"]}}))
"""


async def put(service: Service, number: int) -> None:
    record = row(f"uid-{number}", number, "mini", "pluggy")
    await service.store.put_record(record, datetime(2026, 1, 1, tzinfo=UTC))


def program(folder: Path, text: str) -> tuple[str, ...]:
    path = folder / "program.py"
    path.write_text(text)
    return (sys.executable, str(path))


@pytest.fixture
def counting(service: Service, tmp_path: Path) -> Reports:
    """Its page says how many were made so far."""
    return Reports(service.store.engine, program(tmp_path, COUNTS.format(folder=str(tmp_path))))


async def test_the_page_is_the_runs_report_and_follows_it(service: Service) -> None:
    await put(service, 1)
    reply = await service.call(
        "GET", f"/runs/bench/nightly/report.html?uid={RUN}", None, port="internal"
    )
    assert f'data-live="../../../ui/run/{RUN}/changes.json" data-revision="1"' in reply.text
    assert '<a href="../../../ui/trial/uid-1">' in reply.text
    assert '<a href="../../../trials/' in reply.text


async def test_a_report_of_several_runs_of_one_name_follows_none(service: Service) -> None:
    await put(service, 1)
    reply = await service.call("GET", "/runs/bench/nightly/report.html", None, port="internal")
    assert (reply.status, "data-live" in reply.text) == (200, False)


async def test_it_is_made_once_for_each_state_of_a_run(service: Service, counting: Reports) -> None:
    await put(service, 1)
    both = await asyncio.gather(counting.get(ASKED), counting.get(ASKED))
    again = await counting.get(ASKED)
    assert [made["page"] for made in (*both, again)] == ["1", "1", "1"]
    await put(service, 2)
    assert (await counting.get(ASKED))["page"] == "2"


async def test_a_plan_that_comes_later_is_another_state(
    service: Service, counting: Reports
) -> None:
    await put(service, 1)
    await counting.get(ASKED)
    await service.store.put_plan({"run_uid": RUN, "namespace": "bench", "run": "nightly"})
    assert (await counting.get(ASKED))["page"] == "2"


async def test_a_reader_who_goes_away_takes_it_from_nobody(
    service: Service, counting: Reports
) -> None:
    await put(service, 1)
    first = asyncio.create_task(counting.get(ASKED))
    second = asyncio.create_task(counting.get(ASKED))
    await asyncio.sleep(0.01)
    first.cancel()
    assert (await second)["page"] == "1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("raise MemoryError('no room')", "ended with 1: MemoryError: no room"),
        ("import os; os.abort()", "ended with -6"),
        ("import time; time.sleep(600)", "took more than 0.5 s"),
    ],
)
async def test_what_could_not_be_made_says_what_to_do(
    service: Service, tmp_path: Path, text: str, said: str
) -> None:
    reports = Reports(service.store.engine, program(tmp_path, text), seconds=0.5)
    with pytest.raises(ReportError) as caught:
        await reports.get(ASKED)
    assert said in str(caught.value)
    assert "benchwright report nightly --out FOLDER" in str(caught.value)
    assert (await RunSummaries(reports).summary(ROW)).problem == str(caught.value)


async def test_a_page_does_not_wait_long_and_has_it_the_next_time(
    service: Service, tmp_path: Path
) -> None:
    slow = "import time; time.sleep(1)\n" + COUNTS.format(folder=str(tmp_path))
    reports = Reports(service.store.engine, program(tmp_path, slow))
    first = await RunSummaries(reports, seconds=0.1).summary(ROW)
    assert (first.html, first.problem, first.pending) == ("", "It is being made.", True)
    assert (await RunSummaries(reports, seconds=60).summary(ROW)).html == "nightly"
    assert (await reports.get(ASKED))["page"] == "1"


async def test_of_a_large_run_a_page_does_not_wait_at_all(
    service: Service, counting: Reports
) -> None:
    await put(service, 1)
    large = replace(ROW, outcomes={"success": 100_000})
    summaries = RunSummaries(counting, seconds=60)
    assert (await summaries.summary(large)).pending
    await counting.get(ASKED)
    assert (await summaries.summary(large)).html == "nightly"


async def test_what_failed_is_not_tried_again_before_something_has_changed(
    service: Service, tmp_path: Path
) -> None:
    await put(service, 1)
    fails = f"open({str(tmp_path / 'tries')!r}, 'a').write('x'); raise MemoryError"
    reports = Reports(service.store.engine, program(tmp_path, fails))
    for tries in ("x", "x"):
        with pytest.raises(ReportError, match="MemoryError"):
            await reports.get(ASKED)
        assert (tmp_path / "tries").read_text() == tries
    await put(service, 2)
    with pytest.raises(ReportError):
        await reports.get(ASKED)
    assert (tmp_path / "tries").read_text() == "xx"


async def test_the_end_of_the_service_ends_what_is_being_made(
    service: Service, tmp_path: Path
) -> None:
    fifo = tmp_path / "pid"
    os.mkfifo(fifo)
    text = f"import os, pathlib\npathlib.Path({str(fifo)!r}).write_text(str(os.getpid()))"
    text += "\nimport signal; signal.pause()\n"
    reports = Reports(service.store.engine, program(tmp_path, text))
    making = asyncio.create_task(reports.get(ASKED))
    pid = int(await asyncio.to_thread(fifo.read_text))
    await reports.close()
    with pytest.raises(asyncio.CancelledError):
        await making
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
