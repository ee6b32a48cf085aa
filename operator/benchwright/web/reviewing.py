"""Reviews: a token in a cookie, forms that no other site can send, and rows that are only added."""

import hmac
import re
from collections.abc import Mapping
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from benchwright.web.backend import BACKEND, CLAIMS, FORM_KEY, REFUSED_TOKEN, evidence
from benchwright.web.ports import Review
from benchwright.web.render import VERDICTS, page
from benchwright_proxy.token import Claims, TokenError

routes = web.RouteTableDef()
COOKIE = "benchwright-token"
ROLES = ("reviewer", "operator", "admin")
LONGEST_COMMENT, LONGEST_NAME = 4000, 100
_UID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_OWN = frozenset({"same-origin", "none"})
REFUSED = {
    "malformed": "this is no token of Benchwright",
    "bad_signature": "it is signed with another key",
    "expired": "it has expired",
    "wrong_audience": "it is for another service",
}


@web.middleware
async def recognise(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Who asks: claims of the cookie's token, where it may review and has not expired."""
    token = request.cookies.get(COOKIE)
    if token:
        try:
            request[CLAIMS] = _allowed(request, token)
            request[FORM_KEY] = request.app[BACKEND].sessions.form_key(token)
        except ValueError as error:
            request[REFUSED_TOKEN] = str(error)
    return await handler(request)


async def review_values(request: web.Request, trial_uid: str) -> dict[str, Any]:
    """What the place for reviews on a trial's page needs."""
    return {
        "reviews": await request.app[BACKEND].reviews.of(trial_uid),
        "refused": request.get(REFUSED_TOKEN, ""),
        "longest_comment": LONGEST_COMMENT,
        "longest_name": LONGEST_NAME,
    }


@routes.get("/login")
async def login_form(request: web.Request) -> web.Response:
    """Where a token is given."""
    return _login_page(request, _trial(request.query), request.get(REFUSED_TOKEN, ""))


@routes.post("/login")
async def login(request: web.Request) -> web.Response:
    """Keep the token in a cookie that no script reads and no other site sends."""
    _from_here(request)
    form = await _form(request)
    token, trial = form.get("token", "").strip(), _trial(form)
    try:
        claims = _allowed(request, token)
    except ValueError as error:
        return _login_page(request, trial, str(error), status=401)
    response = _to(f"trial/{trial}#review" if trial else "./")
    left = claims.expires_at - int(request.app[BACKEND].now())
    # Without a path: a browser then limits it to the folder of this address as it sees it, and
    # behind the API server's proxy only the browser knows that. No `secure` either: a forwarded
    # port speaks plain HTTP.
    response.set_cookie(COOKIE, token, max_age=left, httponly=True, samesite="Strict", path="")
    return response


@routes.post("/logout")
async def logout(request: web.Request) -> web.Response:
    """Forget the token."""
    form = await _form(request)
    _check_key(request, form)
    response = _to("./")
    response.set_cookie(COOKIE, "", max_age=0, httponly=True, samesite="Strict", path="")
    return response


@routes.post("/review")
async def review(request: web.Request) -> web.Response:
    """Add a review. Neither the record nor a verdict changes by it."""
    form = await _form(request)
    claims = _check_key(request, form)
    trial, verdict = _trial(form), form.get("verdict", "")
    who, comment = form.get("who", "").strip(), form.get("comment", "").strip()
    if verdict not in VERDICTS:
        raise web.HTTPBadRequest(text="Choose approve or reject.")
    if not 0 < len(who) <= LONGEST_NAME or len(comment) > LONGEST_COMMENT:
        limits = (
            f"a name of 1 to {LONGEST_NAME} and a comment of at most {LONGEST_COMMENT} characters"
        )
        raise web.HTTPBadRequest(text=f"A review has {limits}.")
    if "\0" in who + comment or await evidence(request).record(trial) is None:
        raise web.HTTPBadRequest(text="There is no such trial to review.")
    now = request.app[BACKEND].now()
    added = Review(trial, verdict, who, claims.role, comment.replace("\r\n", "\n"), now)
    await request.app[BACKEND].reviews.add(added)
    return _to(f"trial/{trial}#review")


def _allowed(request: web.Request, token: str) -> Claims:
    """Claims of a token that may review; ValueError says why not, and never quotes it."""
    try:
        claims = request.app[BACKEND].sessions.claims(token)
    except TokenError as error:
        raise ValueError(REFUSED[error.reason]) from error
    if claims.role not in ROLES:
        raise ValueError(f"a token of role {claims.role} may not review")
    return claims


def _check_key(request: web.Request, form: Mapping[str, str]) -> Claims:
    """The session, where the form is this service's own; 401 or 403 in words."""
    _from_here(request)
    claims: Claims | None = request.get(CLAIMS)
    if claims is None:
        why = request.get(REFUSED_TOKEN) or "there is none"
        raise web.HTTPUnauthorized(text=f"A review needs a token: {why}. Sign in first.")
    if not hmac.compare_digest(form.get("key", "").encode(), request[FORM_KEY].encode()):
        raise web.HTTPForbidden(
            text="This form was not made for you: open the trial's page again and send it from there."
        )
    return claims


def _from_here(request: web.Request) -> None:
    """Browsers say where a form comes from; what they do not say, the form's key must prove."""
    if request.headers.get("Sec-Fetch-Site", "none") not in _OWN:
        raise web.HTTPForbidden(text="This form was sent by another site and is refused.")


async def _form(request: web.Request) -> dict[str, str]:
    if request.content_type != "application/x-www-form-urlencoded":
        raise web.HTTPUnsupportedMediaType(text="Send the page's own form.")
    try:
        return {k: v for k, v in (await request.post()).items() if isinstance(v, str)}
    except (ValueError, LookupError) as error:
        raise web.HTTPBadRequest(text="The form cannot be read.") from error


def _trial(values: Mapping[str, str]) -> str:
    """A trial's UID, or "": it becomes part of an address."""
    uid = values.get("trial", "")
    return uid if _UID.fullmatch(uid) else ""


def _login_page(request: web.Request, trial: str, refused: str, status: int = 200) -> web.Response:
    return page(request, "login.html.j2", status, trial=trial, refused=refused)


def _to(place: str) -> web.Response:
    return web.Response(status=303, headers={"Location": place})
