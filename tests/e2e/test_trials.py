"""A whole trial of test writing: the numbers agree with what is found by hand."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.e2e.cluster import Cluster, agent, benchmark, task, taskset, wait_for

SOURCE = """\
def sign(number):
    if number > 0:
        return "positive"
    if number < 0:
        return "negative"
    return "zero"


def untested(value):
    total = 0
    for item in value:
        total += item
    return total
"""
TESTS = """\
from src.numbers import sign


def test_sign():
    assert sign(1) == "positive"
"""
FILES = {
    "workspace/src/__init__.py": "",
    "workspace/src/numbers.py": SOURCE,
    "workspace/tests/test_numbers.py": TESTS,
}
ADDED = """\
from src.numbers import sign, untested


def test_negative():
    assert sign(-1) == "negative"


def test_untested():
    assert untested([1, 2]) == 3
"""
COMMAND = """
export PYTHONDONTWRITEBYTECODE=1
python3 -m coverage run --data-file="$BENCHWRIGHT_REPORTS/data" --source src -m pytest -q \\
  -p no:cacheprovider --rootdir=. --junitxml="$BENCHWRIGHT_REPORTS/junit.xml" tests
python3 -m coverage json -q --data-file="$BENCHWRIGHT_REPORTS/data" -o "$BENCHWRIGHT_REPORTS/coverage.json"
"""
MEASUREMENT = {
    "command": COMMAND,
    "coverage": {"path": "coverage.json", "format": "coveragepy-json"},
    "junit": {"path": "junit.xml"},
    "sources": ["src/**"],
    "tests": ["tests/**"],
}
CALL = """
python3 - <<'PY'
import itertools, json, os, urllib.request
hello = [{"role": "user", "content": "hi"}]
CALLS = {"/chat/completions": {"messages": hello}, "/responses": {"input": hello}}
for (path, asked), stream in itertools.product(CALLS.items(), (False, True)):
    body = {"model": "quick", "stream": stream, **asked}
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + path, json.dumps(body).encode(),
        {"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "Content-Type": "application/json"})
    urllib.request.urlopen(request).read()
PY
"""


def test_numbers_agree_with_what_is_found_by_hand(cluster: Cluster, tmp_path: Path) -> None:
    # The writer also edits the source to cheat: that does not cross into the evaluator.
    cheat = "sed -i 's/total = 0/total = 0  # pragma: no cover/' src/numbers.py"
    script = f"cat > tests/test_more.py <<'EOF'\n{ADDED}EOF\n{cheat}\n{CALL}"
    cluster.apply(
        agent("nothing", "true"),
        agent("writer", script, model="quick", dialect="openai"),
        taskset("writing", task("numbers", "testWriting", FILES, measurement=MEASUREMENT)),
        benchmark("writing", "writing", ["nothing", "writer"], trialsPerTask=2),
    )
    cluster.finish("writing")
    rows = {(r["agent"], r["index"]): r for r in cluster.records("writing")}
    assert len(rows) == 4
    for index in (0, 1):
        nothing, writer = rows["nothing", index], rows["writer", index]
        assert (nothing["outcome"], nothing["reason"]) == ("failure", "NoChanges")
        assert nothing["coverage"]["gained_lines"] == 0
        assert nothing["changes"]["files"] == nothing["changes"]["added"] == 0
        assert nothing["usage"]["requests"] == nothing["usage"]["input_tokens"] == 0
        assert (writer["outcome"], writer["reason"]) == ("success", "CoverageGained")
        assert (writer["tests"]["added"], writer["tests"]["passed"], writer["tests"]["failed"]) == (
            2,
            2,
            0,
        )
        assert writer["changes"]["files"] == 2
        assert (writer["changes"]["test_files"], writer["changes"]["other_files"]) == (1, 1)
        assert writer["changes"]["dropped_files"] == 1
        assert writer["seconds"]["harness"] > 0
    trial = cluster.trials("writing")["writer/numbers/0"]
    evidence = cluster.evidence(trial["name"])
    before, after = _by_hand(tmp_path, evidence / "1/write/patch.diff")
    coverage = rows["writer", 0]["coverage"]
    assert coverage["gained_lines"] == len(after - before) > 0
    assert coverage["base_covered"] == len(before)
    assert coverage["after_covered"] == len(after)
    _tokens_agree(cluster, trial["uid"], rows["writer", 0]["usage"])


def _by_hand(folder: Path, patch: Path) -> tuple[set[int], set[int]]:
    """Lines of src/numbers.py covered before, and after the patch's tests, by coverage.py here."""
    for path, text in FILES.items():
        file = folder / path.removeprefix("workspace/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    before = _covered(folder)
    subprocess.run(["git", "apply", "--include=tests/*", str(patch)], cwd=folder, check=True)
    return before, _covered(folder)


def _covered(folder: Path) -> set[int]:
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    run = [
        sys.executable,
        "-m",
        "coverage",
        "run",
        "--source",
        "src",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:asyncio",
        "tests",
    ]
    subprocess.run(run, cwd=folder, env=env, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "coverage", "json", "-q"], cwd=folder, check=True)
    report = json.loads((folder / "coverage.json").read_text())
    shutil.rmtree(folder / ".pytest_cache", ignore_errors=True)
    return set(report["files"]["src/numbers.py"]["executed_lines"])


def _tokens_agree(cluster: Cluster, uid: str, usage: dict[str, int]) -> None:
    """The journal's totals and the scripted model's own log, which is written apart from it."""
    log = cluster.kubectl(
        "exec",
        "deploy/benchwright-proxy",
        "--",
        "sh",
        "-c",
        "cat /data/scripted.jsonl",
    )
    mine = [json.loads(line) for line in log.splitlines() if uid in line]
    claimed = [row.get("usage", row) for row in mine]
    assert len(mine) == usage["requests"] == 4
    assert sum(c["input_tokens"] for c in claimed) == usage["input_tokens"] == 400
    assert sum(c["output_tokens"] for c in claimed) == usage["output_tokens"] == 28
    assert usage["cached_input_tokens"] == 160
    assert usage["reasoning_tokens"] == 12


def test_a_deleted_run_leaves_nothing(cluster: Cluster) -> None:
    cluster.apply(
        agent("sleeps", "sleep 30"),
        taskset("deleted", task("deleted")),
        benchmark("deleted", "deleted", ["sleeps"], trialsPerTask=2),
    )
    wait_for(lambda: len(cluster.all("pods", "benchwright.dev/run=deleted")) == 2, 60)
    cluster.kubectl("delete", "brun", "deleted")
    kinds = "trials,pods,services,secrets,configmaps,networkpolicies"
    wait_for(
        lambda: not cluster.all(kinds, "benchwright.dev/run=deleted"),
        180,
        lambda: cluster.story("deleted"),
    )


def test_suspend_holds_new_trials_back(cluster: Cluster) -> None:
    cluster.apply(
        agent("quick", "true"),
        taskset("suspended", task("suspended")),
        benchmark("suspended", "suspended", ["quick"], suspend=True, trialsPerTask=2),
    )
    wait_for(lambda: "Suspended" in str(cluster.get("brun", "suspended").get("status")), 60)
    assert cluster.trials("suspended") == {}
    assert cluster.get("brun", "suspended")["status"]["counts"]["queued"] == 2
    cluster.apply(benchmark("suspended", "suspended", ["quick"], suspend=False, trialsPerTask=2))
    assert {t["outcome"] for t in cluster.finish("suspended").values()} == {"success"}
