"""The web application below /ui/. It knows no path in front of it: every address is relative."""

import logging
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler

from benchwright.web import downloads, pages, reviewing
from benchwright.web.backend import BACKEND, COLOURER, OVERVIEWS
from benchwright.web.colouring import Colourer
from benchwright.web.ports import Backend
from benchwright.web.render import page
from benchwright.web.reviewing import recognise

log = logging.getLogger(__name__)
STATIC = Path(__file__).with_name("static")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Of every answer. Agents wrote much of what is shown: nothing in it may run or reach anybody."""
_WORDS = {
    404: "There is no such page.",
    413: "What was sent is too long.",
    405: "This address cannot be used in this way.",
}


def web_app(backend: Backend) -> web.Application:
    """To be mounted at /ui/."""
    app = web.Application(middlewares=[_errors, recognise], client_max_size=64 * 1024)
    app[BACKEND], app[COLOURER], app[OVERVIEWS] = backend, Colourer(), {}
    for routes in (pages.routes, downloads.routes, reviewing.routes):
        app.add_routes(routes)
    app.router.add_static("/static", STATIC)
    app.on_response_prepare.append(_secure)
    return app


async def _secure(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
    response.headers.setdefault("Cache-Control", "no-cache")


@web.middleware
async def _errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Errors as pages, in words; what nobody foresaw is told to the log alone."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        if error.status < 400:
            raise
        said = error.text if error.text and not error.text.startswith(f"{error.status}:") else None
        text = said or _WORDS.get(error.status, error.reason)
        return page(request, "error.html.j2", error.status, status_code=error.status, message=text)
    except Exception:
        log.exception("%s %s", request.method, request.path)
        text = "The results service could not make this page; its log says why."
        return page(request, "error.html.j2", 500, status_code=500, message=text)
