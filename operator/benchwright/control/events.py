"""Kubernetes events, on transitions only: each costs the API server a write."""

import logging
from datetime import datetime

from benchwright.api.base import API_VERSION
from benchwright.core.clock import format_time
from benchwright.kube.client import EVENTS, KubeClient
from benchwright.kube.errors import ApiError

log = logging.getLogger(__name__)


class EventRecorder:
    """Writes events; a lost one is no failure."""

    def __init__(self, kube: KubeClient):
        self._kube = kube

    async def record(
        self, kind: str, namespace: str, name: str, uid: str, reason: str, message: str, now: datetime,
        *, warning: bool = False,
    ) -> None:  # fmt: skip
        """One event about an object. Its name is made of the content: repeated, it is the same."""
        stamp = format_time(now)
        body = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"{name}.{uid[:8]}.{reason.lower()}", "namespace": namespace},
            "involvedObject": {
                "apiVersion": API_VERSION, "kind": kind, "name": name, "namespace": namespace, "uid": uid,
            },
            "reason": reason,
            "message": message[:1000],
            "type": "Warning" if warning else "Normal",
            "source": {"component": "benchwright"},
            "firstTimestamp": stamp[:19] + "Z",
            "lastTimestamp": stamp[:19] + "Z",
            "count": 1,
        }  # fmt: skip
        try:
            await self._kube.create(EVENTS, namespace, body)
        except ApiError as error:
            if not error.already_exists:
                log.warning("event %s of %s not written: %s", reason, name, error)
