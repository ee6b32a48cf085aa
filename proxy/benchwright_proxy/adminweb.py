"""What the admin port reads and answers."""

from aiohttp import web

from .refusal import check_body, too_large


async def read_body(request: web.BaseRequest, limit: int) -> bytes:
    """The body of a request. Raises RefusalError: 413 past `limit` bytes, 400 if it is encoded."""
    check_body(request.headers, limit)
    if request.headers.get("expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    body = bytearray()
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > limit:
            raise too_large(limit)
    return bytes(body)


def json_response(status: int, body: bytes, headers: dict[str, str] | None = None) -> web.Response:
    """A JSON response of the proxy's own."""
    return web.Response(status=status, body=body, headers=headers, content_type="application/json")
