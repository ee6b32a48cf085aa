"""One installation for all end-to-end tests, in a namespace of its own."""

import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import test_agents
from tests.e2e.cluster import ROOT, Cluster, run

PARTS = ("operator", "proxy", "harness")
QUICK = {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 7, "reasoning_tokens": 3}
SLOW = {
    "text": "one two three four five six seven eight",
    "chunks": 8,
    "chunk_delay_seconds": 4,
    "usage": {"input_tokens": 50, "output_tokens": 8},
}
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
AT_WORK = [
    {
        "text": text,
        "tool_calls": [{"name": "bash", "arguments": {"command": command}}],
        "usage": {"input_tokens": 1000 * turn, "output_tokens": 10 * turn},
    }
    for turn, (text, command) in enumerate(
        [
            ("I look.", "cat README.md"),
            ("I mend it.", "echo mended > README.md"),
            ("Done.", SUBMIT),
        ],
        1,
    )
]
VALUES = {
    "images": {name: {"repository": f"benchwright.local/{name}", "tag": "dev"} for name in PARTS},
    "results": {"persistence": {"size": "1Gi"}},
    "proxy": {
        "persistence": {"size": "1Gi"},
        "models": [
            {"name": "quick", "provider": "scripted", "dialogue": "quick.yaml"},
            {"name": "slow", "provider": "scripted", "dialogue": "slow.yaml"},
            {"name": "at-work", "provider": "scripted", "dialogue": "at-work.yaml"},
            *test_agents.MODELS,
        ],
        "prices": [
            {
                "provider": "scripted",
                "model": "quick",
                "effective_from": "2026-01-01",
                "retrieved_at": "2026-01-01",
                "source_url": "https://benchwright.dev/made-up",
                "per_million": {"input": "2", "cache_read": "0.50", "output": "10"},
            }
        ],
        "dialogues": {
            **test_agents.DIALOGUES,
            "at-work.yaml": json.dumps({"name": "at-work", "turns": AT_WORK}),
            "quick.yaml": json.dumps(
                {
                    "name": "quick",
                    "on_exhausted": "repeat_last",
                    "turns": [{"text": "hello", "usage": QUICK}],
                }
            ),
            "slow.yaml": json.dumps(
                {"name": "slow", "on_exhausted": "repeat_last", "turns": [SLOW]}
            ),
        },
    },
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    if "KUBECONFIG" not in os.environ and not (Path.home() / ".kube/config").exists():
        pytest.fail("no cluster: run these with `make e2e`")
    namespace = f"bw-e2e-{uuid.uuid4().hex[:6]}"
    values = tmp_path_factory.mktemp("helm") / "values.json"
    values.write_text(json.dumps(VALUES))
    run(["kubectl", "create", "namespace", namespace], None)
    run(
        [
            "kubectl",
            "label",
            "namespace",
            namespace,
            "pod-security.kubernetes.io/enforce=restricted",
        ],
        None,
    )
    install = ["helm", "upgrade", "--install", "benchwright", str(ROOT / "charts/benchwright")]
    run(
        [
            *install,
            "--namespace",
            namespace,
            "--values",
            str(values),
            "--wait",
            "--timeout",
            "3m",
            "--take-ownership",
        ],
        None,
    )
    yield Cluster(namespace)
    run(["helm", "uninstall", "benchwright", "--namespace", namespace], None)
    run(["kubectl", "delete", "namespace", namespace, "--wait=false"], None)
