"""Image configurations, manifests and archives.

An archive is an OCI layout and a `docker save` file at once, so containerd, podman, docker and
kind all load it. Its layers are compressed: containerd inflates only those that it lacks.
"""

import hashlib
import io
import json
import platform
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from images.errors import ImageError
from images.layer import EPOCH, Blob

_CONFIG = "application/vnd.oci.image.config.v1+json"
_LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_INDEX = "application/vnd.oci.image.index.v1+json"
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


@dataclass(frozen=True)
class Runtime:
    """How a container of an image starts, unless a pod says otherwise."""

    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    user: str = "1000:1000"
    directory: str = "/"


@dataclass(frozen=True)
class Document:
    """A JSON blob and its digest."""

    content: bytes
    media_type: str

    @property
    def digest(self) -> str:
        return f"sha256:{hashlib.sha256(self.content).hexdigest()}"

    @property
    def descriptor(self) -> dict[str, Any]:
        return {"mediaType": self.media_type, "digest": self.digest, "size": len(self.content)}


@dataclass(frozen=True)
class Packed:
    """An image ready to be written: its two documents and its layers, lowest first."""

    ref: str
    config: Document
    manifest: Document
    layers: tuple[Blob, ...]


def architecture(machine: str = "") -> str:
    """The processor's name in image configurations."""
    name = machine or platform.machine()
    if name not in _ARCHITECTURES:
        known = ", ".join(sorted(set(_ARCHITECTURES.values())))
        raise ImageError(f"No images for the processor {name!r}; they are made for {known}.")
    return _ARCHITECTURES[name]


def pack(
    ref: str, layers: Sequence[tuple[str, Blob]], runtime: Runtime, labels: Mapping[str, str]
) -> Packed:
    """The documents of an image of the named layers."""
    config = _document(_config(layers, runtime, labels), _CONFIG)
    manifest = {
        "schemaVersion": 2,
        "mediaType": _MANIFEST,
        "config": config.descriptor,
        "layers": [
            {"mediaType": _LAYER, "digest": blob.digest, "size": blob.size} for _, blob in layers
        ],
    }
    return Packed(ref, config, _document(manifest, _MANIFEST), tuple(blob for _, blob in layers))


def write_archive(image: Packed, target: Path) -> None:
    """Write the archive of an image; blobs that two layers share are written once."""
    with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as tar:
        for name, content in _documents(image).items():
            tar.addfile(_entry(name, len(content)), io.BytesIO(content))
        for blob in {blob.digest: blob for blob in image.layers}.values():
            with blob.path.open("rb") as file:
                tar.addfile(_entry(_blob_name(blob.digest), blob.size), file)


def _config(
    layers: Sequence[tuple[str, Blob]], runtime: Runtime, labels: Mapping[str, str]
) -> dict[str, Any]:
    created = datetime.fromtimestamp(EPOCH, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    settings: dict[str, Any] = {
        "User": runtime.user,
        "Env": [f"{key}={value}" for key, value in runtime.env.items()],
        "WorkingDir": runtime.directory,
        "Labels": dict(labels),
    }
    if runtime.entrypoint:
        settings["Entrypoint"] = list(runtime.entrypoint)
    if runtime.command:
        settings["Cmd"] = list(runtime.command)
    return {
        "created": created,
        "architecture": architecture(),
        "os": "linux",
        "config": settings,
        "rootfs": {"type": "layers", "diff_ids": [blob.diff_id for _, blob in layers]},
        "history": [{"created": created, "created_by": f"images {name}"} for name, _ in layers],
    }


def _documents(image: Packed) -> dict[str, bytes]:
    """The small files of an archive, in the order that readers want them."""
    name, _, tag = image.ref.rpartition(":")
    annotations = {
        "io.containerd.image.name": f"{name}:{tag}",
        "org.opencontainers.image.ref.name": tag,
    }
    index = {
        "schemaVersion": 2,
        "mediaType": _INDEX,
        "manifests": [{**image.manifest.descriptor, "annotations": annotations}],
    }
    docker = [
        {
            "Config": _blob_name(image.config.digest),
            "RepoTags": [image.ref],
            "Layers": [_blob_name(blob.digest) for blob in image.layers],
        }
    ]
    return {
        "oci-layout": _json({"imageLayoutVersion": "1.0.0"}),
        "index.json": _json(index),
        "manifest.json": _json(docker),
        _blob_name(image.manifest.digest): image.manifest.content,
        _blob_name(image.config.digest): image.config.content,
    }


def _document(value: dict[str, Any], media_type: str) -> Document:
    return Document(_json(value), media_type)


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _blob_name(digest: str) -> str:
    return "blobs/" + digest.replace(":", "/", 1)


def _entry(name: str, size: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size = size
    entry.mode = 0o644
    entry.mtime = EPOCH
    return entry
