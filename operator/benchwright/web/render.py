"""Templates → pages. Every address in a page is relative to the page's own."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from urllib.parse import quote

from aiohttp import web
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from benchwright.reports import words
from benchwright.web import text
from benchwright.web.backend import CLAIMS, FORM_KEY
from benchwright.web.resultcell import result

_NAME = Markup("<bdi>{}</bdi>")
_OUTCOME = Markup('<span class="outcome {}"><span aria-hidden="true">{}</span> {}</span>')
_TIME = Markup('<time datetime="{}">{}</time>')
"""`Markup.format` escapes what is put in."""
VERDICTS = {"approve": "✓ approved", "reject": "✗ rejected"}


def page(request: web.Request, template: str, status: int = 200, **values: object) -> web.Response:
    """An HTML page."""
    claims = request.get(CLAIMS)
    session = {"role": claims.role if claims else "", "form_key": request.get(FORM_KEY, "")}
    shown = {"root": root(request), **session, **values}
    body = _environment().get_template(template).render(shown)
    headers = {"Cache-Control": "private, no-cache", "Vary": "Cookie"}
    return web.Response(text=body, status=status, content_type="text/html", headers=headers)


def fragment(template: str, **values: object) -> Markup:
    """A part of a page, that pages may share."""
    return Markup(_environment().get_template(template).render(values))  # noqa: S704 - a template's


def root(request: web.Request) -> str:
    """From the page's address to the first page's: "" or "../" for each folder between."""
    inside = request.rel_url.raw_path.removeprefix("/ui/")
    return "../" * inside.count("/")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("benchwright.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": words.number,
        "percent": words.percent,
        "line": words.one_line,
        "part": lambda value: quote(str(value), safe=""),
        "short": short,
        "stamp": stamp,
        "iso": iso,
        "visible": text.visible,
        "size": size,
        "money": money,
        "yes": yes,
        "named": named,
        "outcome": outcome,
        "time": time,
        "result": result,
    }
    environment.globals |= {"signs": words.SIGNS, "verdicts": VERDICTS}
    return environment


def named(value: object, limit: int = 80) -> Markup:
    """A name, on one line and apart from what is around it, whatever direction it is written in."""
    return _NAME.format(words.one_line(value, limit))


def outcome(value: object) -> Markup:
    """A sign and the word."""
    known = str(value) if value in words.SIGNS else ""
    return _OUTCOME.format(known, words.SIGNS.get(known, "?"), words.one_line(value, 16))


def time(seconds: float | None) -> Markup:
    """For people and programs."""
    return Markup("?") if seconds is None else _TIME.format(iso(seconds), stamp(seconds))


def short(digest: str | None) -> str:
    """The first digits of a digest: enough to tell two apart by eye."""
    return words.NOTHING if not digest else words.one_line(digest.removeprefix("sha256:"), 12)


def stamp(seconds: float | None) -> str:
    """Unix seconds to the second, for people."""
    moment = _moment(seconds)
    return words.UNKNOWN if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"


def iso(seconds: float | None) -> str:
    """For the datetime attribute."""
    moment = _moment(seconds)
    return "" if moment is None else moment.isoformat(timespec="seconds")


def _moment(seconds: float | None) -> datetime | None:
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def size(count: int) -> str:
    """Bytes."""
    if count < 1024:
        return f"{count} B"
    if count < 1024**2:
        return f"{count / 1024:.1f} KiB"
    return f"{count / 1024**2:.1f} MiB"


def money(dollars: float | None) -> str:
    """US dollars; what is less than a cent still shows."""
    if dollars is None:
        return words.UNKNOWN
    return f"${dollars:,.2f}" if dollars >= 0.01 or dollars == 0 else f"${dollars:.4f}"


def yes(value: bool | None) -> str:
    return words.UNKNOWN if value is None else "yes" if value else "no"


def shown_dict(values: Mapping[str, object] | None) -> dict[str, str]:
    """A part of a record as words: label → value."""
    return {key.replace("_", " "): _said(value) for key, value in (values or {}).items()}


def _said(value: object) -> str:
    if value is None or isinstance(value, bool):
        return yes(value)
    if isinstance(value, int | float):
        return words.number(value)
    return words.one_line(value)
