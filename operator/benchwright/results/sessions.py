"""Who may review in a browser: a token in a cookie, and keys for forms that go with it."""

import hmac
from collections.abc import Callable, Sequence

from benchwright_proxy.token import Claims, verify


class TokenSessions:
    """Nothing is stored: a token says all, and a form's key is made of the token."""

    def __init__(self, keys: Sequence[bytes], now: Callable[[], float]):
        self._keys, self._now = keys, now

    def claims(self, token: str) -> Claims:
        """Raises TokenError, also for a token that has expired."""
        return verify(token, self._keys, audience="results", now=int(self._now()))

    def form_key(self, token: str) -> str:
        """Not the token itself: pages are saved and shared."""
        return hmac.new(self._keys[0], b"form\0" + token.encode(), "sha256").hexdigest()
