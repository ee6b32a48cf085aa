"""Trial tokens: who calls, for which attempt and stage, with which models and limits, until when.

The operator signs them, the proxy and the results service verify them; nothing is stored, so any
replica can judge a token by itself. The text looks like a provider's key (``sk-…``) because some
agents refuse to send anything else::

    "sk-bw-" + base64url(canonical JSON payload) + "." + base64url(HMAC-SHA256)

Standard library only: ``benchwright`` imports this one module of the proxy.
"""

import base64
import binascii
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from typing import Literal

PREFIX = "sk-bw-"
VERSION = 1
#: Longest token accepted, in characters: a header line of aiohttp holds 8190 bytes.
MAX_TOKEN_LENGTH = 7168
MIN_KEY_LENGTH = 32
AUDIENCES = ("proxy", "results")
ROLES = ("workspace", "evaluator", "harness", "operator", "admin", "reviewer")

Reason = Literal["malformed", "bad_signature", "expired", "wrong_audience"]


class TokenError(Exception):
    """A token that must not be honoured; `reason` says why, the message never quotes it."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


@dataclass(frozen=True, slots=True)
class Limits:
    """Most that one attempt may use over all its stages, or a run over all trials; None is no limit.

    `input_tokens` counts all input, cached or not; `output_tokens` includes reasoning;
    `total_tokens` is the sum of both. `cost_nanos` is money in nano-dollars (10⁻⁹ USD).
    """

    requests: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cost_nanos: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What a token says of its bearer.

    `audience` is one of AUDIENCES, `role` one of ROLES, `trial_uid` the UID of the Trial object,
    `task` the digest of the only task whose parts may be fetched, `models` the only model names that
    may be asked for (none listed: none allowed), `expires_at` unix seconds. `run_uid` is the UID of
    the run; `run_limited` says that it has limits of its own, without which no call is made, and
    `trace` that bodies of calls are kept.
    """

    audience: str
    role: str
    namespace: str
    run: str
    trial: str
    trial_uid: str
    attempt: int
    stage: str
    task: str = ""
    models: tuple[str, ...] = ()
    limits: Limits = Limits()
    run_uid: str = ""
    run_limited: bool = False
    trace: bool = False
    expires_at: int


def sign(claims: Claims, key: bytes) -> str:
    """The token for `claims`. Raises ValueError for claims or keys that `verify` would refuse."""
    payload = _canonical({"v": VERSION, **asdict(claims)})
    if _claims(payload) != claims:
        raise ValueError("claims do not survive a round trip")
    body = PREFIX + _encode(payload)
    token = f"{body}.{_signature(body, key)}"
    if len(token) > MAX_TOKEN_LENGTH:
        raise ValueError(f"token of {len(token)} characters: at most {MAX_TOKEN_LENGTH}")
    return token


def verify(token: str, keys: Sequence[bytes], *, audience: str, now: int) -> Claims:
    """The claims of a token signed with any of `keys`, for `audience`, at unix second `now`.

    Raises TokenError: malformed, bad_signature, expired or wrong_audience. The signature is over
    the text and is compared as text, so that no second spelling of a token is valid, and before
    anything in the payload is looked at.
    """
    if len(token) > MAX_TOKEN_LENGTH or not token.startswith(PREFIX) or not token.isascii():
        raise TokenError("malformed")
    body, dot, signature = token.rpartition(".")
    if not dot:
        raise TokenError("malformed")
    if not _signed(body, signature, keys):
        raise TokenError("bad_signature")
    try:
        claims = _claims(base64.urlsafe_b64decode(_pad(body.removeprefix(PREFIX))))
    except (ValueError, binascii.Error) as error:
        raise TokenError("malformed") from error
    if claims.audience != audience:
        raise TokenError("wrong_audience")
    if now >= claims.expires_at:
        raise TokenError("expired")
    return claims


class Verifier:
    """`verify`, remembering the tokens that it found good: an agent makes thousands of calls with one.

    They are found by a digest under a key that nobody knows, so how long a search takes says nothing
    of how near a guess was.
    """

    def __init__(self, size: int = 4096) -> None:
        self._size = size
        self._secret = secrets.token_bytes(32)
        self._keys: tuple[bytes, ...] = ()
        self._known: dict[bytes, Claims] = {}

    def verify(self, token: str, keys: Sequence[bytes], *, audience: str, now: int) -> Claims:
        """As the function does."""
        if tuple(keys) != self._keys:
            self._known.clear()  # what an old key has signed counts no more
            self._keys = tuple(keys)
        digest = blake2b(token.encode("utf-8", "surrogatepass"), key=self._secret).digest()
        claims = self._known.get(digest)
        if claims is None:
            claims = verify(token, keys, audience=audience, now=now)
            while len(self._known) >= self._size:
                self._known.pop(next(iter(self._known)))
            self._known[digest] = claims
        if claims.audience != audience:
            raise TokenError("wrong_audience")
        if now >= claims.expires_at:
            raise TokenError("expired")
        return claims


def parse_key(data: bytes) -> bytes:
    """The signing key in the content of a key file, for signers and verifiers alike.

    White space around it is not part of it, so that an editor's last newline does no harm. Raises
    ValueError unless it is at least 32 printable ASCII characters.
    """
    key = data.strip()
    if len(key) < MIN_KEY_LENGTH or not key.isascii() or any(byte < 0x21 for byte in key):
        raise ValueError(f"expected a key of at least {MIN_KEY_LENGTH} printable ASCII characters")
    return key


def _signed(body: str, signature: str, keys: Sequence[bytes]) -> bool:
    """Whether any key made the signature. Every key is tried, so time says nothing of which."""
    given, found = signature.encode(), False
    for key in keys:
        found |= hmac.compare_digest(_signature(body, key).encode(), given)
    return found


def _signature(body: str, key: bytes) -> str:
    if not key:
        raise ValueError("an empty key signs nothing")
    return _encode(hmac.digest(key, body.encode(), "sha256"))


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _pad(text: str) -> str:
    return text + "=" * (-len(text) % 4)


def _canonical(payload: Mapping[str, object]) -> bytes:
    return json.dumps(payload, sort_keys=True, separators=(",", ":")).encode()


def _claims(payload: bytes) -> Claims:
    """Claims from a canonical payload. Raises ValueError for anything else."""
    try:
        data: object = json.loads(payload)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(data, dict) or _canonical(data) != payload:
        raise ValueError("not a canonical JSON object")
    if data.pop("v", None) != VERSION:
        raise ValueError("unknown version")
    _exact_fields(data, Claims)
    return Claims(
        audience=_one_of(data["audience"], AUDIENCES),
        role=_one_of(data["role"], ROLES),
        namespace=_text(data["namespace"]),
        run=_text(data["run"]),
        trial=_text(data["trial"]),
        trial_uid=_text(data["trial_uid"]),
        attempt=_count(data["attempt"]),
        stage=_text(data["stage"]),
        task=_text(data["task"]),
        models=_texts(data["models"]),
        limits=_limits(data["limits"]),
        run_uid=_text(data["run_uid"]),
        run_limited=_flag(data["run_limited"]),
        trace=_flag(data["trace"]),
        expires_at=_count(data["expires_at"]),
    )


def _limits(limits: object) -> Limits:
    if not isinstance(limits, dict):
        raise ValueError("limits must be an object")
    _exact_fields(limits, Limits)
    return Limits(**{name: _count_or_none(limits[name]) for name in limits})


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("expected true or false")
    return value


def _exact_fields(data: dict[str, object], shape: type[Claims] | type[Limits]) -> None:
    expected = {field.name for field in fields(shape)}
    if set(data) != expected:
        raise ValueError(f"fields {sorted(set(data) ^ expected)} are unknown or missing")


def _one_of(value: object, allowed: Sequence[str]) -> str:
    text = _text(value)
    if text not in allowed:
        raise ValueError(f"{text!r} is not one of {', '.join(allowed)}")
    return text


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > 253:
        raise ValueError("expected a string of at most 253 characters")
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError("expected a list of strings")
    return tuple(_text(item) for item in value)


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise ValueError("expected a whole number from 0 to 2**53")
    return value


def _count_or_none(value: object) -> int | None:
    return None if value is None else _count(value)
