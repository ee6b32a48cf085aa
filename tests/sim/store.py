"""The fake cluster's memory: objects, versions, history, admission and garbage collection.

As strict as the real API server where our code could be wrong: CRD schemas with defaults, pruning
and CEL, write preconditions, quota, owners that are gone. Stored objects are never changed in place:
a change is a new object, so that none has to be copied.
"""

import asyncio
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from benchwright.api.crd import KINDS
from tests.unit.api.schemas import defaulted, problems, schema_of, violations

Json = dict[str, Any]
Key = tuple[str, str]
"""Plural and name; there is one namespace."""
SCHEMAS = {kind.plural: schema_of(kind.kind)["properties"] for kind in KINDS}
NAMESPACE = "bench"


class Refused(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, reason: str, message: str, retry_after: str | None = None):
        super().__init__(message)
        self.status, self.reason, self.message = status, reason, message
        self.retry_after = retry_after

    def body(self) -> Json:
        return {
            "kind": "Status",
            "code": self.status,
            "reason": self.reason,
            "message": self.message,
        }


@dataclass
class Store:
    """All objects. Listeners hear every event as (plural, type, object)."""

    objects: dict[Key, Json] = field(default_factory=dict)
    version: int = 1000
    history: list[tuple[int, str, Json]] = field(default_factory=list)
    compacted: int = 0
    pod_quota: int | None = None
    """ResourceQuota `pods`: pods that are not over."""
    object_quota: int | None = None
    """ResourceQuota `count/pods`: pods, over or not."""
    listeners: list[Callable[[str, str, Json], None]] = field(default_factory=list)
    clock_ahead: float = 0.0
    """Seconds by which the API server's clock is ahead of the operator's."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    terminate: Callable[[Json], bool] = lambda pod: False
    """Whether somebody (the kubelet) has the pod and will end it in its own time."""

    # Reading

    def find(self, plural: str, name: str) -> Json:
        try:
            return self.objects[plural, name]
        except KeyError:
            raise Refused(404, "NotFound", f'{plural} "{name}" not found') from None

    def all(self, plural: str) -> list[Json]:
        return [raw for (kind, _), raw in self.objects.items() if kind == plural]

    # Writing

    def create(self, plural: str, body: Json) -> Json:
        raw = dict(body)
        meta = raw["metadata"] = dict(body["metadata"])
        self._admit(plural, raw)
        if (plural, meta["name"]) in self.objects:
            raise Refused(409, "AlreadyExists", f'{plural} "{meta["name"]}" already exists')
        meta |= {
            "namespace": NAMESPACE,
            "uid": str(uuid.uuid4()),
            "generation": 1,
            "creationTimestamp": _stamp(self.clock_ahead),
        }
        if plural == "pods":
            raw["status"] = {"phase": "Pending"}
        elif plural in SCHEMAS:
            raw.pop("status", None)
        return self._write("ADDED", plural, raw)

    def update_spec(self, plural: str, name: str, **fields: Any) -> Json:
        """As `kubectl patch` of a user."""
        old = self.find(plural, name)
        raw = {**old, "spec": {**old["spec"], **fields}, "metadata": dict(old["metadata"])}
        raw["metadata"]["generation"] += 1
        self._admit(plural, raw, old)
        return self._write("MODIFIED", plural, raw)

    def patch_status(self, plural: str, name: str, patch: Json) -> Json:
        old = self.find(plural, name)
        version = patch.get("metadata", {}).get("resourceVersion")
        if version and version != old["metadata"]["resourceVersion"]:
            raise Refused(409, "Conflict", f"{plural} {name}: the object has been modified")
        raw = {**old, "status": merge(old.get("status") or {}, patch["status"])}
        if plural in SCHEMAS:
            schema = SCHEMAS[plural]["status"]
            raw["status"] = defaulted(schema, raw["status"])
            _refuse(plural, name, problems(schema, raw["status"], ".status"))
            _refuse(plural, name, violations(schema, raw["status"], old.get("status")))
        if raw == old:
            return old
        return self._write("MODIFIED", plural, raw)

    def set_pod_status(self, name: str, **status: Any) -> None:
        """As the kubelet does."""
        old = self.objects["pods", name]
        self._write("MODIFIED", "pods", {**old, "status": {**old["status"], **status}})

    def delete(self, plural: str, name: str, options: Json | None = None) -> Json:
        raw, options = self.find(plural, name), options or {}
        uid = options.get("preconditions", {}).get("uid", raw["metadata"]["uid"])
        if uid != raw["metadata"]["uid"]:
            raise Refused(409, "Conflict", f"{plural} {name}: the UID is another one")
        grace = options.get("gracePeriodSeconds", _grace(raw))
        if plural == "pods" and grace and self.terminate(raw):
            return self._terminating(raw, grace)
        return self.remove(plural, name)

    def _terminating(self, raw: Json, grace: float) -> Json:
        """Stamped with the time at which it should be gone, which can only come nearer."""
        stamp = _stamp(self.clock_ahead + grace)
        if raw["metadata"].get("deletionTimestamp", "~") <= stamp:
            return raw
        meta = {**raw["metadata"], "deletionTimestamp": stamp}
        return self._write("MODIFIED", "pods", {**raw, "metadata": meta})

    def remove(self, plural: str, name: str) -> Json:
        """Gone at once, and then what it owned."""
        raw = self._emit("DELETED", plural, self.objects.pop((plural, name)))
        asyncio.get_running_loop().call_soon(self._collect, raw["metadata"]["uid"])
        return raw

    def compact(self) -> None:
        """Forget the history: who watches on from before gets 410."""
        self.compacted, self.history = self.version, []

    # Inside

    def _admit(self, plural: str, raw: Json, old: Json | None = None) -> None:
        meta = raw["metadata"]
        if plural in SCHEMAS:
            schema = SCHEMAS[plural]["spec"]
            raw["spec"] = defaulted(schema, raw["spec"])
            _refuse(plural, meta["name"], problems(schema, raw["spec"], ".spec"))
            _refuse(plural, meta["name"], violations(schema, raw["spec"], old and old["spec"]))
        if plural == "pods":
            self._check_quota(meta["name"])
        long = [v for v in (meta.get("labels") or {}).values() if len(v) > 63]
        if len(meta["name"]) > 253 or long:
            raise Refused(422, "Invalid", f"metadata of {meta['name']}: too long: {long}")

    def _check_quota(self, name: str) -> None:
        phases = [pod["status"]["phase"] for pod in self.all("pods")]
        alive = [phase for phase in phases if phase not in {"Succeeded", "Failed"}]
        for quota, used in ((self.pod_quota, alive), (self.object_quota, phases)):
            if quota is not None and len(used) >= quota:
                message = f'pods "{name}" is forbidden: exceeded quota: pods, used: {len(used)}'
                raise Refused(403, "Forbidden", message)

    def _write(self, kind: str, plural: str, raw: Json) -> Json:
        raw = self._emit(kind, plural, raw)
        self.objects[plural, raw["metadata"]["name"]] = raw
        owners = raw["metadata"].get("ownerReferences") or []
        if kind == "ADDED" and owners and not self._alive(owners[0]["uid"]):
            asyncio.get_running_loop().call_later(0.05, self._collect, owners[0]["uid"])
        return raw

    def _emit(self, kind: str, plural: str, raw: Json) -> Json:
        self.version += 1
        raw = {**raw, "metadata": {**raw["metadata"], "resourceVersion": str(self.version)}}
        self.history.append((self.version, plural, {"type": kind, "object": raw}))
        for listener in list(self.listeners):
            listener(plural, kind, raw)
        self.changed.set()
        self.changed = asyncio.Event()
        return raw

    def _alive(self, uid: str) -> bool:
        return any(raw["metadata"]["uid"] == uid for raw in self.objects.values())

    def _collect(self, uid: str) -> None:
        for plural, name in list(self._owned(uid)):
            if (plural, name) in self.objects:
                self.delete(plural, name)

    def _owned(self, uid: str) -> Iterator[Key]:
        for key, raw in self.objects.items():
            if any(o.get("uid") == uid for o in raw["metadata"].get("ownerReferences") or []):
                yield key


def _stamp(ahead: float = 0.0) -> str:
    moment = datetime.now(UTC) + timedelta(seconds=ahead)  # noqa: TID251
    return moment.isoformat().replace("+00:00", "Z")


def _grace(raw: Json) -> float:
    return float(raw.get("spec", {}).get("terminationGracePeriodSeconds", 30))


def merge(old: Any, patch: Any) -> Any:
    """RFC 7386, a JSON merge patch."""
    if not isinstance(patch, dict):
        return patch
    out = dict(old) if isinstance(old, dict) else {}
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = merge(out.get(key), value)
    return out


def _refuse(plural: str, name: str, found: list[str]) -> None:
    if found:
        raise Refused(422, "Invalid", f'{plural} "{name}" is invalid: {"; ".join(found[:5])}')
