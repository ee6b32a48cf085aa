"""`benchwright calibrate`."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Cli

DATA = Path(__file__).parents[2] / "data"
SWE_BENCH = DATA / "swebench_verified_134x500.csv.gz"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Six agents, five trials each of a good task, a hopeless one and one that the best fail."""
    rows = [
        f"[b]c{agent}[/b],m{agent % 2},{task},{trial},{'success' if trial < solved else 'failure'}"
        for agent in range(6)
        for task, solved in (("good", agent), ("hopeless", 0), ("odd", 5 - agent))
        for trial in range(5)
    ]
    path = tmp_path / "x.csv"
    path.write_text("\n".join(["config,model_family,task,trial,outcome", *rows]) + "\n")
    return path


def test_tasks_to_review_and_the_portfolio(cli: Cli, file: Path) -> None:
    result = cli("calibrate", "--data", file)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Tasks to review" in result.stdout
    assert "solve it independently and audit it" in result.stdout
    assert "better configurations do worse at it" in result.stdout
    assert result.stdout.splitlines()[-5:] == [
        "2 of 3 tasks (67%) have panel averages of 20 to 80 % (target: 70 %); 1 are harder, 0 easier",
        "never solved: 1; always solved: 0",
        "between the best 5 agents 1 tasks decide nothing: all always solve 0 of them, none ever 1",
        "panel: 6 agents, by model family: m0 3, m1 3",
        "to review: 3 of 3 tasks; none is left out for it",
    ]


def test_the_export_says_why_there_is_no_number(cli: Cli, file: Path) -> None:
    assert cli("calibrate", "--data", file, "--json", "out.json").exit_code == 0
    items = json.loads(Path("out.json").read_text())["calibration"]["items"]
    assert [i["task"]["key"] for i in items] == ["good", "hopeless", "odd"]
    assert items[1]["item_rest"] == {
        "undefined": "no-variance",
        "reason": "it or the rest does not vary",
    }
    assert items[1]["floor"] is True


def test_all_tasks_are_shown_where_asked(cli: Cli) -> None:
    shown = cli("calibrate", "--data", SWE_BENCH, "--all").stdout
    assert shown.count("astropy__astropy-") == 22
    assert "263 of 500 tasks (53%) have panel averages of 20 to 80 %" in shown
    assert "never solved: 32; always solved: 0" in shown
    assert "between the best 5 agents 394 tasks decide nothing" in shown


def test_an_unknown_reference_is_an_error(cli: Cli, file: Path) -> None:
    result = cli("calibrate", "--data", file, "--reference", "x")
    assert (result.exit_code, result.stderr) == (1, "Error: there is no agent 'x' in the data\n")


def test_an_export_that_cannot_be_written_is_one_line(cli: Cli, file: Path) -> None:
    result = cli("calibrate", "--data", file, "--json", "no/such/folder.json")
    assert result.exit_code == 1
    assert "no/such/folder.json cannot be written" in result.stderr
