"""`benchwright compare A B`."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Cli
from tests.unit.reports.samples import record as sample

DATA = Path(__file__).parents[2] / "data"


def record(*args: Any, **fields: Any) -> dict[str, Any]:
    """As the results service gives it."""
    return {**sample(*args, **fields), "run": "r", "run_uid": "u", "trial": "r-0", "trial_uid": "t"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "x.csv"
    rows = [
        f"{config},t{task},{trial},{'success' if trial < solved else 'failure'}"
        for config, good in (("a", (5, 5, 4, 0)), ("b", (5, 1, 0, 0)))
        for task, solved in enumerate(good)
        for trial in range(5)
    ]
    path.write_text("\n".join(["config,task,trial,outcome", *rows]) + "\n")
    return path


def test_difference_verdicts_and_failure_sets(cli: Cli, file: Path) -> None:
    result = cli("compare", "a", "b", "--data", file)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "a - b: +40.0 points of success over 4 tasks that both were measured at."
    assert lines[1].startswith("Inconclusive with other tasks like these (95% interval ")
    assert lines[1].endswith("task-composition sensitivity, not clipped at 100 points).")
    assert lines[2].startswith("a is ahead if the same tasks were run again (95% interval +")
    assert lines[3] == "A close comparison needs 10 valid trials of each task."
    assert lines[4:10] == [
        "Only a always failed: 0",
        "Only b always failed: 1: t2",
        "Both always failed: 1: t3",
        "Intermittent: 1: t1",
        "Both always solved: 1: t0",
        "Failures in common (Jaccard index of the always failed tasks): 0.50",
    ]


def test_what_it_is_of_is_carried(cli: Cli, tmp_path: Path) -> None:
    rows = [
        record(agent, task, network=network)
        for agent in ("x", "y") for task, network in (("t", "none"), ("u", "open"))
    ]  # fmt: skip
    path = tmp_path / "results.json"
    path.write_text(json.dumps(rows))
    lines = cli("compare", "x", "y", "--records", path, "--json", "out.json").stdout.splitlines()
    assert "Protocol: benchwright/1" in lines
    assert "Network: none: workspaces reached the model proxy and nothing else, open" in lines
    assert "First start: 2026-01-01 10:00:00 UTC" in lines
    assert "Prices: ?" in lines
    assert "The trials are of 2 network policies: compare within one of them only." in lines
    found = json.loads(Path("out.json").read_text())
    assert [side["key"] for side in found["agents"]] == ["x", "y"]
    assert found["of"]["networks"] == ["none", "open"]


def test_the_export_has_everything(cli: Cli, file: Path) -> None:
    result = cli("compare", "a", "b", "--data", file, "--json", "out.json")
    assert result.exit_code == 0
    found = json.loads(Path("out.json").read_text())
    assert found["comparison"]["paired"]["diff"] == pytest.approx(0.4)
    assert found["comparison"]["failures"]["only_b_failed"] == ["t2"]
    assert found["comparison"]["mcnemar"] is None


def test_records_of_a_run(cli: Cli, tmp_path: Path) -> None:
    rows = [
        record(agent, task, index, "success" if agent == "x" else "failure")
        for agent in ("x", "y") for task in ("t", "u") for index in range(2)
    ]  # fmt: skip
    path = tmp_path / "results.json"
    path.write_text(json.dumps(rows))
    result = cli("compare", "x", "y", "--records", path)
    assert result.exit_code == 0
    assert "Inconclusive with other tasks like these: no variation was observed" in result.stdout
    assert "Not to be published: a task has 2 valid trials" in result.stdout


def test_one_trial_a_task_has_mcnemars_test(cli: Cli) -> None:
    result = cli(
        "compare",
        "20251205_sonar-foundation-agent_claude-opus-4-5",
        "20250928_trae_doubao_seed_code",
        "--data",
        DATA / "swebench_verified_134x500.csv.gz",
    )
    assert result.exit_code == 0
    assert "McNemar's exact test, one trial a task: p = 0.901." in result.stdout
    assert "Whether it is run noise cannot be said" in result.stdout


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("a", "c", "there is no agent 'c' in the data, which have: a, b"),
        ("a", "a", "a cannot be compared with itself"),
    ],
)
def test_agents_that_cannot_be_compared(cli: Cli, file: Path, a: str, b: str, said: str) -> None:
    result = cli("compare", a, b, "--data", file)
    assert (result.exit_code, said in result.stderr) == (1, True)


def test_a_gzipped_file_is_read(cli: Cli, file: Path, tmp_path: Path) -> None:
    packed = tmp_path / "x.csv.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    one, other = (
        cli("compare", "a", "b", "--data", file),
        cli("compare", "a", "b", "--data", packed),
    )
    assert one.stdout == other.stdout


def test_an_agent_of_two_runs(cli: Cli, tmp_path: Path) -> None:
    for run, outcome in (("old", "failure"), ("new", "success")):
        rows = [
            {**record("x", task, index, outcome), "run": run, "run_uid": f"uid-{run}"}
            for task in ("t", "u") for index in range(5)
        ]  # fmt: skip
        (tmp_path / f"{run}.json").write_text(json.dumps(rows))
    files = ("--records", tmp_path / "old.json", "--records", tmp_path / "new.json")
    result = cli("compare", "new/x", "old/x", *files)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("new/x - old/x: +100.0 points of success over 2 tasks")
