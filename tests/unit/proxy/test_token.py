"""Tokens: a round trip for every claim, and nothing but what was signed is honoured."""

import base64
import hashlib
import hmac
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright_proxy.token import (
    MAX_TOKEN_LENGTH,
    Claims,
    Limits,
    TokenError,
    Verifier,
    parse_key,
    sign,
    verify,
)

from .helpers import KEY, claims

OTHER = b"another-signing-key-long-enough-too"
counts = st.none() | st.integers(0, 2**53 - 1)
texts = st.text(max_size=40)
any_claims = st.builds(
    Claims,
    audience=st.sampled_from(["proxy", "results"]),
    role=st.sampled_from(["workspace", "evaluator", "harness", "operator", "admin", "reviewer"]),
    namespace=texts,
    run=texts,
    trial=texts,
    trial_uid=texts,
    attempt=st.integers(0, 100),
    stage=texts,
    models=st.lists(texts, max_size=4).map(tuple),
    limits=st.builds(
        Limits, requests=counts, input_tokens=counts, output_tokens=counts, total_tokens=counts
    ),
    expires_at=st.integers(1, 2**53 - 1),
)


def reason(token: str, **changes: object) -> str:
    known: dict[str, object] = {"keys": [KEY], "audience": "proxy", "now": 1000, **changes}
    with pytest.raises(TokenError) as caught:
        verify(token, **known)  # type: ignore[arg-type]
    return caught.value.reason


@settings(max_examples=40, deadline=None)
@given(any_claims)
def test_round_trip(given_claims: Claims) -> None:
    token = sign(given_claims, KEY)
    now = given_claims.expires_at - 1
    assert verify(token, [KEY], audience=given_claims.audience, now=now) == given_claims


def test_every_flipped_bit_is_refused() -> None:
    token = sign(claims(), KEY)
    for position in range(len(token)):
        for bit in range(7):
            flipped = chr(ord(token[position]) ^ (1 << bit))
            changed = token[:position] + flipped + token[position + 1 :]
            assert reason(changed) in ("malformed", "bad_signature"), (position, bit)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=300))
def test_no_text_but_a_token_is_one(text: str) -> None:
    assert reason(text) in ("malformed", "bad_signature")
    assert reason("sk-bw-" + text) in ("malformed", "bad_signature")


def signed(payload: bytes) -> str:
    """A well-signed token with any payload."""
    body = "sk-bw-" + base64.urlsafe_b64encode(payload).rstrip(b"=").decode()
    mac = hmac.new(KEY, body.encode(), hashlib.sha256).digest()
    return body + "." + base64.urlsafe_b64encode(mac).rstrip(b"=").decode()


def payload(**changes: object) -> bytes:
    token = sign(claims(), KEY)
    text = token.removeprefix("sk-bw-").partition(".")[0]
    data = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    data.update(changes)
    data = {name: value for name, value in data.items() if value is not ...}
    return json.dumps(data, sort_keys=True, separators=(",", ":")).encode()


def test_the_payload_helper_makes_valid_tokens() -> None:
    assert verify(signed(payload()), [KEY], audience="proxy", now=0) == claims()


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(payload(extra=1), id="unknown field"),
        pytest.param(payload(run=...), id="missing field"),
        pytest.param(payload(v=2), id="newer version"),
        pytest.param(payload(v=...), id="no version"),
        pytest.param(payload(role="root"), id="unknown role"),
        pytest.param(payload(audience="api"), id="unknown audience"),
        pytest.param(payload(attempt=True), id="true is not a number"),
        pytest.param(payload(attempt=-1), id="negative attempt"),
        pytest.param(payload(expires_at=1.5), id="broken second"),
        pytest.param(payload(models="demo"), id="models is not a list"),
        pytest.param(payload(limits={"requests": 1}), id="limits lack fields"),
        pytest.param(payload(limits=None), id="no limits"),
        pytest.param(payload() + b" ", id="not canonical"),
        pytest.param(b"[]", id="not an object"),
        pytest.param(b"[" * 3000, id="nested too deeply"),
        pytest.param(b"\xff\xfe", id="not UTF-8"),
    ],
)
def test_a_signed_payload_of_another_shape_is_malformed(bad: bytes) -> None:
    assert reason(signed(bad)) == "malformed"


def test_expiry_is_exclusive() -> None:
    token = sign(claims(expires_at=1000), KEY)
    assert verify(token, [KEY], audience="proxy", now=999)
    assert reason(token, now=1000) == "expired"


def test_a_token_for_another_audience_is_refused() -> None:
    assert reason(sign(claims(audience="results"), KEY)) == "wrong_audience"


def test_keys_rotate() -> None:
    token = sign(claims(), KEY)
    for keys in ([OTHER, KEY], [KEY, OTHER]):
        assert verify(token, keys, audience="proxy", now=0) == claims()
    assert reason(token, keys=[OTHER]) == "bad_signature"
    assert reason(token, keys=[]) == "bad_signature"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"keys": [OTHER]}, "bad_signature"),
        ({"keys": []}, "bad_signature"),
        ({"now": 1000}, "expired"),
        ({"audience": "results"}, "wrong_audience"),
    ],
    ids=["its key is gone", "no key", "its time is over", "for somebody else"],
)
def test_a_token_that_was_good_once_is_judged_again(
    change: dict[str, object], expected: str
) -> None:
    verifier, token = Verifier(), sign(claims(expires_at=1000), KEY)
    known: dict[str, object] = {"keys": [OTHER, KEY], "audience": "proxy", "now": 999}
    for _ in range(2):
        assert verifier.verify(token, **known) == claims(expires_at=1000)  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(TokenError) as caught:
            verifier.verify(token, **{**known, **change})  # type: ignore[arg-type]
        assert caught.value.reason == expected


def test_what_is_remembered_is_bounded_and_lets_nobody_else_in() -> None:
    verifier = Verifier(size=2)
    for number in range(5):
        token = sign(claims(trial_uid=f"u{number}"), KEY)
        assert verifier.verify(token, [KEY], audience="proxy", now=0).trial_uid == f"u{number}"
        assert len(verifier._known) <= 2
        for wrong in (token[:-1], token + "A", token.swapcase(), token + "\udcff"):
            with pytest.raises(TokenError):
                verifier.verify(wrong, [KEY], audience="proxy", now=0)


def test_size_is_bounded_both_ways() -> None:
    with pytest.raises(ValueError, match="at most"):
        sign(claims(models=["m" * 250] * 40), KEY)
    assert reason("sk-bw-" + "a" * MAX_TOKEN_LENGTH) == "malformed"


def test_claims_that_verify_would_refuse_cannot_be_signed() -> None:
    with pytest.raises(ValueError, match="not one of"):
        sign(claims(role="root"), KEY)
    with pytest.raises(ValueError, match="253"):
        sign(claims(stage="s" * 254), KEY)


def test_errors_never_quote_the_token() -> None:
    token = sign(claims(), OTHER)
    with pytest.raises(TokenError) as caught:
        verify(token, [KEY], audience="proxy", now=0)
    assert token[:20] not in repr(caught.value)


@pytest.mark.parametrize("data", [b"", b"short", b"k" * 31, b"k" * 20 + b" " + b"k" * 20])
def test_weak_keys_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="32"):
        parse_key(data)


def test_white_space_around_a_key_is_not_part_of_it() -> None:
    assert parse_key(b" " + KEY + b"\r\n") == KEY
