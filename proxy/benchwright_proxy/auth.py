"""Who asks. A failed check is final: there is no anonymous caller to fall back to."""

from collections.abc import Callable, Mapping, Sequence

from . import headers as header_rules
from .clock import Clock
from .refusal import RefusalError
from .token import PREFIX, Claims, TokenError, Verifier
from .yamlfile import FileError


class Gate:
    """Checks tokens. `keys` gives the keys that count now, so that they can be rotated."""

    def __init__(self, keys: Callable[[], Sequence[bytes]], clock: Clock) -> None:
        self._keys = keys
        self._clock = clock
        self._verifier = Verifier()

    def enter(
        self, headers: Mapping[str, str], roles: frozenset[str], query_key: str | None = None
    ) -> Claims:
        """The claims of a request's token. Raises RefusalError: 401, or 403 for another role."""
        token = header_rules.trial_token(headers, PREFIX, query_key)
        if token is None:
            raise _unauthenticated(
                "no token: send it as a Bearer token, x-api-key, api-key or x-goog-api-key"
            )
        try:
            now = int(self._clock.now())
            claims = self._verifier.verify(token, self._keys(), audience="proxy", now=now)
        except TokenError as error:
            raise _unauthenticated(f"the token is not valid: {error.reason}") from error
        except FileError as error:
            message = "the proxy has no usable signing key"
            raise RefusalError(503, "api_error", message, "unauthenticated", retry=None) from error
        if claims.role not in roles:
            message = f"role {claims.role!r} may not do this"
            raise RefusalError(403, "permission_error", message, "forbidden", retry=False)
        return claims


def _unauthenticated(message: str) -> RefusalError:
    return RefusalError(401, "authentication_error", message, "unauthenticated", retry=False)
