"""Several proxies: a trial keeps one, and a run with a budget has one for all of its trials."""

from dataclasses import replace
from functools import partial

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.api.run import Spendable
from benchwright.control.services import ProxyClient, ServiceError
from benchwright.control.settings import OperatorSettings
from benchwright.control.tokens import Tokens
from benchwright.core.pinning import pinned
from benchwright.core.trialview import TrialView
from tests.builders import a_trial
from tests.sim.services import KEY, Proxy
from tests.sim.test_run import begin
from tests.sim.world import a_world


@given(key=st.text(), replicas=st.integers(1, 100))
def test_a_key_has_one_proxy(key: str, replicas: int) -> None:
    assert 0 <= pinned(key, replicas) < replicas
    assert pinned(key, replicas) == pinned(key, replicas)


def test_trials_are_spread_over_all() -> None:
    counts = [0] * 4
    for number in range(1000):
        counts[pinned(f"run/trial-{number}", 4)] += 1
    assert min(counts) > 200


@pytest.mark.parametrize("budget", [{}, {"run": {"requests": 90}}], ids=["none", "of the run"])
async def test_each_trial_says_which_proxy_is_its_own(
    monkeypatch: pytest.MonkeyPatch, budget: dict[str, object]
) -> None:
    monkeypatch.setattr(
        "tests.sim.world.OperatorSettings", partial(OperatorSettings, proxy_replicas=3)
    )
    monkeypatch.setattr(OperatorSettings, "proxy_host_of", lambda self, number: self.proxy_host)
    async with a_world(monkeypatch) as world:
        begin(world, trials=2, budget=budget)
        world.start_operator()
        await world.until_complete()
        numbers = {t["spec"]["proxy"] for t in world.trials.values() if t["spec"].get("agent")}
    assert numbers <= {0, 1, 2}
    assert (len(numbers) == 1) is bool(budget)


def at_proxy(number: int) -> TrialView:
    trial = a_trial().view()
    return replace(trial, spec=trial.spec.model_copy(update={"proxy": number}))


async def test_calls_are_asked_of_the_trials_own_proxy() -> None:
    proxies = [Proxy(), Proxy(run={"throttled": {"demo": 7.5}})]
    for proxy in proxies:
        await proxy.start()
    try:
        async with aiohttp.ClientSession() as session:
            urls = [f"http://127.0.0.1:{proxy.port}" for proxy in proxies]
            client = ProxyClient(session, urls, Tokens(KEY, lambda: 0.0))
            for number in (0, 1):
                await client.close(at_proxy(number), 1)
                assert [len(proxy.closed) for proxy in proxies] == [1, number]
            uid = next(str(n) for n in range(99) if pinned(str(n), 2) == 1)
            ledger = await client.run(uid, Spendable(requests=5))
            assert [uid in proxy.limits for proxy in proxies] == [False, True]
            assert ledger.throttled == {"demo": 7.5}
            with pytest.raises(ServiceError, match="calls at proxy 2, and there are 2"):
                await client.close(at_proxy(2), 1)
    finally:
        for proxy in proxies:
            await proxy.stop()
