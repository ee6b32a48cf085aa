"""`benchwright run`: check, apply in order, say what the API server refuses."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Cli
from tests.unit.cli.fake_api import FakeApi
from tests.unit.cli.states import complete_run, trial
from tests.unit.cli.test_validate import AGENT, RUN, TASKS

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n"
ALL = "---\n".join([RUN, TASKS, CONFIG_MAP, AGENT])


def write(text: str, name: str = "f.yaml") -> str:
    Path(name).write_text(text)
    return name


def test_applies_everything_in_an_order_that_fits(api: FakeApi, cli: Cli) -> None:
    result = cli("run", "--no-wait", write(ALL))
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "f.yaml: ConfigMap/c created",
        "f.yaml: Agent/nop created",
        "f.yaml: TaskSet/t created",
        "f.yaml: BenchmarkRun/r created",
    ]


def test_uses_server_side_apply(api: FakeApi, cli: Cli) -> None:
    cli("run", "--no-wait", write(f"{AGENT}status: {{observedGeneration: 3}}\n"))
    (call,) = api.called("PATCH")
    assert call.path == "/apis/benchwright.dev/v1alpha1/namespaces/default/agents/nop"
    assert call.headers["Content-Type"] == "application/apply-patch+yaml"
    assert call.query == {"fieldManager": "benchwright", "fieldValidation": "Strict"}
    body = json.loads(call.body)
    assert body["spec"] == {"scaffold": "none", "run": "true"}
    assert "status" not in body


def test_conflicts_are_taken_over_only_where_asked(api: FakeApi, cli: Cli) -> None:
    write(AGENT)
    cli("run", "--no-wait", "--force-conflicts", "f.yaml")
    assert api.called("PATCH")[-1].query["force"] == "true"
    api.refuse["PATCH", "/agents/"] = (409, 'conflict with "kubectl": .spec.run')
    result = cli("run", "--no-wait", "f.yaml")
    assert result.exit_code == 1
    assert "take them over with --force-conflicts" in result.stderr


def test_nothing_is_applied_where_anything_is_wrong(api: FakeApi, cli: Cli) -> None:
    result = cli("run", "--no-wait", write(f"{AGENT}---\n{RUN}  x: 1\n"))
    assert result.exit_code == 1
    assert "f.yaml:14: BenchmarkRun/r: spec.x: unknown field" in result.stderr
    assert "1 error: nothing was applied" in result.stderr
    assert api.calls == []


@pytest.mark.parametrize(
    ("code", "message", "said"),
    [
        (422, 'BenchmarkRun.benchwright.dev "r" is invalid: spec.agents[0]: Invalid value: "x": no good',
         'f.yaml:5: BenchmarkRun/r: the API server refuses it: BenchmarkRun.benchwright.dev "r" is '
         'invalid: spec.agents[0]: Invalid value: "x": no good'),
        (404, "the server could not find the requested resource",
         "f.yaml:1: BenchmarkRun/r: the API server refuses it: the cluster does not know this kind: "
         "install Benchwright (its CRDs) first"),
        (403, "benchmarkruns is forbidden",
         "f.yaml:1: BenchmarkRun/r: the API server refuses it: benchmarkruns is forbidden: ask for the "
         "permission, or choose another --namespace or --context"),
    ],
)  # fmt: skip
def test_refusals_are_said_with_file_and_line(
    api: FakeApi, cli: Cli, code: int, message: str, said: str
) -> None:
    api.refuse["PATCH", "/benchmarkruns/"] = (code, message)
    result = cli("run", "--no-wait", write(RUN))
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1] == f"Error: {said}"


def test_other_kinds_are_looked_up_at_the_server(api: FakeApi, cli: Cli) -> None:
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n"
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
    result = cli(
        "run", "--no-wait", write(f"{AGENT}---\n{CONFIG_MAP}---\n{secret}---\n{namespace}")
    )
    assert [c.path for c in api.called("PATCH")] == ["/api/v1/namespaces/default/configmaps/c"]
    assert "f.yaml:13: Secret/s: the API server refuses it: v1 has no kind Secret" in result.stderr


def test_namespaces_must_agree(api: FakeApi, cli: Cli) -> None:
    write(AGENT.replace("name: nop", "name: nop, namespace: one"))
    assert cli("run", "--no-wait", "f.yaml").exit_code == 0
    assert "/namespaces/one/agents/nop" in api.called("PATCH")[0].path
    result = cli("run", "--no-wait", "-n", "two", "f.yaml")
    assert result.exit_code == 1
    assert "metadata.namespace: is 'one' where --namespace says 'two'" in result.stderr


def test_trials_are_not_for_users_to_make(api: FakeApi, cli: Cli) -> None:
    write("apiVersion: benchwright.dev/v1alpha1\nkind: Trial\nmetadata: {name: x}\nspec: {}\n")
    result = cli("run", "--no-wait", "f.yaml")
    assert result.exit_code == 1
    assert api.called("PATCH") == []


def test_two_runs_cannot_be_watched_at_once(api: FakeApi, cli: Cli) -> None:
    write(f"{RUN}---\n{RUN.replace('{name: r}', '{name: s}')}")
    result = cli("run", "f.yaml")
    assert result.exit_code == 1
    assert "there are 2 BenchmarkRuns (r, s)" in result.stderr
    assert api.called("PATCH") == []
    assert cli("run", "--no-wait", "f.yaml").exit_code == 0


def test_watches_to_the_end(api: FakeApi, cli: Cli) -> None:
    def finish() -> None:
        api.put("trials", "r-nop-fix-0", trial("r", "nop", 0, "success"))
        api.put("benchmarkruns", "r", complete_run("r", 1))

    api.later(1.5, finish)
    result = cli("run", write(ALL))
    assert result.exit_code == 0
    assert "✓ r-nop-fix-0: success, CoverageGained" in result.stdout
    assert "Results of run r" in result.stdout


def test_a_run_that_was_there_is_only_watched_and_that_is_said(api: FakeApi, cli: Cli) -> None:
    cli("run", "--no-wait", write(RUN))
    api.put(
        "benchmarkruns",
        "r",
        {**api.objects["benchmarkruns", "default", "r"], **complete_run("r", 0)},
    )
    api.objects["benchmarkruns", "default", "r"]["spec"] = {"agents": ["nop"], "taskSet": "t"}
    result = cli("run", "f.yaml")
    assert (
        "run r was there already and is only watched: to measure again, delete it" in result.stderr
    )
