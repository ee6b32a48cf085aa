"""Image archives: what is written can be read, and is recognised when it is the same."""

import io
import json
import tarfile
from pathlib import Path

import pytest

from cluster import images, loading
from cluster.errors import ClusterError


def archive(content: bytes = b"program") -> bytes:
    files = {"pause": (content, 0o755)}
    return images.single_layer_image("example.test/x:1", files, {"Entrypoint": ["/x"]}, "amd64")


def members(content: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        files = {one.name: tar.extractfile(one) for one in tar}
        return {name: file.read() for name, file in files.items() if file is not None}


def test_every_digest_is_that_of_what_it_names() -> None:
    files = members(archive())
    blobs = {name: data for name, data in files.items() if name.startswith("blobs/")}
    assert len(blobs) == 3
    for name, data in blobs.items():
        assert images.sha256(data) == "sha256:" + name.removeprefix("blobs/sha256/")


def test_the_index_leads_to_the_files() -> None:
    files = members(archive())

    def blob(entry: dict[str, str]) -> bytes:
        return files["blobs/sha256/" + entry["digest"].removeprefix("sha256:")]

    entry = json.loads(files["index.json"])["manifests"][0]
    assert entry["annotations"]["io.containerd.image.name"] == "example.test/x:1"
    manifest = json.loads(blob(entry))
    config = json.loads(blob(manifest["config"]))
    assert config["architecture"] == "amd64"
    layer = blob(manifest["layers"][0])
    assert config["rootfs"]["diff_ids"] == [images.sha256(layer)]
    assert members(layer) == {"pause": b"program"}


def test_the_same_image_is_the_same_bytes() -> None:
    assert archive() == archive()
    assert archive() != archive(b"another program")


def test_an_archive_is_known_by_its_table_of_contents(tmp_path: Path) -> None:
    first, second = tmp_path / "1.tar", tmp_path / "2.tar"
    first.write_bytes(archive())
    second.write_bytes(archive(b"another program"))
    assert loading.archive_identity(first) == loading.archive_identity(first)
    assert loading.archive_identity(first) != loading.archive_identity(second)


def test_what_is_no_image_archive_is_said_to_be_none(tmp_path: Path) -> None:
    file = tmp_path / "x.tar"
    file.write_bytes(images.tar_of({"readme": (b"hello", 0o644)}))
    with pytest.raises(ClusterError, match="is no image archive"):
        loading.archive_identity(file)
    file.write_bytes(b"not even a tar file")
    with pytest.raises(ClusterError, match="cannot be read"):
        loading.archive_identity(file)
    with pytest.raises(ClusterError, match="cannot be read"):
        loading.archive_identity(tmp_path / "missing.tar")


def test_the_names_of_what_was_imported_are_read() -> None:
    said = (
        "unpacking localhost/a:1 (sha256:aa)...done\n"
        "unpacking docker.io/library/b:2 (sha256:bb)...\n"
    )
    assert loading.imported_names(said) == ["localhost/a:1", "docker.io/library/b:2"]
