"""Those who are compared. Each is a process between the load and the same fake upstream."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .process import Process, free_port, running, wait_until

PATH = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class Peer:
    """Where to send calls, and what to look at meanwhile; `direct` has no process."""

    name: str
    url: str
    version: str = ""
    token: str = "none"
    process: Process | None = None

    def answers(self) -> bool:
        """Whether one call comes back whole."""
        body = {"model": "chat", "messages": [{"role": "user", "content": "ready?"}]}
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as response:
                return b"usage" in response.read()
        except (urllib.error.URLError, OSError):
            return False


@contextmanager
def serving(
    name: str,
    command: Sequence[str],
    port: int,
    log: Path,
    *,
    token: str = "none",
    version: str = "",
    env: Mapping[str, str] | None = None,
) -> Iterator[Peer]:
    """A peer that answers. Raises UnavailableError if it does not within two minutes."""
    with running(command, log, env) as process:
        peer = Peer(name, f"http://127.0.0.1:{port}{PATH}", version, token, process)
        wait_until(process, peer.answers, log, seconds=120)
        yield peer


@contextmanager
def upstream(build: Path, folder: Path) -> Iterator[Peer]:
    """The fake upstream, which is also the peer `direct`."""
    port = free_port()
    command = [str(build / "upstream"), "-listen", f"127.0.0.1:{port}"]
    with serving("direct", command, port, folder / "upstream.log") as peer:
        yield Peer(peer.name, peer.url)
