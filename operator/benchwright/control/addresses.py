"""Addresses of services, looked up anew every few seconds: one that was made anew has another one.

Not for each pod: hundreds of them are made in one second when a run starts.
"""

import asyncio
import socket
from collections.abc import Callable

KEPT_SECONDS = 5.0


class Addresses:
    """Host name → IP address."""

    def __init__(self, monotonic: Callable[[], float]):
        self._monotonic = monotonic
        self._known: dict[str, tuple[float, str]] = {}

    async def of(self, host: str) -> str:
        until, address = self._known.get(host, (float("-inf"), ""))
        if self._monotonic() >= until:
            address = await _look_up(host)
            self._known[host] = (self._monotonic() + KEPT_SECONDS, address)
        return address


async def _look_up(host: str) -> str:
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return str(found[0][4][0])
