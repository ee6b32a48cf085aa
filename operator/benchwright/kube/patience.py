"""Obeying an API server that says when to come back (429 and 503 with Retry-After).

Such an answer was given before anything was done, so that any verb may be repeated, as client-go
does. What takes longer than LONGEST is the caller's to wait for: a worker is held meanwhile.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from benchwright.kube.errors import ApiError

T = TypeVar("T")
ATTEMPTS = 5
LONGEST = 10.0


async def patiently(
    call: Callable[[], Awaitable[T]], sleep: Callable[[float], Awaitable[object]]
) -> T:
    """The call's answer, waiting as the server asks between ATTEMPTS at most."""
    for _ in range(ATTEMPTS - 1):
        try:
            return await call()
        except ApiError as error:
            if not error.come_back or error.come_back > LONGEST:
                raise
            await sleep(error.come_back)
    return await call()
