"""Bad input gets an outcome and a reason, or a condition, in words; never a stuck run."""

from functools import partial

from tests.e2e.cluster import Cluster, agent, benchmark, condition, message, task, taskset, wait_for

PYTEST = 'python3 -m pytest -q -p no:cacheprovider --junitxml="$BENCHWRIGHT_REPORTS/junit.xml"'
WRITING = {
    "coverage": {"path": "coverage.json", "format": "coveragepy-json"},
    "junit": {"path": "junit.xml"},
    "sources": ["src/**"],
}


def test_agents_that_misbehave(cluster: Cluster) -> None:
    cluster.apply(
        agent("setup-fails", "true", setup="echo no such tool >&2; exit 9"),
        agent("not-found", "no-such-agent --help"),
        agent("too-slow", "trap '' TERM; while :; do sleep 1; done"),
        agent("loud", "head -c 1073741824 /dev/zero | tr '\\0' x; echo; echo the end"),
        agent("leaves-nothing", "true"),
        taskset("misbehave", task("plain", criteria=[{"name": "wrote", "command": "test -e done"}])),
        benchmark(
            "misbehave", "misbehave", ["setup-fails", "not-found", "too-slow", "loud", "leaves-nothing"],
            limits={"agentSeconds": 40},
        ),
    )  # fmt: skip
    trials = cluster.finish("misbehave")
    ends = {key.split("/")[0]: (t["outcome"], t["reason"]) for key, t in trials.items()}
    assert ends == {
        "setup-fails": ("invalid", "AgentSetupFailed"),
        "not-found": ("failure", "AgentCommandNotFound"),
        "too-slow": ("timeout", "AgentTimeout"),
        "loud": ("failure", "CriteriaFailed"),
        "leaves-nothing": ("failure", "CriteriaFailed"),
    }
    assert "no such tool" in trials["setup-fails/plain/0"]["message"]
    assert trials["too-slow/plain/0"]["measurements"]["wouldPass"] is False
    log = next(
        cluster.evidence(trials["loud/plain/0"]["name"]).glob("1/repair/logs/agent.log")
    ).read_bytes()
    assert len(log) < 2 * 1024 * 1024
    assert log.endswith(b"the end\n")
    counts = cluster.get("brun", "misbehave")["status"]["counts"]
    assert (counts["planned"], counts["failed"], counts["timedOut"], counts["invalid"]) == (
        5,
        3,
        1,
        1,
    )


def test_tasks_that_cannot_be_measured(cluster: Cluster) -> None:
    failing = {
        "workspace/test_it.py": "def test_it():\n    assert False\n",
        "workspace/src/a.py": "x = 1\n",
    }
    passing = {
        "workspace/test_it.py": "def test_it():\n    pass\n",
        "workspace/src/a.py": "x = 1\n",
    }
    covered = (
        'python3 -m coverage run --source src -m pytest -q --junitxml="$BENCHWRIGHT_REPORTS/junit.xml"; '
        'python3 -m coverage json -o "$BENCHWRIGHT_REPORTS/coverage.json"'
    )
    cluster.apply(
        agent("nop", "true"),
        taskset(
            "unmeasurable",
            task("no-image", image="benchwright.local/no-such-image:1"),
            task("no-report", "testWriting", passing, measurement={**WRITING, "command": PYTEST}),
            task("failing-base", "testWriting", failing, measurement={**WRITING, "command": covered}),
        ),
        benchmark(
            "unmeasurable", "unmeasurable", ["nop"],
            failurePolicy={"imagePullGraceSeconds": 5, "maxInfraRetries": 1},
        ),
    )  # fmt: skip
    trials = cluster.finish("unmeasurable")
    ends = {key.split("/")[1]: (t["outcome"], t["reason"]) for key, t in trials.items()}
    assert ends == {
        "no-image": ("invalid", "ImagePull"),
        "no-report": ("invalid", "BaselineNoReport"),
        "failing-base": ("invalid", "BaselineTestsFail"),
    }
    assert "no-such-image" in trials["nop/no-image/0"]["message"]
    assert "coverage.json" in trials["nop/no-report/0"]["message"]
    assert "test_it" in trials["nop/failing-base/0"]["message"]
    # No agent was started at a task that cannot be judged.
    assert all(trials[f"nop/{t}/0"]["attempt"] == 0 for t in ("no-report", "failing-base"))


def test_a_run_that_names_what_is_not_there(cluster: Cluster) -> None:
    cluster.apply(
        agent("unknown-model", "true", model="no-such-model", dialect="openai"),
        agent("here", "true"),
        taskset("here", task("plain")),
        benchmark("no-agent", "here", ["not-there"]),
        benchmark("no-tasks", "not-there", ["here"]),
        benchmark("no-model", "here", ["unknown-model"]),
        benchmark("no-match", "here", ["here"], selector={"names": ["nothing-*"]}),
    )
    expected = {
        "no-agent": ("AgentNotFound", "not-there"),
        "no-tasks": ("TaskSetNotFound", "not-there"),
        "no-model": ("ModelUnknown", "quick, slow"),
        "no-match": ("SelectorMatchesNothing", "plain"),
    }
    for name, (reason, words) in expected.items():
        wait_for(partial(_says, cluster, name, reason), 60)
        assert words in message(cluster.get("brun", name), "Resolved")
    # What was missing may come later: the run goes on by itself.
    cluster.apply(agent("not-there", "true"))
    assert cluster.finish("no-agent")["not-there/plain/0"]["outcome"] == "success"


def test_an_archive_that_is_not_there(cluster: Cluster) -> None:
    cluster.apply(
        taskset("no-archive", task("archived", source={"archive": {"sha256": "0" * 64}})),
        agent("here", "true"),
        benchmark("no-archive", "no-archive", ["here"]),
    )
    wait_for(lambda: condition(cluster.get("taskset", "no-archive"), "Resolved") == "False", 60)
    said = message(cluster.get("taskset", "no-archive"), "Resolved")
    assert said.startswith("ArchiveMissing")
    assert "benchwright push" in said
    wait_for(partial(_says, cluster, "no-archive", "TaskSetUnresolved"), 60)
    assert "benchwright push" in message(cluster.get("brun", "no-archive"), "Resolved")


def _says(cluster: Cluster, run: str, reason: str) -> bool:
    raw = cluster.get("brun", run)
    return condition(raw, "Resolved") == "False" and message(raw, "Resolved").startswith(reason)
