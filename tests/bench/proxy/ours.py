"""The peer `ours`: this project's proxy as it is deployed, with journal and limits on."""

import json
import os
import sysconfig
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import benchwright_proxy
from benchwright_proxy.jsonvalue import JsonObject
from benchwright_proxy.token import Claims, Limits, sign

from . import build
from .peers import Peer, serving
from .process import free_port
from .scenarios import MODELS

KEY = "a-signing-key-of-the-benchmark-only"
#: Never reached, but looked at for every call.
LIMITS = Limits(requests=10**9, total_tokens=10**12)
EXPIRES = 4_000_000_000


@dataclass(frozen=True, slots=True)
class Ours:
    """An installation in `folder`, in front of the upstream at `upstream`. It can be started again
    after its end, with the same journal."""

    folder: Path
    upstream: str

    @property
    def journal(self) -> Path:
        return self.folder / "journal"

    def write(self) -> None:
        """Keys and configuration."""
        self.folder.mkdir(parents=True)
        (self.folder / "signing-key").write_text(KEY)
        (self.folder / "provider-key").write_text("sk-upstream")
        provider = {
            "name": "openai",
            "dialect": "openai",
            "baseUrl": self.upstream.removesuffix("/chat/completions"),
            "keyFile": str(self.folder / "provider-key"),
        }
        models = [{"name": name, "provider": "openai"} for name in MODELS]
        config = {"providers": [provider], "models": models}
        (self.folder / "config.yaml").write_text(json.dumps(config))  # JSON is YAML

    @contextmanager
    def started(self, admin_port: int | None = None) -> Iterator[Peer]:
        port = free_port()
        command = [build.python(), "-m", "benchwright_proxy", "serve"]
        command += ["--config", str(self.folder / "config.yaml"), "--journal", str(self.journal)]
        command += ["--key-file", str(self.folder / "signing-key"), "--host", "127.0.0.1"]
        command += ["--port", str(port), "--admin-port", str(admin_port or free_port())]
        # Of the code that runs: PYTHONPATH may lead to another checkout's.
        where = Path(benchwright_proxy.__file__).parent
        version = build.output(["git", "describe", "--always", "--dirty"], cwd=where)
        log = self.folder / "log"
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": _packages()}
        with serving(
            "ours", command, port, log, token=token("trial"), version=version, env=environment
        ) as peer:
            yield peer


def _packages() -> str:
    """Where this project and what it needs are, for an interpreter that may be another one."""
    mine = Path(benchwright_proxy.__file__).parents[1]
    return os.pathsep.join(
        [str(mine), sysconfig.get_path("platlib"), sysconfig.get_path("purelib")]
    )


def token(trial: str, role: str = "workspace") -> str:
    """A token as the operator would sign it."""
    return sign(
        Claims(
            audience="proxy", role=role, namespace="bench", run="bench", trial=trial,
            trial_uid=trial, attempt=1, stage="work", models=MODELS, limits=LIMITS,
            expires_at=EXPIRES,
        ),
        KEY.encode(),
    )  # fmt: skip


def usage(admin_port: int, trial: str) -> JsonObject:
    """What the admin port says of a trial."""
    query = urllib.parse.urlencode({"trial_uid": trial, "attempt": 1})
    headers = {"Authorization": f"Bearer {token(trial, role='operator')}"}
    url = f"http://127.0.0.1:{admin_port}/v1/usage?{query}"
    with urllib.request.urlopen(
        urllib.request.Request(url, headers=headers), timeout=60
    ) as response:
        found: JsonObject = json.load(response)
    return found
