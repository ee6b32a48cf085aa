"""Files of evidence, as they are. An agent wrote them: a browser saves them and never shows them."""

import re

from aiohttp import web

from benchwright.web.backend import evidence
from benchwright.web.ports import FileRow

routes = web.RouteTableDef()
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@routes.get(r"/trial/{uid}/files/{attempt:\d{1,9}}/{stage}/{name:.+}")
async def download(request: web.Request) -> web.StreamResponse:
    """One file, streamed."""
    file = await _row(request)
    try:
        size, chunks = await evidence(request).read(file)
    except FileNotFoundError as error:
        raise web.HTTPNotFound(text="This file of evidence is lost: its bytes are gone.") from error
    name = _UNSAFE.sub("-", f"{file.stage}-{file.attempt}-{file.name}")
    response = web.StreamResponse(
        headers={
            "Content-Type": "application/octet-stream",
            "Content-Disposition": f'attachment; filename="{name}"',
        }
    )
    response.content_length = size
    await response.prepare(request)
    async for chunk in chunks:
        await response.write(chunk)
    await response.write_eof()
    return response


async def _row(request: web.Request) -> FileRow:
    """Only what the database names: an address is never a path."""
    info = request.match_info
    wanted = (int(info["attempt"]), info["stage"], info["name"])
    for file in await evidence(request).files(info["uid"]):
        if (file.attempt, file.stage, file.name) == wanted:
            return file
    raise web.HTTPNotFound(text="There is no such file of evidence.")
