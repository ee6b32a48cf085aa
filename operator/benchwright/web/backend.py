"""Where handlers find what they work with."""

from aiohttp import web
from markupsafe import Markup

from benchwright.web.colouring import Colourer
from benchwright.web.ports import Backend, Evidence, Lists

BACKEND: web.AppKey[Backend] = web.AppKey("backend", Backend)
OVERVIEWS: web.AppKey[dict[tuple[str, int, int], Markup]] = web.AppKey("overviews")
COLOURER: web.AppKey[Colourer] = web.AppKey("colourer", Colourer)


def lists(request: web.Request) -> Lists:
    return request.app[BACKEND].lists


def evidence(request: web.Request) -> Evidence:
    return request.app[BACKEND].evidence
