"""The group of commands: help, versions, what is imported when."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

from benchwright.cli.main import main
from tests.unit.cli.conftest import Cli
from tests.unit.cli.test_validate import AGENT

NAMES = main.list_commands(click.Context(main))


def test_help_lists_every_command_and_the_exit_codes(cli: Cli) -> None:
    result = cli("--help")
    assert result.exit_code == 0
    assert all(name in result.output for name in NAMES)
    assert (
        "Exit codes: 0 done, 1 a problem was found or the run failed, 2 wrong usage."
        in result.output
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_under_its_own_name(cli: Cli, name: str) -> None:
    result = cli(name, "--help")
    assert result.exit_code == 0
    assert f" {name} " in result.output.splitlines()[0] + " "


def test_an_unknown_command_is_wrong_usage(cli: Cli) -> None:
    assert cli("runn").exit_code == 2


def test_version_names_program_and_api(cli: Cli) -> None:
    assert cli("version").output == "benchwright 0.1.0 (benchwright.dev/v1alpha1)\n"


HEAVY = {
    "aiohttp", "kubernetes", "scipy", "sqlalchemy", "kopf", "pydantic", "ruamel", "jinja2", "rich",
}  # fmt: skip


def imported(args: list[str]) -> set[str]:
    """What a command has imported in a fresh interpreter."""
    code = (
        "import sys\nfrom benchwright.cli.main import main\n"
        f"main({args!r}, standalone_mode=False)\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("command", [[], *([name] for name in NAMES)], ids=["", *NAMES])
def test_help_imports_nothing_heavy(command: list[str]) -> None:
    assert not HEAVY & imported([*command, "--help"])


def test_the_list_of_commands_waits_for_no_event_loop() -> None:
    assert "asyncio" not in imported(["--help"])


def test_validate_speaks_to_nobody_and_draws_nothing(tmp_path: Path) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text(AGENT)
    assert HEAVY & imported(["validate", str(file)]) == {"pydantic", "ruamel"}
