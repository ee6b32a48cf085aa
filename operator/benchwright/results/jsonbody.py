"""Bodies of requests as data of a known shape; anything else is refused in words."""

from typing import Any, TypeVar

from aiohttp import web
from pydantic import TypeAdapter, ValidationError

from benchwright.api.base import Model
from benchwright.api.task import TaskSnapshot

B = TypeVar("B")
Json = dict[str, Any]


class TaskSetBody(Model):
    """A source to resolve."""

    source: Json
    packed: str | None = None
    """Files of a ConfigMap that holds one archive, in base64."""


class TasksBody(Model):
    """Tasks by digest."""

    tasks: tuple[str, ...]


class VerdictBody(Model):
    """What to grade."""

    task: TaskSnapshot
    purpose: str


async def read(request: web.Request, shape: type[B]) -> B:
    """The body; 400 where it has another shape. Values are not quoted: a log may be published."""
    try:
        return TypeAdapter(shape).validate_json(await request.read())
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the body"
        text = f"{request.method} {request.path}: {place}: {first['msg']}"
        raise web.HTTPBadRequest(text=text) from error
