"""`benchwright watch` against a fake API server."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Cli
from tests.unit.cli.fake_api import FakeApi
from tests.unit.cli.states import archive, complete_run, run_object, running_run, trial
from tests.unit.reports.samples import record

RECORDS = "/runs/default/r/results.json"


def serve(api: FakeApi, *records: dict[str, object]) -> None:
    api.service[RECORDS] = (200, json.dumps(records).encode())


def row(name: str = "r-a-fix-0", **fields: object) -> dict[str, object]:
    return {
        **record("a", "fix"),
        "run": "r",
        "run_uid": "uid-r",
        "trial": name,
        "trial_uid": "u",
        **fields,
    }


def active(agent: str = "a") -> dict[str, object]:
    """A trial that has just begun."""
    raw = trial("r", agent, 0, phase="Running")
    raw["status"]["stages"][0]["createdAt"] = datetime.now(UTC).isoformat()  # noqa: TID251
    return raw


def test_a_complete_run_gives_the_table_of_the_results_service(api: FakeApi, cli: Cli) -> None:
    api.put("benchmarkruns", "r", complete_run("r", 1))
    api.put("trials", "r-a-fix-0", trial("r", "a", 0, "success"))
    serve(api, row())
    result = cli("watch", "r")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Results of run r" in result.stdout
    assert "harness seconds a trial: median 3.5, max 3.5" in result.stdout
    (call,) = api.called("GET", "results.json")
    assert call.query == {"uid": "uid-r"}


def test_follows_changes_to_the_end(api: FakeApi, cli: Cli) -> None:
    api.put("benchmarkruns", "r", running_run("r", 1))
    api.put("trials", "r-a-fix-0", active())
    serve(api, row())

    def end() -> None:
        api.put("trials", "r-a-fix-0", trial("r", "a", 0, "failure", reason="NoChanges"))
        api.put("benchmarkruns", "r", complete_run("r", 1))

    api.later(1.2, end)
    result = cli("watch", "r")
    assert result.exit_code == 0
    lines = [line.split("] ")[1] for line in result.stdout.splitlines() if line.startswith("[")]
    assert lines == [
        "0/1 finished; 1 running",
        "✗ r-a-fix-0: failure, NoChanges: 2 added tests pass",
        "1/1 finished: 1 failure",
    ]


def test_out_writes_the_files_after_the_table(api: FakeApi, cli: Cli) -> None:
    api.put("benchmarkruns", "r", complete_run("r", 1))
    api.put("trials", "r-a-fix-0", trial("r", "a", 0, "success"))
    serve(api, row())
    api.service["/trials/u/evidence.tar.gz"] = (200, archive())
    result = cli("watch", "r", "--out", "out")
    assert (result.exit_code, result.stderr) == (0, "")
    report, trials, *_, evidence = result.stdout.splitlines()[-9:]
    assert report.startswith("out/report.html  the report")
    assert trials == "out/results.json  records of 1 trial"
    assert evidence == "out/evidence  logs, patches and reports, one archive a trial"
    assert Path("out/evidence/r-a-fix-0.tar.gz").read_bytes() == archive()
    assert Path("out/results.json").read_bytes() == api.service[RECORDS][1]


def test_a_folder_with_another_runs_results_is_refused_before_the_watch(
    api: FakeApi, cli: Cli
) -> None:
    api.put("benchmarkruns", "r", running_run("r", 1))
    Path("out").mkdir()
    Path("out/results.json").write_text(json.dumps([row(run_uid="another")]))
    result = cli("watch", "r", "--out", "out")
    assert result.exit_code == 1
    assert "holds the results of another run (r, UID another)" in result.stderr
    assert not api.called("GET", "results.json")


def test_replace_alone_is_wrong_usage(cli: Cli) -> None:
    result = cli("watch", "r", "--replace")
    assert (result.exit_code, "--replace needs --out" in result.stderr) == (2, True)


def test_without_the_results_service_out_is_an_error_but_the_table_is_shown(
    api: FakeApi, cli: Cli
) -> None:
    api.put("benchmarkruns", "r", complete_run("r", 1))
    api.put("trials", "r-a-fix-0", trial("r", "a", 0, "success"))
    result = cli("watch", "r", "--out", "out")
    assert result.exit_code == 1
    assert "Results of run r" in result.stdout
    assert (
        "nothing was written to out: service benchwright-results in namespace default says 404"
        in result.stderr
    )
    assert not Path("out").exists()


def test_trials_of_an_earlier_run_of_that_name_are_not_shown(api: FakeApi, cli: Cli) -> None:
    old = trial("r", "a", 0, "invalid")
    old["metadata"]["ownerReferences"] = [{"uid": "another"}]
    api.put("trials", "old", old)
    api.put("trials", "r-a-fix-0", trial("r", "a", 0, "success"))
    api.put("benchmarkruns", "r", complete_run("r", 1))
    serve(api, row())
    result = cli("watch", "r")
    assert result.exit_code == 0
    assert "old" not in result.stdout


def test_an_invalid_trial_is_exit_code_1_with_its_reason(api: FakeApi, cli: Cli) -> None:
    api.put("benchmarkruns", "r", complete_run("r", 1))
    bad = trial("r", "a", 0, "invalid", reason="ImagePull", message="no such image")
    api.put("trials", "r-a-fix-0", bad)
    serve(api, row(outcome="invalid"))
    result = cli("watch", "r")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1] == (
        "Error: 1 of 1 trials are invalid: 1 × ImagePull (such as r-a-fix-0: no such image)"
    )


def test_a_stuck_run_ends_with_what_is_wrong(api: FakeApi, cli: Cli) -> None:
    problem = ("False", "AgentNotFound", "there is no Agent 'x' in namespace default: apply it")
    api.put("benchmarkruns", "r", run_object("r", Resolved=problem))
    result = cli("watch", "r", "--stuck-after", "1")
    assert result.exit_code == 1
    assert "waiting: Resolved is False, AgentNotFound: there is no Agent 'x'" in result.stdout
    assert "run r has been stuck for 1 s: Resolved is False, AgentNotFound:" in result.stderr


def test_a_run_with_an_active_trial_is_not_stuck(api: FakeApi, cli: Cli) -> None:
    api.put("benchmarkruns", "r", running_run("r", 1))
    api.put("trials", "r-a-fix-0", active())
    serve(api, row())

    def end() -> None:
        api.put("trials", "r-a-fix-0", trial("r", "a", 0, "success"))
        api.put("benchmarkruns", "r", complete_run("r", 1))

    api.later(2.5, end)
    assert cli("watch", "r", "--stuck-after", "1").exit_code == 0


def test_a_trial_that_nobody_looks_after_does_not_keep_the_watch_waiting(
    api: FakeApi, cli: Cli
) -> None:
    api.put("benchmarkruns", "r", running_run("r", 1))
    api.put("trials", "r-a-fix-0", trial("r", "a", 0, phase="Running"))
    result = cli("watch", "r", "--stuck-after", "1")
    assert result.exit_code == 1
    assert "trial r-a-fix-0 is at stage write for longer than its limits allow" in result.stderr
    assert result.stdout.count("waiting: ") == 1


def test_fewer_records_than_planned_is_an_error(api: FakeApi, cli: Cli) -> None:
    api.put("benchmarkruns", "r", complete_run("r", 2))
    for index in range(2):
        api.put("trials", f"r-a-fix-{index}", trial("r", "a", index, "success"))
    serve(api, row())
    result = cli("watch", "r")
    assert result.exit_code == 1
    assert "the run planned 2 trials and there are records of 1" in result.stderr


def test_without_the_results_service_the_table_comes_from_the_trials(
    api: FakeApi, cli: Cli
) -> None:
    api.put("benchmarkruns", "r", complete_run("r", 1))
    api.put("trials", "r-a-fix-0", trial("r", "a", 0, "success"))
    api.refuse["GET", "/proxy/"] = (503, "no endpoints available for service")
    result = cli("watch", "r")
    assert result.exit_code == 0
    assert "the results service cannot be reached (no endpoints" in result.stderr
    assert "The table is made from the Trial resources instead" in result.stderr
    assert "✓ 1 success" in result.stdout


@pytest.mark.parametrize(
    ("refuse", "said"),
    [
        (None, "there is no BenchmarkRun 'r' in namespace default: apply it with"),
        (("/benchmarkruns/", 401, "Unauthorized"), "the API server says 401: Unauthorized. Log in"),
        (("/trials", 403, "trials is forbidden"), "says 403: trials is forbidden. Ask for the permission"),
    ],
)  # fmt: skip
def test_what_cannot_be_watched_is_one_line(
    api: FakeApi, cli: Cli, refuse: tuple[str, int, str] | None, said: str
) -> None:
    if refuse:
        api.put("benchmarkruns", "r", running_run("r", 1))
        api.refuse["GET", refuse[0]] = refuse[1:]
    result = cli("watch", "r")
    assert result.exit_code == 1
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_pods_that_may_not_be_listed_are_done_without(api: FakeApi, cli: Cli) -> None:
    api.put("benchmarkruns", "r", complete_run("r", 1))
    api.put("trials", "r-a-fix-0", trial("r", "a", 0, "success"))
    api.refuse["GET", "/pods"] = (403, "pods is forbidden")
    serve(api, row())
    result = cli("watch", "r")
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_pod_that_waits_makes_its_trial_prepare(api: FakeApi, cli: Cli) -> None:
    pod = {"metadata": {"labels": {"benchwright.dev/trial": "t", "benchwright.dev/attempt": "1"}}}
    api.put("pods", "t-1-write", {**pod, "status": {"phase": "Pending"}})
    api.put("trials", "t", active())
    api.put("benchmarkruns", "r", running_run("r", 1))

    def end() -> None:
        api.put("trials", "t", trial("r", "a", 0, "success"))
        api.put("benchmarkruns", "r", complete_run("r", 1))

    serve(api, row("t"))
    api.later(1.5, end)
    assert "0/1 finished; 1 preparing" in cli("watch", "r").stdout


def test_a_run_that_is_replaced_while_watched_ends_the_watch(api: FakeApi, cli: Cli) -> None:
    api.put("benchmarkruns", "r", running_run("r", 1))
    other = running_run("r", 1)
    other["metadata"]["uid"] = "another"
    api.later(1.0, lambda: api.put("benchmarkruns", "r", other))
    result = cli("watch", "r")
    assert result.exit_code == 1
    assert "run r was deleted and made again while it was watched" in result.stderr


def test_a_run_that_is_deleted_while_watched_ends_the_watch(api: FakeApi, cli: Cli) -> None:
    api.put("benchmarkruns", "r", running_run("r", 1))
    api.put("trials", "r-a-fix-0", active())
    api.later(1.0, lambda: api.remove("benchmarkruns", "r"))
    result = cli("watch", "r")
    assert result.exit_code == 1
    assert "there is no BenchmarkRun 'r' in namespace default" in result.stderr


def test_nothing_is_asked_for_while_the_api_server_tells_by_itself(api: FakeApi, cli: Cli) -> None:
    """A few requests at the start, whatever time the run takes; the run is the only one listed."""
    api.put("benchmarkruns", "r", running_run("r", 1))
    api.put("trials", "r-a-fix-0", active())
    serve(api, row())

    def end() -> None:
        api.put("trials", "r-a-fix-0", trial("r", "a", 0, "success"))
        api.put("benchmarkruns", "r", complete_run("r", 1))

    api.later(3.0, end)
    assert cli("watch", "r").exit_code == 0
    calls = api.called("GET", "/benchmarkruns")
    assert [c.query.get("fieldSelector") for c in calls] == [None, *["metadata.name=r"] * 3]
    assert len(api.called("GET", "/trials")) == 3


def test_a_quiet_watch_asks_now_and_then_and_ends_where_nobody_answers(
    api: FakeApi, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchwright.cli.follow._QUIET_SECONDS", 0.2)
    monkeypatch.setattr("benchwright.cli.follow._UNREACHABLE_SECONDS", 2.0)
    api.put("benchmarkruns", "r", running_run("r", 1))
    api.put("trials", "r-a-fix-0", active())

    def refuse() -> None:
        api.refuse["GET", "/benchmarkruns/r"] = (500, "etcd is gone")

    api.later(1.0, refuse)
    result = cli("watch", "r")
    assert result.exit_code == 1
    assert "the API server says 500: etcd is gone" in result.stderr
    answered = len(api.called("GET", "/benchmarkruns/r"))
    assert 3 <= answered <= 7


def test_a_server_that_cannot_be_reached_is_one_line(api: FakeApi, cli: Cli) -> None:
    api.refuse["GET", "/benchmarkruns/"] = (500, "etcd is gone")
    assert "the API server says 500: etcd is gone" in cli("watch", "r").stderr
