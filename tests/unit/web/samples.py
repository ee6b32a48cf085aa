"""Trials with all that the web view shows, in a real store: made as the harness and the operator do."""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

from benchwright.api.facts import StageFacts
from benchwright.api.measurements import StageUsage
from benchwright.results.objects import evidence_key
from benchwright.results.store import Store
from tests.unit.core.evidence import cases, coverage, measured, step, unmeasured, worked
from tests.unit.reports.samples import DIGEST, record, usage

Json = dict[str, Any]
OTHER_DIGEST = "sha256:" + "b" * 64
START = datetime(2026, 1, 1, 10, tzinfo=UTC)
RUN = "0b7e6f1c-0000-4000-8000-000000000001"
SHOWN = "trial-uid-0"
"""A trial that has everything: facts, patch, logs, coverage, tests."""
HOSTILE = "trial-uid-hostile"
SCRIPT = "<script>window.hacked = 1</script>"
IMAGE = '"><img src=x onerror="window.hacked = 1">'
TURNED = "\u202egnp.exe\u202c \u2066x\u2069"
WORD = "w" * 10_000
PATCH = """diff --git a/tests/test_core.py b/tests/test_core.py
new file mode 100644
index 0000000..1111111
--- /dev/null
+++ b/tests/test_core.py
@@ -0,0 +1,9 @@
+import pytest
+
+from pkg.a import parse  # the module under test
+
+
+@pytest.mark.parametrize("text, wanted", [("1", 1), ("2", 2)])
+def test_numbers(text: str, wanted: int) -> None:
+    \"\"\"Numbers are read.\"\"\"
+    assert parse(text) == wanted
diff --git a/pkg/a.py b/pkg/a.py
index 1111111..2222222 100644
--- a/pkg/a.py
+++ b/pkg/a.py
@@ -1,3 +1,5 @@ def parse
 def parse(text):
-    return int(text)
+    if not text:
+        raise ValueError("nothing to read")
+    return int(text)
     # the end
"""


def stamp(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", ".000000Z")


def row(uid: str, minute: int, agent: str, task: str, **fields: Any) -> Json:
    """A record of the run that the pages show."""
    start = START + timedelta(minutes=minute)
    base: Json = {
        "trial_uid": uid, "run": "nightly", "run_uid": RUN, "namespace": "bench", "order": minute,
        "trial": f"nightly-{agent}-{task}-{minute}", "started_at": stamp(start),
        "finished_at": stamp(start + timedelta(seconds=40)),
        "evidence": f"/trials/{uid}/evidence.tar.gz",
    }  # fmt: skip
    outcome = fields.pop("outcome", "success")
    return record(agent, task, minute % 3, outcome, **{**base, **fields})


def rows() -> list[Json]:
    """Two agents at three tasks: all outcomes, a cell of zero, one of invalid trials, one missing."""
    stages = {"write": 31.5, "evaluate": 8.0}
    shown: Json = {
        "stage_seconds": stages, "usage_by_stage": {"write": _usage()}, "attempt": 2,
        "coverage": {
            "base_covered": 4, "base_total": 10, "after_covered": 5, "gained_lines": 2,
            "lost_lines": 1,
        },
        "attempts": [_attempt(1, "NodePressure", "the node ran out of memory")],
    }  # fmt: skip
    bad: Json = {
        "reason": "NoCoverageGained",
        "message": "2 added tests pass and cover no new line",
    }
    late: Json = {"reason": "AgentTimeout", "message": "ran past its limit", "would_pass": False}
    lost: Json = {"reason": "NodeLost", "message": "node n-1 is gone"}
    return [
        row(SHOWN, 0, "mini", "pluggy", **shown),
        row("trial-uid-1", 1, "mini", "pluggy", outcome="failure", **bad),
        row("trial-uid-2", 2, "mini", "pluggy", outcome="timeout", **late),
        row("trial-uid-3", 3, "mini", "attrs", outcome="failure", **bad),
        row("trial-uid-4", 4, "mini", "attrs", outcome="invalid", **lost),
        row("trial-uid-5", 5, "other", "attrs", outcome="invalid", **lost),
        row("trial-uid-6", 6, "other", "pluggy", usage=None),
        row("trial-uid-7", 7, "other", "click", task_digest=OTHER_DIGEST),
    ]


def other_runs() -> list[Json]:
    """Other runs: one of the same name, and one in which a task has another digest."""
    later = {"run_uid": "run-2", "trial": "nightly-mini-pluggy-0"}
    third = {"run": "weekly", "run_uid": "run-3", "namespace": "team-b", "trial": "weekly-1"}
    return [
        row("trial-uid-20", 90, "mini", "pluggy", **later),
        row("trial-uid-30", 95, "mini", "pluggy", **third, task_digest=OTHER_DIGEST),
        row("trial-uid-31", 96, "mini", "pluggy", **third, task_digest=OTHER_DIGEST),
    ]


def hostile() -> Json:
    """What an agent, a model and a user may have written where they can."""
    message = f"{SCRIPT} {IMAGE} {TURNED} {WORD}"
    return {
        **row(HOSTILE, 50, "mini", "pluggy", run="hostile", run_uid="run-hostile"),
        "agent": IMAGE, "task": SCRIPT, "trial": f"{SCRIPT}{TURNED}", "reason": SCRIPT,
        "scaffold": SCRIPT, "model": IMAGE, "effort": WORD, "message": message,
        "findings": [{"reason": IMAGE, "message": f"{IMAGE}{WORD}"}],
        "attempts": [_attempt(1, "NodeLost", message)],
    }  # fmt: skip


async def fill(store: Store) -> None:
    """All of it."""
    now = START + timedelta(hours=3)
    for number, each in enumerate([*rows(), *other_runs(), hostile()]):
        await store.put_record(each, now + timedelta(seconds=number))
    await put_baseline(store, now)
    await put_stage(store, SHOWN, 1, "write", _killed(), now, {"logs/agent.log": b"first try\n"})
    await put_stage(store, SHOWN, 2, "write", worked(setup=step("setup")), now, _files())
    await put_stage(
        store, SHOWN, 2, "evaluate", _evaluated(), now,
        {"logs/measure.log": b"3 passed\n", "reports/junit": b"<testsuites/>"},
    )  # fmt: skip
    text = f"{SCRIPT}{IMAGE}\x1b[31mred\x1b[0m {TURNED}\n{WORD}\n".encode() + b"\xff\xfe\0\r\n"
    patch = PATCH.replace("tests/test_core.py", SCRIPT) + f"+{IMAGE}{TURNED}{WORD}\n"
    files = {"logs/agent.log": text * 40, "patch.diff": patch.encode()}
    await put_stage(store, HOSTILE, 1, "write", worked(log_tail=SCRIPT), now, files)
    evil = cases({f"{SCRIPT}{IMAGE}": "failed", "t" * 1000: "passed"})
    facts = measured().model_copy(update={"tests": evil, "coverage": coverage([1], path=SCRIPT)})
    await put_stage(store, HOSTILE, 1, "evaluate", facts, now, {})
    await put_stage(store, "trial-uid-1", 1, "evaluate", unmeasured(), now, {})


async def put_baseline(store: Store, now: datetime) -> None:
    """A good measurement of the untouched base of the tasks with DIGEST."""
    nobody = {"purpose": "baseline", "agent": None, "agent_digest": None}
    base = {**row("trial-uid-base", 0, "mini", "pluggy"), **nobody}
    await store.put_record(base, now)
    await put_stage(store, "trial-uid-base", 1, "evaluate", measured(), now, {})


async def put_stage(
    store: Store, uid: str, attempt: int, stage: str, facts: StageFacts, now: datetime,
    files: dict[str, bytes],
) -> None:  # fmt: skip
    """As the port of trials stores them: files first."""
    for name, data in files.items():
        await store.objects.put(evidence_key(uid, attempt, stage, name), data)
        digest = hashlib.sha256(data).hexdigest()
        await store.put_file(uid, attempt, stage, name, digest, len(data))
    text = facts.model_dump_json(by_alias=True, exclude_none=True)
    await store.put_facts(uid, attempt, stage, text, namespace="bench", trial="t", now=now)


def _files() -> dict[str, bytes]:
    log = "".join(f"line {n}: the agent reads pkg/a.py and writes a test\n" for n in range(2000))
    return {"patch.diff": PATCH.encode(), "logs/agent.log": log.encode(), "logs/setup.log": b""}


def _evaluated() -> StageFacts:
    facts = measured(
        {
            "tests.test_core::test_numbers[1]": "passed",
            "tests.test_core::test_numbers[2]": "passed",
            "tests.test_core::later": "skipped",
            "tests.test_a::two": "failed",
        },
        covered=[1, 2, 3, 6, 7],
    )
    return facts.model_copy(update={"collect_seconds": 0.5})


def _killed() -> StageFacts:
    return StageFacts(runner_finished=False, steps=(step("agent", None, seconds=None),))


def _usage() -> Json:
    return usage().model_dump(mode="json", by_alias=False)


def _attempt(number: int, reason: str, message: str) -> Json:
    spent = StageUsage(requests=1, input_tokens=400, output_tokens=None).model_dump(mode="json")
    return {
        "attempt": number, "reason": reason, "message": message, "cost_usd": 0.0041,
        "finished_at": stamp(START), "usage": spent,
    }  # fmt: skip


assert DIGEST != OTHER_DIGEST
