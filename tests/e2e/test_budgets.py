"""A run's budget on the real cluster: it stops trials, says so, and goes on when it is raised."""

import json

import pytest

from tests.e2e.cluster import Cluster, agent, benchmark, condition, message, task, taskset, wait_for

#: Four calls: of 100 input tokens, 40 of them cached, and 7 of output each.
CALLS = """
python3 - <<'PY'
import json, os, urllib.request
body = json.dumps({"model": "quick", "max_tokens": 50, "messages": [{"role": "user", "content": "hi"}]})
for _ in range(4):
    urllib.request.urlopen(urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions", body.encode(),
        {"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "Content-Type": "application/json"}))
PY
"""
#: By the made-up prices of conftest.py: 60 × $2 + 40 × $0.50 + 7 × $10 for a million.
COST = 4 * (60 * 2 + 40 * 0.5 + 7 * 10) / 1e6


def test_a_spent_budget_stops_a_run_and_raising_it_goes_on(cluster: Cluster) -> None:
    budget = {"run": {"requests": 6, "costUsd": "1"}}
    cluster.apply(
        agent("caller", CALLS, model="quick", dialect="openai"),
        taskset("budgeted", task("budgeted")),
        benchmark(
            "budgeted", "budgeted", ["caller"], trialsPerTask=4, parallelism=1, budget=budget
        ),
    )
    wait_for(
        lambda: (
            condition(cluster.get("brun", "budgeted"), "BudgetSpent") == "True"
            and cluster.get("brun", "budgeted")["status"]["progress"] == "2/4"
        ),
        120,
        lambda: cluster.story("budgeted"),
    )
    run = cluster.get("brun", "budgeted")
    assert "spec.budget.run.requests is 6, 6 are used" in message(run, "BudgetSpent")
    assert run["status"]["budgetUsed"]["requests"] == 6
    assert len(cluster.trials("budgeted")) == 2, "no further trial was started"
    raised = {"spec": {"budget": {"run": {"requests": 60}}}}
    cluster.kubectl("patch", "brun", "budgeted", "--type=merge", "-p", json.dumps(raised))
    trials = cluster.finish("budgeted")
    assert condition(cluster.get("brun", "budgeted"), "BudgetSpent") == "False"
    ends = sorted(
        (t["outcome"], t["reason"], t["usage"]["total"]["requests"]) for t in trials.values()
    )
    assert ends == [("invalid", "RunBudgetSpent", 2), *[("success", "CriteriaPassed", 4)] * 3]
    rows = cluster.records("budgeted")
    costs = [row["usage"]["cost_usd"] for row in rows if row["outcome"] == "success"]
    assert costs == pytest.approx([COST] * 3)
    assert all(row["prices"].startswith("built-in+values ") for row in rows)


def test_money_is_refused_for_a_model_without_a_price(cluster: Cluster) -> None:
    cluster.apply(
        agent("unpriced", CALLS, model="slow", dialect="openai"),
        taskset("unpriced", task("unpriced")),
        benchmark("unpriced", "unpriced", ["unpriced"], budget={"trial": {"costUsd": "0.5"}}),
    )
    wait_for(
        lambda: condition(cluster.get("brun", "unpriced"), "Resolved") == "False",
        60,
        lambda: cluster.story("unpriced"),
    )
    said = message(cluster.get("brun", "unpriced"), "Resolved")
    assert said.startswith("ModelUnpriced: Agent unpriced")
    assert "'slow'" in said
