"""A task directory → task, what the agent may see, what it may not, digest."""

from typing import Any

import pytest

from benchwright.api.taskset import InlineTask
from benchwright.tasks.errors import TaskError
from benchwright.tasks.load import build, load_directory, load_inline
from tests.builders import a_task

YAML = b"""\
name: mend
kind: repair
image: tasks.example/python:1
criteria:
  - {name: regression, command: "sh $BENCHWRIGHT_EVALUATION/regression.sh"}
"""
FILES = {
    "task.yaml": YAML,
    "prompt.md": b"Mend it.",
    "workspace/pkg/a.py": b"x = 1\n",
    "evaluation/regression.sh": b"exit 0\n",
    "solutions/1/patch.diff": b"+x",
    "mutants/1/patch.diff": b"-x",
}


def refused(files: dict[str, bytes], name: str = "mend") -> TaskError:
    with pytest.raises(TaskError) as caught:
        load_directory(name, files)
    return caught.value


def test_a_directory_is_split_by_who_may_see_what() -> None:
    loaded = load_directory("mend", FILES)
    assert loaded.task.name == "mend"
    assert loaded.prompts == {"repair": "Mend it."}
    assert loaded.starter == {"pkg/a.py": b"x = 1\n"}
    assert loaded.hidden == {"regression.sh": b"exit 0\n"}


def test_solutions_and_mutants_are_for_certification_and_reach_no_pod() -> None:
    loaded = load_directory("mend", FILES)
    for seen in (loaded.starter, loaded.hidden):
        assert not [p for p in seen if "patch.diff" in p]


def test_the_snapshot_on_a_trial_holds_no_prompt() -> None:
    """It is a resource that workspaces' events and logs may quote; the prompt is in the bundle."""
    loaded = load_inline(InlineTask(task=a_task(prompt="do it", prompts={"write": "do it so"})))
    assert loaded.prompts == {"write": "do it so"}
    assert loaded.snapshot.spec.prompt is None
    assert loaded.snapshot.spec.prompts == {}
    assert loaded.snapshot.digest == loaded.digest


def test_the_inline_form_is_the_same_task_as_the_directory() -> None:
    directory = load_directory("mend", FILES)
    files = {path: data.decode() for path, data in FILES.items() if path != "task.yaml"}
    inline = load_inline(InlineTask(task=directory.task, files=files))
    assert inline == directory


# Prompts


@pytest.mark.parametrize(
    ("spec", "files", "expected"),
    [
        ({}, {"prompt.md": b"file"}, "file"),
        ({"prompt": "spec"}, {}, "spec"),
        ({"prompt": "spec"}, {"prompt.md": b"file"}, "file"),
        ({}, {"prompt.md": b"file", "prompts/write.md": b"stage file"}, "stage file"),
        ({"prompts": {"write": "stage spec"}}, {"prompts/write.md": b"stage file"}, "stage spec"),
    ],
    ids=["prompt.md", "spec", "file before spec", "stage file before file", "stage spec first"],
)
def test_where_the_prompt_comes_from(
    spec: dict[str, Any], files: dict[str, bytes], expected: str
) -> None:
    assert build(a_task(**spec), files).prompts == {"write": expected}


def test_each_stage_of_test_running_needs_its_prompt() -> None:
    loaded = build(
        a_task("testRunning"), {"prompts/detect.md": b"find", "prompts/setup.md": b"make"}
    )
    assert loaded.prompts == {"detect": "find", "setup": "make"}
    with pytest.raises(TaskError, match="stage setup has no prompt") as caught:
        build(a_task("testRunning"), {"prompts/detect.md": b"find"})
    assert caught.value.reason == "PromptMissing"


def test_an_empty_prompt_file_is_no_prompt() -> None:
    assert refused({**FILES, "prompt.md": b""}).reason == "PromptMissing"


# Hostile or careless files


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd", "../escape", "workspace/../../escape", "workspace//a", "workspace/./a",
        "evaluation/..", "workspace/a\0b", "..", "", "workspace/",
    ],
)  # fmt: skip
def test_a_path_that_leaves_the_directory_is_refused(path: str) -> None:
    assert refused({**FILES, path: b"x"}).reason == "TaskInvalid"


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("hidden/x", "a task directory has task.yaml, prompt.md, prompts/, workspace/"),
        ("evaluations/x", "did you mean evaluation/? A task directory has"),
        ("Workspace/x", "did you mean workspace/?"),
        ("prompt.txt", "did you mean prompt.md?"),
        ("prompt/repair.md", "did you mean prompts/?"),
        ("evaluation", "did you mean evaluation/?"),
        ("notes.md", "README.md, LICENSE and hidden files may stand beside them"),
        ("docs/README.md", "a task directory has"),
        ("LICENSES/MIT.txt", "a task directory has"),
    ],
)
def test_a_file_that_belongs_nowhere_is_refused_not_ignored(path: str, hint: str) -> None:
    """A misspelt evaluation/ folder would otherwise grade without its hidden files."""
    error = refused({**FILES, path: b"x"})
    assert (error.reason, error.file) == ("TaskInvalid", path)
    assert f"file {path!r} belongs nowhere: " in error.message
    assert hint in error.message


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "LICENSE",
        "LICENSE.txt",
        "LICENSE-MIT",
        ".gitignore",
        ".github/ci.yml",
        ".DS_Store",
    ],
)
def test_what_people_and_tools_put_beside_a_task_is_no_part_of_it(path: str) -> None:
    assert load_directory("mend", {**FILES, path: b"x"}) == load_directory("mend", FILES)


@pytest.mark.parametrize(
    "path", ["workspace/README.md", "workspace/.gitignore", "evaluation/LICENSE"]
)
def test_the_same_names_inside_the_task_are_part_of_it(path: str) -> None:
    one, other = load_directory("mend", {**FILES, path: b"x"}), load_directory("mend", FILES)
    assert one.digest != other.digest


@pytest.mark.parametrize("folder", ["workspace", "evaluation"])
def test_a_name_that_is_both_file_and_folder_is_refused_here_not_a_crash_later(folder: str) -> None:
    error = refused({**FILES, f"{folder}/a": b"", f"{folder}/a/b": b""})
    assert error.reason == "TaskInvalid"


def test_a_directory_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchwright.tasks.layout.MAX_TASK_BYTES", 1000)
    assert "larger than" in refused({**FILES, "workspace/big": b"x" * 1001}).message


def test_without_task_yaml_it_is_no_task() -> None:
    error = refused({"prompt.md": b"x"}, name="folder")
    assert (error.reason, error.where) == ("TaskInvalid", "folder")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "0 YAML documents"),
        (b"name: a\n---\nname: b\n", "2 YAML documents"),
        (b"name: [", "task.yaml:1"),
        (b"- a\n- b\n", "task.yaml:1"),
        (YAML.replace(b"repair", b"mending"), "mend/task.yaml:2: kind"),
        (YAML + b"extra: 1\n", "mend/task.yaml:6: extra"),
        (YAML.replace(b"name: mend", b"name: Mend It"), "mend/task.yaml:1: name"),
        (YAML.replace(b"criteria", b"truth"), "mend/task.yaml"),
        (b"\xff\xfe\x00", "task.yaml"),
    ],
    ids=[
        "empty", "two documents", "broken YAML", "a list", "unknown kind", "unknown field", "bad name",
        "without criteria", "no text",
    ],
)  # fmt: skip
def test_a_wrong_task_yaml_is_named_with_file_and_line(text: bytes, words: str) -> None:
    error = refused({**FILES, "task.yaml": text})
    assert error.reason == "TaskInvalid"
    assert words in str(error)


@pytest.mark.parametrize(
    ("spec", "files", "named"),
    [
        ({}, {"prompt.md": b"x", "prompts/wirte.md": b"y"}, "file 'prompts/wirte.md'"),
        ({}, {"prompt.md": b"x", "prompts/write.txt": b"y"}, "file 'prompts/write.txt'"),
        ({}, {"prompt.md": b"x", "prompts/repair.md": b"y"}, "file 'prompts/repair.md'"),
        ({"prompt": "x", "prompts": {"wirte": "y"}}, {}, "prompts.wirte"),
    ],
    ids=["misspelt file", "another ending", "a stage of another kind", "misspelt in the spec"],
)
def test_a_prompt_of_no_stage_is_refused_rather_than_left_unread(
    spec: dict[str, Any], files: dict[str, bytes], named: str
) -> None:
    with pytest.raises(TaskError) as caught:
        build(a_task(**spec), files)
    assert f"{named} is the prompt of no stage" in caught.value.message
    assert caught.value.file == next((p for p in files if p.startswith("prompts/")), None)
    assert "a task of kind testWriting has write" in caught.value.message
