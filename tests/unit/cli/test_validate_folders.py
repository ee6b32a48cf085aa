"""`benchwright validate` on folders and task directories."""

import base64
from pathlib import Path

import pytest

from benchwright.tasks.pack import pack
from tests.unit.cli.conftest import Cli
from tests.unit.cli.test_validate import AGENT, HEAD

TASK = """\
name: fix
kind: repair
image: python
criteria: [{name: works, command: 'true'}]
"""
FROM_MAP = HEAD + "kind: TaskSet\nmetadata: {name: t}\nspec: {source: {configMap: {name: tasks}}}\n"


def task(folder: str, text: str = TASK, **files: str) -> Path:
    path = Path(folder)
    for name, content in {"task.yaml": text, "prompt.md": "mend it", **files}.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(content)
    return path


def config_map(files: dict[str, bytes]) -> str:
    data = base64.b64encode(pack(files)).decode()
    return (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: tasks}\n"
        f"binaryData:\n  tasks.tar.gz: {data}\n"
    )


def test_a_folder_holds_manifests_and_task_directories(cli: Cli) -> None:
    task("all/tasks/one", **{"workspace/deploy.yaml": "kind: [", "evaluation/t.py": "x"})
    task("all/tasks/two")
    Path("all/agent.yaml").write_text(AGENT)
    Path("all/values.yaml").write_text("a: 1\n")
    result = cli("validate", "all")
    assert (result.exit_code, result.stdout) == (0, "1 resource, 2 task directories: no error\n")
    assert result.stderr == "all/values.yaml:1: note: has no apiVersion and kind: no manifest\n"


@pytest.mark.parametrize("path", ["one", "one/task.yaml"])
def test_a_task_directory_may_be_named_by_its_file(cli: Cli, path: str) -> None:
    task("one")
    result = cli("validate", path)
    assert (result.exit_code, result.stdout) == (0, "0 resources, 1 task directory: no error\n")


@pytest.mark.parametrize(
    ("text", "files", "said"),
    [
        (TASK, {"prompt.md": ""}, "one/task.yaml:1: Task/fix: stage repair has no prompt: write "
         "prompts/repair.md, prompt.md or spec prompt"),
        (TASK, {"hidden/x": "1"}, "one/hidden/x: Task/fix: file 'hidden/x' belongs nowhere: a task "
         "directory has task.yaml, prompt.md, prompts/, workspace/ (the agent sees it), evaluation/ "
         "(hidden), solutions/ and mutants/; README.md, LICENSE and hidden files may stand beside them"),
        (TASK, {"prompts/repiar.md": "1"}, "one/prompts/repiar.md: Task/fix: file 'prompts/repiar.md' is the "
         "prompt of no stage: a task of kind repair has repair"),
        (TASK + "imag: x\n", {}, "one/task.yaml:5: Task/fix: imag: unknown field: did you mean 'image'?"),
        (TASK + "limits: {agentSeconds: 0}\n", {}, "one/task.yaml:5: Task/fix: limits.agentSeconds: input "
         "should be greater than or equal to 1"),
        (TASK.replace("repair", "testRunning"), {}, "one/task.yaml:1: Task/fix: a testRunning task needs "
         "measurement (reports, sources) and truth (the labelled answer)"),
        (TASK + "---\n" + TASK, {}, "one/task.yaml: holds 2 YAML documents instead of one"),
        ("", {}, "one/task.yaml: holds 0 YAML documents instead of one"),
        ("- a\n", {}, "one/task.yaml:1: is no mapping of fields: not a manifest"),
    ],
)  # fmt: skip
def test_a_task_that_is_wrong(cli: Cli, text: str, files: dict[str, str], said: str) -> None:
    task("one", text, **files)
    result = cli("validate", "one")
    assert (result.exit_code, result.stderr) == (1, said + "\n")


def test_hidden_folders_and_papers_beside_a_task_are_passed_over(cli: Cli) -> None:
    folder = task("one", **{"README.md": "how it was made", "LICENSE": "MIT", ".git/config": ""})
    (folder / ".git/link").symlink_to("/etc/passwd")
    assert cli("validate", "one").exit_code == 0


def test_links_in_a_task_directory_are_refused(cli: Cli) -> None:
    (task("one") / "evaluation").mkdir()
    Path("one/evaluation/link").symlink_to("/etc/passwd")
    result = cli("validate", "one")
    assert result.exit_code == 1
    assert result.stderr.startswith("one/evaluation/link: is no plain file")


def test_an_empty_folder_is_no_success(cli: Cli) -> None:
    Path("empty").mkdir()
    result = cli("validate", "empty")
    assert result.exit_code == 1
    assert "holds neither a manifest" in result.stderr


def test_packed_tasks_in_the_same_files_are_checked(cli: Cli) -> None:
    good = {"fix/task.yaml": TASK.encode(), "fix/prompt.md": b"mend it"}
    Path("good.yaml").write_text(f"{FROM_MAP}---\n{config_map(good)}")
    Path("bad.yaml").write_text(f"{FROM_MAP}---\n{config_map({'fix/task.yaml': TASK.encode()})}")
    assert cli("validate", "good.yaml").exit_code == 0
    result = cli("validate", "bad.yaml")
    assert result.exit_code == 1
    assert "bad.yaml:10: ConfigMap/tasks: binaryData.tasks.tar.gz: fix: stage repair has no" in (
        result.stderr
    )


@pytest.mark.parametrize(
    ("config_map", "said"),
    [
        ("binaryData: {other: x}", "is missing: make the ConfigMap with `benchwright pack DIR`"),
        ("binaryData: {tasks.tar.gz: '%%%'}", "binaryData.tasks.tar.gz: "),
        ("binaryData: {tasks.tar.gz: aGVsbG8=}", "archive: not a .tar.gz of task directories"),
    ],
)
def test_a_config_map_that_is_no_pack(cli: Cli, config_map: str, said: str) -> None:
    head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: tasks}\n"
    Path("f.yaml").write_text(f"{FROM_MAP}---\n{head}{config_map}\n")
    result = cli("validate", "f.yaml")
    assert result.exit_code == 1
    assert said in result.stderr


def test_a_config_map_elsewhere_is_a_warning(cli: Cli) -> None:
    Path("f.yaml").write_text(FROM_MAP)
    result = cli("validate", "f.yaml")
    assert result.exit_code == 0
    assert "ConfigMap 'tasks' is not in these files: it must be in the cluster" in result.stderr
