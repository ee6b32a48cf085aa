"""What the admin port reads and answers."""

from aiohttp import web

from .refusal import RefusalError, bad_request


async def read_body(request: web.BaseRequest, limit: int) -> bytes:
    """The body of a request. Raises RefusalError: 413 past `limit` bytes, 400 if it is encoded."""
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding != "identity":
        raise bad_request(f"request bodies with Content-Encoding {encoding!r} are not accepted")
    if (request.content_length or 0) > limit:
        raise _too_large(limit)
    body = bytearray()
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > limit:
            raise _too_large(limit)
    return bytes(body)


def _too_large(limit: int) -> RefusalError:
    message = f"request bodies of more than {limit} bytes are not accepted"
    return RefusalError(413, "request_too_large", message, "too_large", retry=False)


def json_response(status: int, body: bytes, headers: dict[str, str] | None = None) -> web.Response:
    """A JSON response of the proxy's own."""
    return web.Response(status=status, body=body, headers=headers, content_type="application/json")
