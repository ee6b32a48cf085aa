"""`benchwright report`: a folder from a run, from records, or from a table."""

import gzip
import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Cli
from tests.unit.cli.fake_api import FakeApi
from tests.unit.cli.test_results import two  # noqa: F401  a fixture
from tests.unit.reports.samples import record

TABLE = (
    "config,model_family,task,trial,outcome,cost_usd,tokens_in,tokens_out,seconds\n"
    "a,f,t1,1,success,0.5,10,1,2.5\n"
    "a,f,t2,1,failure,0.25,10,1,2.5\n"
    "b,,t1,1,timeout,,,,\n"
    "b,,t2,1,invalid,,,,\n"
)
FILES = [
    "agents.csv", "analysis.json", "pairs.csv", "report.html", "results.csv", "results.json", "tasks.csv",
]  # fmt: skip


@pytest.fixture
def table(cli: Cli) -> Path:
    path = Path("trials.csv.gz")
    path.write_bytes(gzip.compress(TABLE.encode()))
    return path


def names(folder: str) -> list[str]:
    return sorted(p.name for p in Path(folder).iterdir())


def test_of_a_table(cli: Cli, table: Path) -> None:
    result = cli("report", "--data", table, "--out", "out", "--title", "Two <agents>")
    assert (result.exit_code, result.stderr) == (0, "")
    assert names("out") == FILES
    assert result.stdout.splitlines()[0].startswith("out/report.html  the report")
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "<title>Benchwright: Two &lt;agents&gt;</title>" in page
    assert Path("out/results.csv").read_text().replace("\r", "") == TABLE
    trials = json.loads(Path("out/results.json").read_text())
    assert (trials[0]["cost_usd"], trials[2]["cost_usd"]) == ("0.5", None)


def test_its_totals_are_all_trials(cli: Cli, table: Path) -> None:
    cli("report", "--data", table, "--out", "out")
    found = json.loads(Path("out/analysis.json").read_text())
    assert found["totals"] == {
        "success": 1, "failure": 1, "timeout": 1, "invalid": 1, "missing": 0,
    }  # fmt: skip
    (a, b) = found["agents"]
    assert (a["rate"], b["rate"]["undefined"]) == (0.5, "no-trials")


def test_what_was_planned_of_a_table_can_be_told(cli: Cli, table: Path) -> None:
    cli("report", "--data", table, "--out", "out", "--planned", "3")
    found = json.loads(Path("out/analysis.json").read_text())
    assert sum(found["totals"].values()) == 3 * 2 * len(
        {r.split(",")[2] for r in TABLE.split()[1:]}
    )
    assert "trials planned" in Path("out/report.html").read_text(encoding="utf-8")
    refused = cli("report", "r", "--out", "other", "--planned", "3")
    assert (refused.exit_code, "--planned is for --data" in refused.stderr) == (2, True)


def test_a_public_report_says_nothing_of_a_private_task(cli: Cli) -> None:
    rows = [
        {**record("a", task, index=i, split=split), "trial_uid": f"u{task}{i}"}
        for task, split in (("secret", "private"), ("open", "public"))
        for i in range(2)
    ]
    Path("results.json").write_text(json.dumps(rows))
    assert cli("report", "--records", "results.json", "--out", "out", "--public").exit_code == 0
    for path in Path("out").iterdir():
        assert "secret" not in path.read_text(encoding="utf-8"), path


def test_of_records(cli: Cli) -> None:
    rows = [{**record("a", index=i), "trial_uid": "u"} for i in range(2)]
    Path("results.json").write_text(json.dumps(rows))
    result = cli("report", "--records", "results.json", "--out", "out")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(Path("out/results.json").read_text()) == rows
    assert "<h1>demo</h1>" in Path("out/report.html").read_text(encoding="utf-8")


def test_of_a_run_in_the_cluster(two: FakeApi, cli: Cli) -> None:  # noqa: F811
    result = cli("report", "r", "--out", "out")
    assert (result.exit_code, result.stderr) == (0, "")
    assert names("out") == FILES


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("r", "--data", "trials.csv.gz"),
        ("--data", "trials.csv.gz", "--records", "trials.csv.gz"),
    ],
)
def test_exactly_one_source(cli: Cli, table: Path, args: tuple[str, ...]) -> None:
    result = cli("report", *args, "--out", "out")
    assert result.exit_code == 2
    assert "give one of RUN, --data FILE and --records FILE" in result.stderr


def test_an_earlier_report_is_replaced_only_when_asked(cli: Cli, table: Path) -> None:
    cli("report", "--data", table, "--out", "out")
    again = cli("report", "--data", table, "--out", "out")
    assert again.exit_code == 1
    assert "out holds a report already: choose another --out, or --replace it" in again.stderr
    assert cli("report", "--data", table, "--out", "out", "--replace").exit_code == 0


def test_no_trial_and_no_record_is_one_line(cli: Cli) -> None:
    Path("results.json").write_text("[]")
    result = cli("report", "--records", "results.json", "--out", "out")
    assert (result.exit_code, result.stderr) == (1, "Error: there is no trial in results.json\n")
    assert not Path("out").exists()
