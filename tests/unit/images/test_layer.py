"""The same files give the same layer, whoever stages them and however."""

import gzip
import hashlib
import os
import tarfile
from pathlib import Path

from images import layer

ORDERS = (("a.txt", "run", "z/deep"), ("z/deep", "run", "a.txt"))


def stage(root: Path, names: tuple[str, ...], mask: int, time: int) -> None:
    """Write the same files in the given order, with another umask and other times."""
    previous = os.umask(mask)
    try:
        for name in names:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"content of {name}\n")
            os.utime(path, (time, time))
        (root / "run").chmod(0o700 if mask else 0o755)
        (root / "link").symlink_to("a.txt")
        (root / "tmp").mkdir()
        (root / "tmp").chmod(0o1777)
    finally:
        os.umask(previous)


def build(base: Path, order: int, mask: int, time: int) -> layer.Blob:
    root = base / f"root{order}"
    root.mkdir()
    stage(root, ORDERS[order], mask, time)
    return layer.write_layer(root, base / f"layer{order}", {"z": 1000})


def test_layers_are_deterministic(tmp_path: Path) -> None:
    first = build(tmp_path, 0, 0o022, 1_000_000_000)
    second = build(tmp_path, 1, 0o077, 1_500_000_000)
    assert first.path.read_bytes() == second.path.read_bytes()
    assert (first.digest, first.diff_id) == (second.digest, second.diff_id)


def test_digests_are_of_what_they_say(tmp_path: Path) -> None:
    blob = build(tmp_path, 0, 0o022, 0)
    packed = blob.path.read_bytes()
    plain = gzip.decompress(packed)
    assert blob.digest == f"sha256:{hashlib.sha256(packed).hexdigest()}"
    assert blob.diff_id == f"sha256:{hashlib.sha256(plain).hexdigest()}"
    assert (blob.size, blob.unpacked, blob.files) == (len(packed), len(plain), 3)


def test_entries_are_plain(tmp_path: Path) -> None:
    blob = build(tmp_path, 0, 0o077, 0)
    with tarfile.open(blob.path) as tar:
        entries = {entry.name: entry for entry in tar}
    assert list(entries) == ["a.txt", "link", "run", "tmp", "z", "z/deep"]
    assert {name: oct(entry.mode) for name, entry in entries.items() if name != "link"} == {
        "a.txt": "0o644",
        "run": "0o755",
        "tmp": "0o1777",
        "z": "0o755",
        "z/deep": "0o644",
    }
    assert entries["link"].linkname == "a.txt"
    assert {entry.mtime for entry in entries.values()} == {layer.EPOCH}
    assert {name for name, entry in entries.items() if entry.uid or entry.gid} == {"z"}


def test_nothing_is_setuid(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "su").write_text("")
    (root / "su").chmod(0o6755)
    with tarfile.open(layer.write_layer(root, tmp_path / "layer", {}).path) as tar:
        assert tar.getmember("su").mode == 0o755


def test_facts_are_read_back(tmp_path: Path) -> None:
    blob = build(tmp_path, 0, 0o022, 0)
    facts = tmp_path / "facts.json"
    assert layer.load(blob.path, facts) is None
    layer.save(blob, facts)
    assert layer.load(blob.path, facts) == blob
    blob.path.unlink()
    assert layer.load(blob.path, facts) is None
