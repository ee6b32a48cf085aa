"""`benchwright validate`: what is wrong, where, and what to do."""

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Cli

HEAD = "apiVersion: benchwright.dev/v1alpha1\n"
AGENT = HEAD + "kind: Agent\nmetadata: {name: nop}\nspec:\n  scaffold: none\n  run: 'true'\n"
RUN = HEAD + "kind: BenchmarkRun\nmetadata: {name: r}\nspec:\n  agents: [nop]\n  taskSet: t\n"
TASKS = HEAD + (
    "kind: TaskSet\n"
    "metadata: {name: t}\n"
    "spec:\n"
    "  source:\n"
    "    inline:\n"
    "      - task:\n"
    "          name: fix\n"
    "          kind: repair\n"
    "          image: python\n"
    "          prompt: mend it\n"
    "          criteria: [{name: works, command: 'true'}]\n"
)


def findings(cli: Cli, text: str, *options: str) -> list[str]:
    """Lines on standard error, without the file's name."""
    Path("f.yaml").write_text(text, encoding="utf-8")
    result = cli("validate", "f.yaml", *options)
    assert result.exit_code in {0, 1}
    return [line.removeprefix("f.yaml:") for line in result.stderr.splitlines()]


def test_good_files_give_one_line(cli: Cli) -> None:
    Path("f.yaml").write_text(f"{AGENT}---\n{RUN}---\n{TASKS}")
    result = cli("validate", "f.yaml")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "3 resources, 0 task directories: no error\n"


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        pytest.param(
            AGENT + "  Env: []\n", "7: Agent/nop: spec.Env: unknown field: write 'env'",
            id="case",
        ),
        pytest.param(
            AGENT + "  scafold: []\n",
            "7: Agent/nop: spec.scafold: unknown field: did you mean 'scaffold'?", id="misspelt",
        ),
        pytest.param(
            RUN + "  trials_per_task: 3\n",
            "7: BenchmarkRun/r: spec.trials_per_task: unknown field: write 'trialsPerTask'",
            id="snake-case-would-be-dropped-by-the-server",
        ),
        pytest.param(
            RUN + "  trialsPerTask: '3'\n",
            "7: BenchmarkRun/r: spec.trialsPerTask: must be a whole number, not '3': without quotes",
            id="text-for-a-number",
        ),
        pytest.param(
            RUN + "  trialsPerTask: 0\n",
            "7: BenchmarkRun/r: spec.trialsPerTask: input should be greater than or equal to 1",
            id="out-of-bounds",
        ),
        pytest.param(
            RUN + "  suspend: yes\n",
            "7: BenchmarkRun/r: spec.suspend: must be true or false, not 'yes': write true or false",
            id="yes-is-text",
        ),
        pytest.param(
            RUN + "  limits:\n",
            "7: BenchmarkRun/r: spec.limits: is empty: give it a value or remove the line",
            id="empty",
        ),
        pytest.param(
            RUN + "  ttlSecondsAfterFinished: null\n",
            "7: BenchmarkRun/r: spec.ttlSecondsAfterFinished: is empty: give it a value or remove the "
            "line",
            id="null-for-an-optional-field",
        ),
        pytest.param(
            RUN + "  network: open\n",
            "7: BenchmarkRun/r: spec.network: 'open' is none of its values: choose 'none'", id="enum",
        ),
        pytest.param(
            RUN.replace("  taskSet: t\n", ""),
            "4: BenchmarkRun/r: spec.taskSet: is missing: add it (Name of the TaskSet)", id="missing",
        ),
        pytest.param(
            AGENT.replace("scaffold: none", "scaffold: 1.0"),
            "5: Agent/nop: spec.scaffold: must be text, not 1.0: put it in quotes", id="number-for-text",
        ),
        pytest.param(
            AGENT.replace("nop", "No_p"),
            "3: Agent/No_p: metadata.name: 'No_p' does not fit: use lower-case letters, digits and '-', "
            "at most 63, with a letter or digit at both ends", id="name",
        ),
        pytest.param(
            AGENT.replace("{name: nop}", "{name: nop, labels: {a: true}}"),
            "3: Agent/nop: metadata.labels.a: must be text, not True: put it in quotes", id="label",
        ),
        pytest.param(
            AGENT + "  dialect: openai\n",
            "7: Agent/nop: spec.dialect: dialect needs a model: set spec.model to a model that the proxy "
            "knows, or dialect: none for an agent that calls no model", id="cel-rule",
        ),
        pytest.param(
            TASKS.replace("          prompt: mend it\n", ""),
            "7: TaskSet/t: spec.source.inline[0]: stage repair has no prompt: write prompts/repair.md, "
            "prompt.md or spec prompt", id="no-prompt",
        ),
        pytest.param(
            TASKS.replace("kind: repair", "kind: testWriting"),
            "7: TaskSet/t: spec.source.inline[0].task: a testWriting task needs measurement.command: the "
            "command that runs the tests with coverage in the evaluator", id="task-rule",
        ),
        pytest.param(
            AGENT.replace("kind: Agent", "kind: Agnt"),
            "2: Agnt/nop: kind: is no kind of benchwright.dev/v1alpha1: choose one of Agent, TaskSet, "
            "BenchmarkRun, Trial", id="kind",
        ),
        pytest.param(
            AGENT.replace("v1alpha1", "v1"),
            "1: Agent/nop: apiVersion: 'benchwright.dev/v1' is none of its values: choose "
            "'benchwright.dev/v1alpha1'", id="version",
        ),
        pytest.param(
            AGENT.replace(HEAD, ""),
            "1: Agent/nop: apiVersion: is missing: write apiVersion: benchwright.dev/v1alpha1",
            id="no-version",
        ),
        pytest.param(
            AGENT + "more: 1\n", "7: Agent/nop: more: unknown field: remove it", id="beside-spec",
        ),
        pytest.param(
            f"{AGENT}---\n{AGENT}", "8: Agent/nop: is defined at f.yaml:1 already: rename one or remove it",
            id="twice",
        ),
        pytest.param(
            f"{AGENT}---\n{TASKS}---\n{RUN}  selector: {{names: [fix, 'o*']}}\n",
            "27: BenchmarkRun/r: spec.selector: no task matches 'o*'; there are: fix", id="selector",
        ),
        pytest.param("a: [1\n", "2: expected ',' or ']', but got '<stream end>'", id="syntax"),
        pytest.param("a: 1\na: 2\n", '2: found duplicate key "a" with value "2" (original value: "1")',
                     id="key-twice"),
        pytest.param("a: &x {b: 1}\nc: *x\n",
                     "1: anchors and aliases are not supported: write it out", id="alias"),
        pytest.param("- a\n", "1: is no mapping of fields: not a manifest", id="list"),
        pytest.param("a: 1\n", "1: has no apiVersion and kind: no manifest", id="any-mapping"),
    ],
)  # fmt: skip
def test_one_problem_gives_one_line(cli: Cli, text: str, finding: str) -> None:
    assert finding in findings(cli, text)
    assert [f for f in findings(cli, text) if " warning: " not in f] == [finding]


def test_too_few_items_are_not_said_because_an_item_is_wrong(cli: Cli) -> None:
    assert len(findings(cli, TASKS.replace("image: python", "image: 1"))) == 1
    assert findings(cli, RUN.replace("[nop]", "[]"))[0] == (
        "5: BenchmarkRun/r: spec.agents: has 0 items, more are needed"
    )


def test_references_to_what_may_be_in_the_cluster_are_warnings(cli: Cli) -> None:
    assert findings(cli, RUN) == [
        "5: warning: BenchmarkRun/r: spec.agents[0]: Agent 'nop' is not in these files: it must be in "
        "the cluster",
        "6: warning: BenchmarkRun/r: spec.taskSet: TaskSet 't' is not in these files: it must be in "
        "the cluster",
    ]


def test_strict_makes_warnings_errors(cli: Cli) -> None:
    Path("f.yaml").write_text(RUN)
    assert cli("validate", "f.yaml").exit_code == 0
    assert cli("validate", "--strict", "f.yaml").exit_code == 1


def test_other_kinds_are_passed_over_with_a_note(cli: Cli) -> None:
    other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n"
    assert findings(cli, f"{AGENT}---\n{other}") == [
        "8: note: ConfigMap/c: other kind, not checked"
    ]


def test_another_group_with_a_kind_of_ours_is_not_ours(cli: Cli) -> None:
    found = findings(cli, AGENT + "---\napiVersion: x.dev/v1\nkind: Agent\nmetadata: {name: a}\n")
    assert found == ["8: note: Agent/a: other kind, not checked"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("f.yaml", b"\xff\xfe", "f.yaml: is not UTF-8 text (byte 0)"),
        (
            "f.yaml",
            b"",
            "f.yaml: there is neither a resource of benchwright.dev nor a task directory",
        ),
        ("f.yaml", b"#" * (5 * 1024 * 1024), "f.yaml: larger than 4194304 bytes: not a manifest"),
        ("f.yaml", b"[" * 50_000, "f.yaml:1: nested deeper than 60"),
        ("other", b"", "f.yaml: there is no such file or folder"),
    ],
    ids=["bytes", "empty", "huge", "deep", "absent"],
)
def test_unreadable_files(cli: Cli, name: str, content: bytes, said: str) -> None:
    Path(name).write_bytes(content)
    result = cli("validate", "f.yaml")
    assert (result.exit_code, result.stderr) == (1, said + "\n")


def test_lines_are_sorted_by_file_and_line(cli: Cli) -> None:
    found = findings(cli, f"{RUN}---\n{AGENT}  x: 1\n---\n{RUN.replace('{name: r}', '{name: s}')}")
    lines = [int(f.split(":")[0]) for f in found]
    assert lines == sorted(lines)
    assert len(lines) == 3
