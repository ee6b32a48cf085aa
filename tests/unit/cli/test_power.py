"""`benchwright power`."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Cli

DATA = Path(__file__).parents[2] / "data"
TERMINAL_BENCH = DATA / "terminal_bench2_terminus2_trials.csv.gz"


def test_from_assumed_variances(cli: Cli) -> None:
    result = cli(
        "power", "--sd-diff", "0.3", "--within-variance", "0.0757", "--tasks", 40, "--trials", 10,
        "--json", "out.json",
    )  # fmt: skip
    assert (result.exit_code, result.stderr) == (0, "")
    assert "285 tasks show a difference of 5.0 points" in result.stdout
    assert "12 trials of each agent at each of 40 tasks" in result.stdout
    found = json.loads(Path("out.json").read_text())["plan"]
    assert found["detectable_over_tasks"]["t"] == pytest.approx(0.136277, abs=1e-5)


def test_from_a_pilot(cli: Cli) -> None:
    result = cli(
        "power", "--data", TERMINAL_BENCH, "--a", "terminus-2/gpt-5", "--b", "terminus-2/grok-4-0709",
        "--tasks", 74, "--trials", 5,
    )  # fmt: skip
    assert (result.exit_code, result.stderr) == (0, "")
    assert "74 tasks are too few: they detect" in result.stdout
    assert "tasks have one trial only and are in no variance of trials" in result.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "give a pilot (--data or --records) or assumed variances"),
        (("--data", TERMINAL_BENCH), "a pilot needs two agents"),
        (
            ("--data", TERMINAL_BENCH, "--sd-diff", 0.3),
            "give a pilot or assumed variances, not both",
        ),
        (("--sd-diff", 0.3, "--alpha", 0.9), "--alpha is below --power"),
        (("--sd-diff", 3), "is not in the range"),
    ],
)
def test_wrong_usage(cli: Cli, args: tuple[object, ...], said: str) -> None:
    result = cli("power", "--tasks", 40, "--trials", 5, *args)
    assert (result.exit_code, said in result.stderr) == (2, True)


def test_a_difference_that_nobody_can_plan_for_is_one_line(cli: Cli) -> None:
    result = cli("power", "--sd-diff", 0.9, "--tasks", 4, "--trials", 5, "--difference", 1e-9)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: it cannot be planned: the difference is too small")
