"""Server-side apply of documents, with the API server's refusals put beside file and line."""

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchwright.api.base import API_VERSION
from benchwright.api.crd import KINDS
from benchwright.cli.documents import Document
from benchwright.cli.findings import Finding
from benchwright.cli.target import Session
from benchwright.kube.errors import ApiError

FIELD_MANAGER = "benchwright"
_APPLY = "application/apply-patch+yaml"
_LAST = ("Agent", "TaskSet", "BenchmarkRun")
"""What refers to others is applied after them."""
_OURS = {kind.kind: kind.plural for kind in KINDS}
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


class RefusedError(Exception):
    """The API server does not take a document."""

    def __init__(self, finding: Finding):
        super().__init__(str(finding))
        self.finding = finding


@dataclass(frozen=True)
class Applied:
    """What became of a document."""

    document: Document
    namespace: str
    uid: str
    result: str
    """created, changed or unchanged."""

    def __str__(self) -> str:
        return f"{self.document.subject} {self.result}"


@dataclass
class Applier:
    """Applies documents to one cluster."""

    session: Session
    explicit_namespace: str | None = None
    """What --namespace says: documents must not say otherwise."""
    force: bool = False
    """Take over fields that another manager (kubectl, Helm) has set."""
    _plurals: dict[str, dict[str, tuple[str, bool]]] = field(default_factory=dict)

    async def apply_all(self, documents: Sequence[Document]) -> AsyncIterator[Applied]:
        """All documents, in an order in which nothing refers to what comes later."""
        for document in sorted(documents, key=_rank):
            yield await self.apply(document)

    async def apply(self, document: Document) -> Applied:
        """One document. Raises RefusedError."""
        refuse = partial(_refused, document)
        namespace = document.namespace or self.session.namespace
        if self.explicit_namespace not in {None, namespace} and document.namespace:
            text = f"is {namespace!r} where --namespace says {self.explicit_namespace!r}"
            raise RefusedError(refuse(("metadata", "namespace"), text))
        if not document.name:
            raise RefusedError(refuse(("metadata", "name"), "is missing: add it"))
        if document.kind == "Trial" and document.ours:
            raise RefusedError(refuse(("kind",), "trials are made by the operator: apply a run"))
        try:
            path = await self._path(document, namespace)
            before = await self._before(path)
            after = await self._patch(path, document)
        except ApiError as error:
            raise RefusedError(_explain(document, error)) from error
        version = after["metadata"].get("resourceVersion")
        result = "created" if before is None else "unchanged" if before == version else "changed"
        return Applied(document, namespace, str(after["metadata"].get("uid", "")), result)

    async def _before(self, path: str) -> str | None:
        """Resource version of what is there."""
        try:
            found = await self.session.kube.request("GET", path)
        except ApiError as error:
            if not error.not_found:
                raise
            return None
        return str(found["metadata"].get("resourceVersion"))

    async def _patch(self, path: str, document: Document) -> dict[str, Any]:
        params = {"fieldManager": FIELD_MANAGER, "fieldValidation": "Strict"}
        if self.force:
            params["force"] = "true"
        body = {k: v for k, v in document.data.items() if k != "status"}
        return await self.session.kube.request(
            "PATCH", path, body=body, params=params, content_type=_APPLY
        )

    async def _path(self, document: Document, namespace: str) -> str:
        """Path of the object, by the kinds that the API server has."""
        version = document.api_version
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        plural, namespaced = await self._plural(document, root)
        within = f"/namespaces/{namespace}" if namespaced else ""
        return f"{root}{within}/{plural}/{document.name}"

    async def _plural(self, document: Document, root: str) -> tuple[str, bool]:
        if document.api_version == API_VERSION and document.kind in _OURS:
            return _OURS[document.kind], True
        if root not in self._plurals:
            found = await self.session.kube.request("GET", root)
            self._plurals[root] = {
                r["kind"]: (r["name"], r["namespaced"])
                for r in found.get("resources") or []
                if "/" not in r["name"]
            }
        if document.kind not in self._plurals[root]:
            raise ApiError(404, "NotFound", f"{document.api_version} has no kind {document.kind}")
        return self._plurals[root][document.kind]


def _rank(document: Document) -> int:
    return _LAST.index(document.kind) if document.kind in _LAST else -1


def _refused(document: Document, path: Sequence[str | int], text: str) -> Finding:
    return Finding(document.where(path), document.subject, ".".join(map(str, path)), text)


def _explain(document: Document, error: ApiError) -> Finding:
    """The refusal in words, at the line of the field that it names."""
    text, path = error.message or error.reason, _named_field(error.message)
    if error.status == 404 and document.ours:
        text = "the cluster does not know this kind: install Benchwright (its CRDs) first"
    elif error.status == 409:
        text = (
            f"{text}: another program manages these fields; take them over with --force-conflicts"
        )
    elif error.status == 403:
        text = f"{text}: ask for the permission, or choose another --namespace or --context"
    return Finding(document.where(path), document.subject, "", f"the API server refuses it: {text}")


def _named_field(message: str) -> list[str | int]:
    """`… is invalid: spec.agents[1]: Invalid value …` → its path."""
    found = re.search(r"\b((?:spec|metadata|data|binaryData)(?:\.\w+|\[\d+\])*): ", message)
    if not found:
        return []
    return [int(i) if i else name for name, i in _STEP.findall(found[1])]
