"""`benchwright pack`: task directories to a ConfigMap and back."""

import base64
import random
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from benchwright.tasks.load import load_directory
from benchwright.tasks.pack import unpack
from tests.unit.cli.conftest import Cli
from tests.unit.cli.test_validate_folders import FROM_MAP, task


def unpacked(path: str) -> dict[str, dict[str, bytes]]:
    manifest = YAML(typ="safe").load(Path(path).read_text())
    return unpack(base64.b64decode(manifest["binaryData"]["tasks.tar.gz"]))


def test_packs_all_task_directories_and_their_files(cli: Cli) -> None:
    task("my tasks/one", **{"evaluation/check.py": "x", "workspace/a/b.txt": "y"})
    task("my tasks/two")
    Path("my tasks/README.md").write_text("not a task")
    result = cli("pack", "my tasks", "-o", "out.yaml")
    assert result.exit_code == 0
    assert "ConfigMap my-tasks-" in result.stdout
    found = unpacked("out.yaml")
    assert sorted(found["one"]) == [
        "evaluation/check.py",
        "prompt.md",
        "task.yaml",
        "workspace/a/b.txt",
    ]
    assert load_directory("two", found["two"]).task.name == "fix"


def test_the_same_files_give_the_same_bytes(cli: Cli) -> None:
    task("one")
    cli("pack", "one", "-o", "a.yaml")
    cli("pack", "one", "-o", "b.yaml")
    assert Path("a.yaml").read_bytes() == Path("b.yaml").read_bytes()
    assert list(unpacked("a.yaml")) == ["one"]


def test_what_is_packed_passes_validate(cli: Cli) -> None:
    task("one")
    cli("pack", "one", "-o", "map.yaml", "--name", "tasks")
    Path("set.yaml").write_text(FROM_MAP)
    result = cli("validate", "--strict", "map.yaml", "set.yaml")
    assert result.exit_code == 0


def test_too_large_says_what_to_do(cli: Cli) -> None:
    folder = task("one")
    (folder / "workspace").mkdir()
    (folder / "workspace/data").write_bytes(random.Random(1).randbytes(1_100_000))
    result = cli("pack", "one", "-o", "out.yaml")
    assert result.exit_code == 1
    assert "a ConfigMap holds 1048576: take the sources out of workspace/" in result.stderr
    assert not Path("out.yaml").exists()


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"prompt.md": ""}, "one/task.yaml:1: Task/fix: stage repair has no prompt"),
        ({"stray": "x"}, "file 'stray' belongs nowhere"),
    ],
)
def test_a_wrong_task_is_not_packed(cli: Cli, files: dict[str, str], said: str) -> None:
    task("all/one", **files)
    result = cli("pack", "all", "-o", "out.yaml")
    assert result.exit_code == 1
    assert said in result.stderr
    assert not Path("out.yaml").exists()


def test_a_folder_without_tasks(cli: Cli) -> None:
    Path("none").mkdir()
    result = cli("pack", "none", "-o", "out.yaml")
    assert result.exit_code == 1
    assert "neither it nor a folder in it holds a task.yaml" in result.stderr


def test_a_name_that_is_none_is_wrong_usage(cli: Cli) -> None:
    task("one")
    assert cli("pack", "one", "-o", "out.yaml", "--name", "A b").exit_code == 2
