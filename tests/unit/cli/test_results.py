"""`benchwright results` and `benchwright evidence`."""

import csv
import gzip
import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Cli
from tests.unit.cli.fake_api import FakeApi
from tests.unit.cli.states import archive, complete_run, running_run
from tests.unit.cli.test_watch import row, serve

TRIAL_UID = "0e6fdbcd-7f3e-4b0a-9d0f-5d2c3d1e9a10"


@pytest.fixture
def two(api: FakeApi) -> FakeApi:
    """A complete run of two trials with evidence."""
    api.put("benchmarkruns", "r", complete_run("r", 2))
    serve(api, row("r-0", trial_uid="u0", index=0), row("r-1", trial_uid="u1", index=1))
    for uid in ("u0", "u1"):
        api.service[f"/trials/{uid}/evidence.tar.gz"] = (200, archive(uid.encode()))
    return api


def test_writes_everything_into_one_folder(two: FakeApi, cli: Cli) -> None:
    result = cli("results", "r")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Results of run r" in result.stdout
    folder = Path("r-results")
    found = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    assert found == [
        "agents.csv", "analysis.json", "evidence/r-0.tar.gz", "evidence/r-1.tar.gz", "pairs.csv",
        "plan.json", "report.html", "results.csv", "results.json", "tasks.csv",
    ]  # fmt: skip
    assert (folder / "results.json").read_bytes() == two.service["/runs/default/r/results.json"][1]
    assert (folder / "evidence/r-1.tar.gz").read_bytes() == archive(b"u1")


def test_where_each_file_is_is_said_after_the_table_or_alone(two: FakeApi, cli: Cli) -> None:
    files = [
        "out/report.html  the report: open it in a browser, it needs no network",
        "out/results.json  records of 2 trials",
        "out/results.csv  the same, one row a trial",
        "out/agents.csv  rates, intervals and sums of each agent",
        "out/pairs.csv  paired differences of each two agents",
        "out/tasks.csv  item statistics of each task",
        "out/analysis.json  all that was computed, with what is undefined and why",
        "out/plan.json  what the run set out to observe",
        "out/evidence  logs, patches and reports, one archive a trial",
    ]
    assert cli("results", "r", "--out", "out").stdout.splitlines()[-9:] == files
    assert cli("results", "r", "--out", "out", "--quiet").stdout.splitlines() == files
    alone = cli("results", "r", "--out", "out", "--quiet", "--no-evidence")
    assert alone.stdout.splitlines() == files[:8]


def test_csv_and_page_are_of_the_same_records(two: FakeApi, cli: Cli) -> None:
    cli("results", "r", "--out", "out")
    with Path("out/results.csv").open(newline="", encoding="utf-8") as file:
        assert [r["trial"] for r in csv.DictReader(file)] == ["r-0", "r-1"]
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert 'href="evidence/r-0.tar.gz"' in page
    assert [c.path for c in two.called("GET", "/proxy/runs/")] == [
        f"/api/v1/namespaces/default/services/http:benchwright-results:http/proxy/runs/default/r/{name}"
        for name in ("results.json", "plan.json")
    ]


def test_evidence_can_be_left_out(two: FakeApi, cli: Cli) -> None:
    cli("results", "r", "--no-evidence")
    assert list(Path("r-results/evidence").iterdir()) == []


def test_the_same_run_again_replaces_its_files(two: FakeApi, cli: Cli) -> None:
    cli("results", "r")
    assert cli("results", "r").exit_code == 0


def test_results_of_another_run_are_not_mixed_in(two: FakeApi, cli: Cli) -> None:
    cli("results", "r", "--out", "out")
    serve(
        two,
        row("r-9", trial_uid="u0", run_uid="uid-new"),
        row("r-8", trial_uid="u1", run_uid="uid-new"),
    )
    refused = cli("results", "r", "--out", "out")
    assert refused.exit_code == 1
    assert (
        "out holds the results of another run (r, UID uid-r): choose another --out"
        in refused.stderr
    )
    assert json.loads(Path("out/results.json").read_bytes())[0]["trial"] == "r-0"

    assert cli("results", "r", "--out", "out", "--replace").exit_code == 0
    assert sorted(p.name for p in Path("out/evidence").iterdir()) == ["r-8.tar.gz", "r-9.tar.gz"]


def test_a_foreign_results_json_is_never_overwritten(two: FakeApi, cli: Cli) -> None:
    Path("out").mkdir()
    Path("out/results.json").write_text('{"mine": 1}')
    result = cli("results", "r", "--out", "out", "--replace")
    assert result.exit_code == 1
    assert "out/results.json is not by this program: choose another --out" in result.stderr


def test_a_run_that_goes_on_gives_what_there_is_with_a_warning(api: FakeApi, cli: Cli) -> None:
    api.put("benchmarkruns", "r", running_run("r", 5))
    serve(api, row())
    result = cli("results", "r", "--no-evidence")
    assert result.exit_code == 0
    assert result.stderr == "Warning: run r is not complete: these are the results so far\n"


def test_a_deleted_run_still_has_its_results(two: FakeApi, cli: Cli) -> None:
    del two.objects["benchmarkruns", "default", "r"]
    assert cli("results", "r").exit_code == 0
    assert two.called("GET", "results.json")[0].query == {}


def test_runs_of_one_name_are_told_apart(two: FakeApi, cli: Cli) -> None:
    del two.objects["benchmarkruns", "default", "r"]
    serve(two, row("r-0", run_uid="one"), row("r-1", run_uid="two"))
    result = cli("results", "r")
    assert result.exit_code == 1
    assert "choose one with --uid: one, two" in result.stderr
    cli("results", "r", "--uid", "two")
    assert two.called("GET", "results.json")[-1].query == {"uid": "two"}


def test_fewer_records_than_planned_is_an_error_but_all_is_written(two: FakeApi, cli: Cli) -> None:
    two.put("benchmarkruns", "r", complete_run("r", 3))
    result = cli("results", "r")
    assert result.exit_code == 1
    assert "the run planned 3 trials and there are records of 2" in result.stderr
    assert Path("r-results/report.html").exists()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((404, b"no results of run r in namespace default"),
         "service benchwright-results in namespace default says 404: no results of run r"),
        ((200, b"<html>"), "the results service sent no JSON"),
        ((200, b'{"a": 1}'), "sent something that is no list of records"),
        ((200, b'[{"trial": "../../etc"}]'), "sent something that is no list of records"),
    ],
)  # fmt: skip
def test_what_the_service_says_is_passed_on(
    two: FakeApi, cli: Cli, answer: tuple[int, bytes], said: str
) -> None:
    two.service["/runs/default/r/results.json"] = answer
    result = cli("results", "r")
    assert result.exit_code == 1
    assert said in result.stderr
    assert not Path("r-results").exists()


def test_a_trials_name_cannot_lead_out_of_the_folder(two: FakeApi, cli: Cli) -> None:
    serve(two, row("../evil", trial_uid="u0"))
    assert cli("results", "r").exit_code == 1
    assert list(Path.cwd().parent.rglob("evil*")) == []


def test_evidence_that_is_missing_is_an_error(two: FakeApi, cli: Cli) -> None:
    two.service["/trials/u1/evidence.tar.gz"] = (404, b"no evidence of such a trial")
    result = cli("results", "r")
    assert result.exit_code == 1
    assert "the evidence of 1 trial is missing: r-1: " in result.stderr
    assert Path("r-results/evidence/r-0.tar.gz").exists()


@pytest.mark.parametrize(
    "damaged",
    [archive(b"x" * 5000)[:60], b"", b"no archive", gzip.compress(b"x" * 700)],
    ids=["cut", "empty", "text", "gzip-of-something"],
)
def test_damaged_evidence_is_not_kept(two: FakeApi, cli: Cli, damaged: bytes) -> None:
    two.service["/trials/u1/evidence.tar.gz"] = (200, damaged)
    result = cli("results", "r")
    assert result.exit_code == 1
    assert "the evidence of trial u1 came damaged" in result.stderr
    assert [p.name for p in Path("r-results/evidence").glob("r-1*")] == []


def test_another_service_and_namespace(api: FakeApi, cli: Cli) -> None:
    result = cli("results", "r", "-n", "bench", "--results-service", "other")
    assert result.exit_code == 1
    assert api.called("GET", "/proxy/")[0].path == (
        "/api/v1/namespaces/bench/services/http:other:http/proxy/runs/bench/r/results.json"
    )


def test_evidence_of_one_trial_by_name(two: FakeApi, cli: Cli) -> None:
    two.put("trials", "r-0", {"metadata": {"uid": "u0"}})
    result = cli("evidence", "r-0")
    assert (result.exit_code, result.stdout) == (0, "r-0.tar.gz\n")
    assert Path("r-0.tar.gz").read_bytes() == archive(b"u0")


def test_evidence_of_a_deleted_trial_by_uid(two: FakeApi, cli: Cli) -> None:
    two.service[f"/trials/{TRIAL_UID}/evidence.tar.gz"] = (200, archive())
    assert cli("evidence", TRIAL_UID, "--out", "e.tar.gz").exit_code == 0
    assert Path("e.tar.gz").read_bytes() == archive()


def test_damaged_evidence_leaves_an_older_file_as_it_was(two: FakeApi, cli: Cli) -> None:
    two.put("trials", "r-0", {"metadata": {"uid": "u0"}})
    cli("evidence", "r-0")
    two.service["/trials/u0/evidence.tar.gz"] = (200, archive(b"u0")[:-20])
    assert cli("evidence", "r-0").exit_code == 1
    assert Path("r-0.tar.gz").read_bytes() == archive(b"u0")


def test_an_unknown_trial_says_what_to_do(two: FakeApi, cli: Cli) -> None:
    result = cli("evidence", "nope")
    assert result.exit_code == 1
    assert "there is no Trial 'nope' in namespace default" in result.stderr
    assert "trial_uid in results.json" in result.stderr
