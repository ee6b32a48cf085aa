"""The port that agents reach: checks the head of a request, and says what becomes of it."""

import logging
from dataclasses import dataclass

from . import routes
from .auth import Gate
from .dialect import Dialect, error_body
from .http1.inbound import Accepted
from .http1.message import Request, Response
from .jsonvalue import dump
from .modelrequest import ModelRequest, Serving
from .refusal import RefusalError, bad_request
from .routes import Endpoint, Route

log = logging.getLogger(__name__)

ROLES = frozenset({"workspace", "evaluator"})
#: Of a query; each costs time before anybody knows who asks.
MAX_PARAMETERS = 50
PROBE = Response(200, dump({"service": "benchwright-proxy"}))


@dataclass(slots=True)
class DataPort:
    """Takes requests by their heads. `stopping` refuses new calls."""

    serving: Serving
    gate: Gate
    stopping: bool = False

    def accept(self, request: Request) -> Response | Accepted:
        """The answer to a request that needs no body, or what is to be done with it."""
        route = routes.find(request.method, request.target)
        if route is not None and route.endpoint is Endpoint.PROBE:
            return PROBE
        dialect = route.dialect if route else None
        if dialect is None:
            dialect = routes.caller_dialect(request.target, request.headers)
        if routes.wants_websocket(request.target, request.headers):
            message = "the proxy does not speak WebSocket here: use HTTP"
            return Response(426, error_body(dialect, 426, "upgrade_refused", message))
        try:
            return self._accept(request, route, dialect)
        except RefusalError as refusal:
            return self.serving.refused(dialect, refusal)
        except Exception:
            log.exception("%s %s failed", request.method, route)
            message = "the proxy failed; see its log"
            return Response(500, error_body(dialect, 500, "api_error", message))

    def _accept(
        self, request: Request, route: Route | None, dialect: Dialect
    ) -> Response | Accepted:
        if request.target.count("&") > MAX_PARAMETERS:
            raise bad_request(f"more than {MAX_PARAMETERS} parameters in the address")
        claims = self.gate.enter(request.headers, ROLES, query_key(request))
        if route is None:
            message = "the proxy does not serve this path"
            raise RefusalError(404, "not_found_error", message, "unknown_route", retry=False)
        if route.endpoint is Endpoint.MODELS:
            return Response(200, self.serving.catalogue.listing(claims, dialect))
        accepted = ModelRequest(self.serving, route, dialect, claims)
        if self.stopping:
            message = "the proxy is shutting down"
            return accepted.refused(
                RefusalError(503, "api_error", message, "shutting_down", retry=1)
            )
        return accepted.screen(request) or accepted


def query_key(request: Request) -> str | None:
    """The credential in the address, where Gemini's older clients put it; it goes no further."""
    return request.query.get("key") if "key=" in request.target else None
