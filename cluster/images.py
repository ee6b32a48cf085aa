"""Write a container image of one layer, without any tool: the sandbox image needs no more."""

import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

from cluster.settings import PAUSE_IMAGE

OCI = "application/vnd.oci.image"


def sha256(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def tar_of(files: dict[str, tuple[bytes, int]]) -> bytes:
    """A tar file of name → (content, mode), the same bytes every time."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, (content, mode) in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), mode
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def single_layer_image(
    name: str, files: dict[str, tuple[bytes, int]], config: dict[str, Any], architecture: str
) -> bytes:
    """An OCI archive with one image of one layer, as `ctr images import` reads it."""
    layer = tar_of(files)
    image = {
        "architecture": architecture,
        "os": "linux",
        "config": config,
        "rootfs": {"type": "layers", "diff_ids": [sha256(layer)]},
    }
    blobs: dict[str, tuple[bytes, int]] = {}

    def add(content: bytes, kind: str) -> dict[str, Any]:
        digest = sha256(content)
        blobs["blobs/sha256/" + digest.removeprefix("sha256:")] = (content, 0o644)
        return {"mediaType": f"{OCI}.{kind}", "digest": digest, "size": len(content)}

    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{OCI}.manifest.v1+json",
        "config": add(_json(image), "config.v1+json"),
        "layers": [add(layer, "layer.v1.tar")],
    }
    entry = add(_json(manifest), "manifest.v1+json")
    entry["annotations"] = {"io.containerd.image.name": name}
    index = {"schemaVersion": 2, "manifests": [entry]}
    layout = {"imageLayoutVersion": "1.0.0"}
    more = {"index.json": (_json(index), 0o644), "oci-layout": (_json(layout), 0o644)}
    return tar_of({**blobs, **more})


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def pause_image(program: Path, architecture: str) -> bytes:
    """The sandbox of every pod; it runs as nobody, as the upstream one does."""
    files = {"pause": (program.read_bytes(), 0o755)}
    config = {"Entrypoint": ["/pause"], "User": "65535:65535"}
    return single_layer_image(PAUSE_IMAGE, files, config, architecture)
