"""Real agents by their presets, in workspace pods, with the proxy and nothing else around them: each
mends a file, and what the journal has is what the model claimed."""

import json
import platform
from typing import Any

import pytest

from tests.e2e.cluster import Cluster, agent, benchmark, task, taskset

BUG = "def mean(values):\n    return sum(values) / (len(values) + 1)\n"
PROMPT = "mean([1, 2, 3]) in mean.py gives 1.5 and not 2.0. Mend it.\n"
CHECK = "python3 -c 'from mean import mean; assert mean([1, 2, 3]) == 2.0'"
OLD, NEW = "(len(values) + 1)", "len(values)"
FILE = "/workspace/repo/mean.py"
REWRITE = (
    "import pathlib; p = pathlib.Path('mean.py'); "
    f"p.write_text(p.read_text().replace(' {OLD}', ' {NEW}'))"
)

Call = tuple[str, dict[str, Any]]
#: Agent → preset, dialect, scaffold, and the call of its own tool that mends the file.
AGENTS: dict[str, tuple[str, str, str, Call]] = {
    # It calls no tool: files are listings in its text.
    "aider": (
        "aider", "openai", "Aider 0.86.2",
        ("", {"text": f"mean.py\n```\n{BUG.replace(OLD, NEW)}```\n"}),
    ),
    "like-claude-code": (
        "claude-code", "anthropic", "a script that calls as Claude Code does",
        ("Bash", {"command": f"sed -i 's/ {OLD}/ {NEW}/' mean.py"}),
    ),
    "codex": (
        "codex", "openai", "Codex CLI 0.171.0",
        ("exec_command", {"cmd": f"sed -i 's/ {OLD}/ {NEW}/' mean.py"}),
    ),
    "opencode": (
        "opencode", "openai", "opencode 1.18.33",
        ("edit", {"filePath": FILE, "oldString": OLD, "newString": NEW}),
    ),
    "opencode-messages": (
        "opencode", "anthropic", "opencode 1.18.33",
        ("edit", {"filePath": FILE, "oldString": OLD, "newString": NEW}),
    ),
    "gemini-cli": (
        "gemini-cli", "gemini", "Gemini CLI 0.61.0",
        (
            "replace",
            {
                "file_path": "mean.py", "instruction": "divide by the number of values",
                "old_string": f"    return sum(values) / {OLD}",
                "new_string": f"    return sum(values) / {NEW}",
            },
        ),
    ),
    "qwen-code": (
        "qwen-code", "openai", "Qwen Code 0.24.4",
        # It takes sed -i for an edit, and wants to have read the file before.
        ("run_shell_command", {"command": f'python3 -B -c "{REWRITE}"', "is_background": False}),
    ),
}  # fmt: skip
#: In place of Claude Code, whose terms could not be read here: the calls that it makes, by the
#: variables of its preset. It counts tokens first, streams, runs its tool and goes on.
LIKE_CLAUDE = """
python3 - <<'PY'
import json, os, subprocess, urllib.request
base, model = os.environ["ANTHROPIC_BASE_URL"], os.environ["ANTHROPIC_MODEL"]
head = {
    "Authorization": "Bearer " + os.environ["ANTHROPIC_AUTH_TOKEN"], "Content-Type": "application/json",
    "anthropic-version": "2023-06-01", "anthropic-beta": "interleaved-thinking-2025-05-14",
    "User-Agent": "like claude-code", "x-stainless-retry-count": "0",
}
tools = [{"name": "Bash", "input_schema": {"type": "object", "properties": {"command": {"type": "string"}}}}]
prompt = open(os.environ["BENCHWRIGHT_PROMPT_FILE"]).read()
said = [{"role": "user", "content": [{"type": "text", "text": prompt}]}]

def ask(path, **more):
    body = {"model": model, "messages": said, "tools": tools, **more}
    request = urllib.request.Request(base + path + "?beta=true", json.dumps(body).encode(), head)
    return urllib.request.urlopen(request)

assert json.load(ask("/v1/messages/count_tokens"))["input_tokens"] > 0
for _ in range(2):
    blocks, ended = [], False
    for line in ask("/v1/messages", stream=True, max_tokens=1000):
        if not line.startswith(b"data: "):
            continue
        event = json.loads(line[6:])
        if event["type"] == "content_block_start":
            blocks.append({**event["content_block"], "json": ""})
        elif event["type"] == "content_block_delta" and event["delta"]["type"] == "text_delta":
            blocks[-1]["text"] += event["delta"]["text"]
        elif event["type"] == "content_block_delta":
            blocks[-1]["json"] += event["delta"]["partial_json"]
        ended |= event["type"] == "message_stop"
    assert ended
    results = []
    for block in blocks:
        text = block.pop("json")
        if block["type"] == "tool_use":
            block["input"] = json.loads(text)
            done = subprocess.run(["sh", "-c", block["input"]["command"]], capture_output=True, text=True)
            results.append({"type": "tool_result", "tool_use_id": block["id"], "content": done.stdout})
    said += [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]
    if not results:
        break
PY
"""
#: Agents that are not what their preset names, and what they run instead.
SCRIPTS = {"like-claude-code": LIKE_CLAUDE}
#: Of the two answers: claimed input, cached and output tokens.
CLAIMED = [(9000, 0, 40), (9100, 9000, 15)]


def dialogue(call: Call) -> str:
    """The agent's tool, then a word at the end."""
    usages = [
        {"input_tokens": given, "cached_input_tokens": cached, "output_tokens": written}
        for given, cached, written in CLAIMED
    ]
    name, arguments = call
    mend = {"text": "I mend it.", "tool_calls": [{"name": name, "arguments": arguments}]}
    if not name:
        mend = {"text": arguments["text"]}
    turns = [{**mend, "usage": usages[0]}, {"text": "It is mended.", "usage": usages[1]}]
    scene = {"name": "mend", "when": {"contains": "mean([1, 2, 3])"}, "turns": turns}
    return json.dumps(
        {"name": name or "text", "conversations": [scene], "on_exhausted": "repeat_last"}
    )


DIALOGUES = {f"{name}.yaml": dialogue(call) for name, (_, _, _, call) in AGENTS.items()}
MODELS = [
    {"name": f"of-{name}", "provider": "scripted", "dialogue": f"{name}.yaml"} for name in AGENTS
]


@pytest.fixture(scope="module")
def applied(cluster: Cluster) -> None:
    """The agents, and the task for them."""
    if platform.machine() != "x86_64":
        pytest.skip("these agents are published for amd64")
    resources = {"cpu": "100m", "memory": "1Gi", "ephemeralStorage": "2Gi"}
    broken = task(
        "mean", files={"workspace/mean.py": BUG}, prompt=PROMPT, resources=resources,
        criteria=[{"name": "mean", "command": CHECK}],
    )  # fmt: skip
    objects = []
    for name, (preset, dialect, scaffold, _) in AGENTS.items():
        own = {"preset": preset, "dialect": dialect, "model": f"of-{name}", "scaffold": scaffold}
        made = agent(f"real-{name}", SCRIPTS.get(name, ""), **own)
        if name not in SCRIPTS:
            del made["spec"]["run"]
            made["spec"]["bundle"] = {"image": f"benchwright.local/agent-{preset}:dev"}
        objects.append(made)
    cluster.apply(*objects, taskset("real", broken))


def ran(cluster: Cluster, run: str, budget: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The record of each agent in a run of all at the task, with all calls kept."""
    agents = [f"real-{name}" for name in AGENTS]
    more = {"parallelism": 2, "evidence": {"calls": "full"}, "budget": budget}
    cluster.apply(benchmark(run, "real", agents, **more))
    cluster.finish(run, 400)
    return {row["agent"].removeprefix("real-"): row for row in cluster.records(run)}


@pytest.fixture(scope="module")
def records(cluster: Cluster, applied: None) -> dict[str, dict[str, Any]]:
    """Of agents that have all that they need."""
    return ran(cluster, "real", {"run": {"requests": 60}})


@pytest.fixture(scope="module")
def stopped(cluster: Cluster, applied: None) -> dict[str, dict[str, Any]]:
    """Of agents whose first call is refused already."""
    return ran(cluster, "spent", {"trial": {"inputTokens": 1}})


def what_it_said(cluster: Cluster, trial: str) -> str:
    """The agent's log and its calls, for whom it failed."""
    logs = (cluster.evidence(trial) / "1/repair/logs").glob("*")
    said = [f"{log.name}:\n{log.read_text(errors='replace')[-3000:]}" for log in logs]
    for line in cluster.cli("calls", trial, "-o", "jsonl").splitlines():
        call = json.loads(line)
        body = json.loads(call["request"])
        heard = body.get("messages") or body.get("input") or body.get("contents")
        said.append(f"{call['status']}: {json.dumps(heard[-1])[:2000]} → {call['response'][:2000]}")
    return "\n".join(said)


@pytest.mark.parametrize("name", AGENTS)
def test_a_real_agent_mends_the_file_and_its_calls_are_counted(
    cluster: Cluster, records: dict[str, dict[str, Any]], name: str
) -> None:
    row = records[name]
    ended = row["outcome"], row["reason"]
    assert ended == ("success", "CriteriaPassed"), what_it_said(cluster, row["trial"])
    usage, tool = row["usage"], AGENTS[name][3][0]
    claimed = CLAIMED if tool else CLAIMED[:1]
    assert (usage["requests"], usage["unknown_usage"], usage["mismatches"]) == (len(claimed), 0, 0)
    assert (usage["input_tokens"], usage["cached_input_tokens"], usage["output_tokens"]) == tuple(
        map(sum, zip(*claimed, strict=True))
    )
    assert (usage["tool_calls"], usage["operations"]) == (bool(tool), len(claimed))
    lines = cluster.cli("calls", row["trial"], "-o", "jsonl").splitlines()
    calls = [json.loads(line) for line in lines]
    assert [(c["input_tokens"], c["cache_read"], c["output_tokens"]) for c in calls] == claimed
    assert all("mean([1, 2, 3])" in c["request"] for c in calls)
    assert "sk-bw-" not in "".join(lines)


def test_the_calls_of_a_trial_are_a_table_and_spans(
    cluster: Cluster, records: dict[str, dict[str, Any]]
) -> None:
    trial = records["codex"]["trial"]
    table = cluster.cli("calls", trial)
    assert "of-codex" in table
    assert "9,100" in table
    spans = [json.loads(line) for line in cluster.cli("calls", trial, "-o", "otel").splitlines()]
    assert [span["gen_ai.usage.input_tokens"] for span in spans] == [9000, 9100]


@pytest.mark.parametrize("name", AGENTS)
def test_a_real_agent_stops_at_once_when_its_budget_is_spent(
    cluster: Cluster, stopped: dict[str, dict[str, Any]], name: str
) -> None:
    row = stopped[name]
    assert (row["outcome"], row["usage"]["requests"]) == ("failure", 0), row
    tries, seconds = row["usage"]["refused"], row["seconds"]["agent"]
    assert 1 <= tries <= 3, f"{tries} tries in {seconds} s\n" + what_it_said(cluster, row["trial"])
