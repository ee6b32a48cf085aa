"""Archives say what they hold, to containerd and to docker alike."""

import hashlib
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from images import layer, oci
from images.errors import ImageError

RUNTIME = oci.Runtime(entrypoint=("serve",), env={"LANG": "C.UTF-8"})


def blob(base: Path, name: str) -> layer.Blob:
    root = base / name
    root.mkdir()
    (root / name).write_text(name)
    return layer.write_layer(root, base / f"{name}.tgz", {})


@pytest.fixture
def packed(tmp_path: Path) -> oci.Packed:
    layers = [(name, blob(tmp_path, name)) for name in ("base", "own")]
    return oci.pack("example.local/thing:dev", layers, RUNTIME, {"title": "Thing"})


def read(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as tar:
        members = [(entry.name, tar.extractfile(entry)) for entry in tar]
    with tarfile.open(archive) as tar:
        return {name: tar.extractfile(name).read() for name, _ in members}  # type: ignore[union-attr]


def test_configuration(packed: oci.Packed) -> None:
    config = json.loads(packed.config.content)
    assert config["config"] == {
        "User": "1000:1000",
        "Env": ["LANG=C.UTF-8"],
        "WorkingDir": "/",
        "Labels": {"title": "Thing"},
        "Entrypoint": ["serve"],
    }
    assert config["rootfs"]["diff_ids"] == [item.diff_id for item in packed.layers]
    assert [entry["created_by"] for entry in config["history"]] == ["images base", "images own"]
    assert config["created"] == "2023-11-14T22:13:20Z"


def test_every_descriptor_leads_to_its_bytes(packed: oci.Packed, tmp_path: Path) -> None:
    archive = tmp_path / "image.tar"
    oci.write_archive(packed, archive)
    content = read(archive)

    def follow(descriptor: dict[str, Any]) -> bytes:
        found = content["blobs/" + descriptor["digest"].replace(":", "/")]
        assert len(found) == descriptor["size"]
        assert descriptor["digest"] == f"sha256:{hashlib.sha256(found).hexdigest()}"
        return found

    (entry,) = json.loads(content["index.json"])["manifests"]
    assert entry["annotations"]["io.containerd.image.name"] == "example.local/thing:dev"
    manifest = json.loads(follow(entry))
    for descriptor in (manifest["config"], *manifest["layers"]):
        follow(descriptor)


def test_docker_finds_the_same_image(packed: oci.Packed, tmp_path: Path) -> None:
    archive = tmp_path / "image.tar"
    oci.write_archive(packed, archive)
    content = read(archive)
    (entry,) = json.loads(content["manifest.json"])
    assert entry["RepoTags"] == ["example.local/thing:dev"]
    assert content[entry["Config"]] == packed.config.content
    assert [name in content for name in entry["Layers"]] == [True, True]


def test_the_same_layers_give_the_same_archive(packed: oci.Packed, tmp_path: Path) -> None:
    for name in ("one", "two"):
        oci.write_archive(packed, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_architecture() -> None:
    assert oci.architecture("aarch64") == "arm64"
    with pytest.raises(ImageError, match="'riscv64'; they are made for amd64, arm64"):
        oci.architecture("riscv64")
