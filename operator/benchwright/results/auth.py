"""Who may do what at the results service."""

from collections.abc import Callable, Sequence

from aiohttp import web

from benchwright_proxy.token import Claims, TokenError, verify

KEYS: web.AppKey[Sequence[bytes]] = web.AppKey("keys")
CLOCK: web.AppKey[Callable[[], float]] = web.AppKey("clock")
HEADER = "X-Benchwright-Token"
"""Used by the CLI, whose requests come through the API server: that strips Authorization."""


def claims(request: web.Request, roles: Sequence[str]) -> Claims:
    """Claims of the request's token; 401 or 403 in words."""
    token = request.headers.get(HEADER) or request.headers.get("Authorization", "").removeprefix(
        "Bearer "
    )
    try:
        found = verify(token, request.app[KEYS], audience="results", now=int(request.app[CLOCK]()))
    except TokenError as error:
        raise web.HTTPUnauthorized(text=f"token refused: {error}") from error
    if found.role not in roles:
        raise web.HTTPForbidden(text=f"a token of role {found.role} may not do this")
    return found
