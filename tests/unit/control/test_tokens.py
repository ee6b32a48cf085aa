"""Tokens: each says exactly who, for what and until when."""

import pytest

from benchwright.control.tokens import Tokens
from benchwright.resources.pods import stage_pod
from benchwright.resources.settings import PodSettings
from benchwright_proxy.token import Claims, Limits, TokenError, verify
from tests.builders import TrialBuilder, a_trial

KEY = b"k" * 40
NOW = 1_800_000_000
TOKENS = Tokens(KEY, lambda: float(NOW))
MODEL = a_trial().with_agent("model").with_budget(requests=9, total_tokens=1000)


def read(token: str, audience: str, now: int = NOW) -> Claims:
    return verify(token, [KEY], audience=audience, now=now)


def test_the_operators_own_tokens_are_short_lived_and_for_one_service() -> None:
    for audience in ("results", "proxy"):
        claims = read(TOKENS.own(audience), audience)
        assert (claims.role, claims.expires_at) == ("operator", NOW + 300)
    with pytest.raises(TokenError):
        read(TOKENS.own("results"), "proxy")


def test_an_own_token_is_used_again_for_half_of_its_life() -> None:
    """Each of a trial's dozen calls would be signed anew; none must be refused for its age."""
    now = [float(NOW)]
    tokens = Tokens(KEY, lambda: now[0])
    first = tokens.own("results")
    now[0] += 149
    assert tokens.own("results") == first
    now[0] += 1
    assert read(tokens.own("results"), "results").expires_at == NOW + 150 + 300


def test_an_upload_token_is_for_one_stage_of_one_attempt_and_for_no_model() -> None:
    claims = read(TOKENS.upload(a_trial().view(), 2, "write", 100), "results")
    assert (claims.role, claims.trial_uid, claims.attempt, claims.stage) == (
        "harness", "uid-trial", 2, "write",
    )  # fmt: skip
    assert (claims.namespace, claims.run, claims.trial) == ("bench", "run-1", "run-1-script-task-0")
    assert (claims.models, claims.limits) == ((), Limits())


def test_a_model_token_names_the_one_model_and_the_budget_of_the_trial() -> None:
    token = TOKENS.model_calls(MODEL.view(), 1, "write", 100)
    assert token is not None
    claims = read(token, "proxy")
    assert (claims.role, claims.models) == ("workspace", ("demo",))
    assert claims.limits == Limits(requests=9, total_tokens=1000)


@pytest.mark.parametrize("trial", [a_trial().with_agent("nop"), a_trial().baseline()])
def test_who_calls_no_model_gets_no_token(trial: TrialBuilder) -> None:
    assert TOKENS.model_calls(trial.view(), 1, "write", 100) is None


def test_a_pods_tokens_outlive_the_pods_own_deadline() -> None:
    """A harness whose token expires before it can upload loses the evidence."""
    trial = MODEL.view()
    pod = stage_pod(
        trial, 1, "write", PodSettings("h", "10.0.0.1", "10.0.0.2"),
        upload_token="", proxy_token=None,
    )  # fmt: skip
    spec = pod["spec"]
    longest = spec["activeDeadlineSeconds"] + spec["terminationGracePeriodSeconds"]
    steps = trial.spec.limits.setup_seconds + trial.spec.limits.agent_seconds
    for token, audience in (
        (TOKENS.upload(trial, 1, "write", steps), "results"),
        (TOKENS.model_calls(trial, 1, "write", steps), "proxy"),
    ):
        assert token is not None
        assert read(token, audience, now=NOW + longest - 1).attempt == 1
        with pytest.raises(TokenError):
            read(token, audience, now=NOW + steps + 1800)


def test_tokens_of_another_key_are_refused() -> None:
    token = Tokens(b"x" * 40, lambda: float(NOW)).own("results")
    with pytest.raises(TokenError):
        read(token, "results")
