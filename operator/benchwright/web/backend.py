"""Where handlers find what they work with."""

from aiohttp import web
from markupsafe import Markup

from benchwright.web.colouring import Colourer
from benchwright.web.ports import Backend, Evidence, Lists
from benchwright_proxy.token import Claims

BACKEND: web.AppKey[Backend] = web.AppKey("backend", Backend)
OVERVIEWS: web.AppKey[dict[tuple[str, int, int], Markup]] = web.AppKey("overviews")
CLAIMS: web.RequestKey[Claims] = web.RequestKey("claims", Claims)
"""Of the token in the cookie, where it may review."""
FORM_KEY: web.RequestKey[str] = web.RequestKey("form_key", str)
REFUSED_TOKEN: web.RequestKey[str] = web.RequestKey("refused_token", str)
"""Why the token in the cookie may not."""
COLOURER: web.AppKey[Colourer] = web.AppKey("colourer", Colourer)


def lists(request: web.Request) -> Lists:
    return request.app[BACKEND].lists


def evidence(request: web.Request) -> Evidence:
    return request.app[BACKEND].evidence
