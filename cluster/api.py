"""Ask the API server with the standard library alone: a kubectl call takes ten times as long."""

import http.client
import json
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cluster.errors import ClusterError


class Api:
    """The cluster's administrator, by the certificates in the state folder."""

    def __init__(self, certificates: Path, url: str) -> None:
        self._host = urlsplit(url).netloc
        self._tls = ssl.create_default_context(cafile=str(certificates / "ca.crt"))
        self._tls.load_cert_chain(certificates / "admin.crt", certificates / "admin.key")

    def get(self, path: str, timeout: float = 2) -> str | None:
        """The answer's text, or None where there is none or an error."""
        connection = http.client.HTTPSConnection(self._host, timeout=timeout, context=self._tls)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            text = answer.read().decode()
            return text if answer.status == 200 else None
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def object(self, path: str) -> dict[str, Any]:
        """A resource, empty if it is not there."""
        text = self.get(path)
        return json.loads(text) if text else {}

    @property
    def answers(self) -> bool:
        return self.get("/readyz") is not None

    @property
    def version(self) -> str:
        return str(self.object("/version").get("gitVersion", "?"))

    def node(self, name: str) -> dict[str, Any]:
        return self.object(f"/api/v1/nodes/{name}")

    def node_ready(self, name: str) -> bool:
        return condition(self.node(name), "Ready")

    def deployment_available(self, namespace: str, name: str) -> bool:
        path = f"/apis/apps/v1/namespaces/{namespace}/deployments/{name}"
        return condition(self.object(path), "Available")

    def default_account(self) -> bool:
        return bool(self.object("/api/v1/namespaces/default/serviceaccounts/default"))


def condition(resource: dict[str, Any], kind: str) -> bool:
    conditions = resource.get("status", {}).get("conditions", [])
    return any(one["type"] == kind and one["status"] == "True" for one in conditions)


def wait_for(
    what: str, ready: Callable[[], bool], failed: Callable[[], str], timeout: float
) -> None:
    """Ask until it is so; `failed` tells when there is no more use in waiting."""
    deadline = time.monotonic() + timeout
    while not ready():
        reason = failed()
        if reason or time.monotonic() > deadline:
            raise ClusterError(f"{what}: {reason or f'not within {timeout:.0f} s'}")
        time.sleep(0.05)
