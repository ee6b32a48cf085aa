"""What credentials look like, and text without them."""

import re
from collections.abc import Iterable

REMOVED = "[removed]"
#: Trial tokens, and keys of providers and forges.
_SECRETS = re.compile(
    r"sk-[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]+)?|AIza[A-Za-z0-9_-]{30,}|gh[pousr]_[A-Za-z0-9]{20,}"
    r"|github_pat_[A-Za-z0-9_]{20,}|AKIA[0-9A-Z]{16}|xox[a-z]-[A-Za-z0-9-]{10,}"
)
_SECRET_BYTES = re.compile(_SECRETS.pattern.encode())


def scrubbed(text: str, known: Iterable[str] = ()) -> str:
    """`text` without the secrets that are `known`, and without what looks like one."""
    for secret in known:
        text = text.replace(secret, REMOVED)
    return _SECRETS.sub(REMOVED, text)


def masked(data: bytes, known: Iterable[str] = ()) -> bytes:
    """Bytes of the same length, so that a Content-Length stays true."""
    for secret in known:
        data = data.replace(secret.encode(), _mask(len(secret)))
    return _SECRET_BYTES.sub(lambda match: _mask(len(match.group())), data)


def _mask(length: int) -> bytes:
    return REMOVED.encode().ljust(length, b"x")[:length]
