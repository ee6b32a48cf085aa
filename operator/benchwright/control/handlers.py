"""kopf: runs, agents and task sets only put their key in the queue. No rule lives here.

on.event needs no finalizer and no annotations; its errors are ignored by kopf, so nothing that can
fail happens in it. No-op storages keep kopf from building a diff base for each event
(research/control-plane-measured.md).
"""

from collections.abc import Callable, Collection
from typing import Any

import kopf

from benchwright.api.base import GROUP, VERSION

Changed = Callable[[str, str, str], None]
_PLURALS = {"BenchmarkRun": "benchmarkruns", "Agent": "agents", "TaskSet": "tasksets"}


class _NoDiffBase(kopf.DiffBaseStorage):
    def fetch(self, *, body: Any) -> None:
        return None

    def store(self, *, body: Any, patch: Any, essence: Any) -> None:
        return None


class _NoProgress(kopf.ProgressStorage):
    def fetch(self, *, key: Any, body: Any) -> None:
        return None

    def store(self, *, key: Any, record: Any, body: Any, patch: Any) -> None:
        return None

    def purge(self, *, key: Any, body: Any, patch: Any) -> None:
        return None

    def touch(self, *, body: Any, patch: Any, value: Any) -> None:
        return None

    def clear(self, *, essence: Any) -> Any:
        return essence


def build_registry(changed: Changed) -> kopf.OperatorRegistry:
    """Handlers that call `changed(kind, name, resource version)`."""
    registry = kopf.OperatorRegistry()
    kopf.on.startup(registry=registry)(configure)
    # A registry of one's own has no login handlers; the client library's is what Login uses too.
    kopf.on.login(registry=registry)(kopf.login_via_client)
    for kind, plural in _PLURALS.items():
        kopf.on.event(GROUP, VERSION, plural, registry=registry, id=f"on-{plural}")(
            _notify(kind, changed)
        )
    return registry


def _notify(kind: str, changed: Changed) -> Callable[..., Any]:
    async def notify(name: str, meta: kopf.Meta, **_: Any) -> None:
        changed(kind, name, meta.get("resourceVersion", ""))

    return notify


def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
    """Settings that were measured to work (research/operators.md 1.4)."""
    settings.watching.server_timeout = 270
    settings.watching.client_timeout = 330
    settings.watching.connect_timeout = 10
    settings.watching.inactivity_timeout = 70
    settings.networking.request_timeout = 30
    settings.posting.enabled = False
    settings.scanning.disabled = True
    settings.peering.standalone = True
    settings.persistence.diffbase_storage = _NoDiffBase()
    settings.persistence.progress_storage = _NoProgress()


class Stopped(Exception):
    """kopf ended its loop: it catches SIGTERM and SIGINT itself."""


async def run_kopf(namespaces: Collection[str], changed: Changed) -> None:
    """Run kopf's own loop until cancelled or terminated; then everything else must end too."""
    await kopf.operator(
        registry=build_registry(changed),
        namespaces=list(namespaces),
        standalone=True,
        clusterwide=False,
    )
    raise Stopped
