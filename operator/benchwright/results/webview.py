"""The web view on the internal port, below /ui/."""

from aiohttp import web

from benchwright.results import auth
from benchwright.results.listing import Listing
from benchwright.results.reporting import Reports
from benchwright.results.reviews import ReviewStore
from benchwright.results.sessions import TokenSessions
from benchwright.results.shown import StoredEvidence
from benchwright.results.store import Store
from benchwright.results.summaries import RunSummaries
from benchwright.web.app import web_app
from benchwright.web.ports import Backend


def mount(app: web.Application, store: Store, reports: Reports) -> None:
    """Pages under /ui/; / leads there. Call it once keys and clock of `app` are set."""

    def now() -> float:
        return app[auth.CLOCK]()

    backend = Backend(
        lists=Listing(store.engine),
        evidence=StoredEvidence(store),
        reviews=ReviewStore(store.engine),
        sessions=TokenSessions(app[auth.KEYS], now),
        reports=RunSummaries(reports),
        now=now,
    )
    app.router.add_get("/", _to_pages)
    app.router.add_get("/ui", _to_pages)
    app.add_subapp("/ui/", web_app(backend))


async def _to_pages(request: web.Request) -> web.Response:
    """Relative: behind the API server's proxy nobody knows the path in front."""
    raise web.HTTPFound("ui/")
