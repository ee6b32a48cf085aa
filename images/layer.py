"""A staged directory as a layer: one deterministic tar, compressed.

The same files give the same bytes: entries are sorted, times are one constant, owners are
numbers, and of a mode only `executable` and `sticky` count, so neither the umask nor the user of
the machine that builds shows, and nothing is setuid.
"""

import gzip
import hashlib
import json
import stat
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, cast

EPOCH = 1_700_000_000
"""The time of every file and image: an image's age says nothing, its digest does."""

_LEVEL = 1
"""Half the time of level 6 and a sixth larger: layers are mostly read where they were made."""


@dataclass(frozen=True)
class Blob:
    """A layer in the cache; `diff_id` is the digest of what it unpacks to."""

    path: Path
    digest: str
    diff_id: str
    size: int
    unpacked: int
    files: int


class Digester:
    """Passes bytes on and keeps their SHA-256 and number."""

    def __init__(self, target: IO[bytes]) -> None:
        self._target = target
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        self._hash.update(data)
        self.size += len(data)
        return self._target.write(data)

    def flush(self) -> None:
        self._target.flush()

    @property
    def digest(self) -> str:
        return f"sha256:{self._hash.hexdigest()}"


def write_layer(root: Path, target: Path, owners: Mapping[str, int]) -> Blob:
    """Write everything below `root` to `target`; `owners` gives the ids of paths not root's."""
    with target.open("wb") as file:
        compressed = Digester(file)
        with gzip.GzipFile("", "wb", _LEVEL, cast(IO[bytes], compressed), mtime=0) as zipped:
            plain = Digester(cast(IO[bytes], zipped))
            files = _write_tar(root, plain, owners)
    return Blob(target, compressed.digest, plain.digest, compressed.size, plain.size, files)


def save(blob: Blob, target: Path) -> None:
    """Write what is known of a layer beside it."""
    facts = {key: value for key, value in asdict(blob).items() if key != "path"}
    target.write_text(json.dumps(facts, indent=1) + "\n")


def load(path: Path, facts: Path) -> Blob | None:
    """The layer at `path`, or None where it or its facts are missing."""
    if not (path.is_file() and facts.is_file()):
        return None
    return Blob(path=path, **json.loads(facts.read_text()))


def _write_tar(root: Path, target: Digester, owners: Mapping[str, int]) -> int:
    files = 0
    stream = cast(IO[bytes], target)
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        for path in _walk(root):
            name = str(path.relative_to(root))
            entry = _plain(tar.gettarinfo(path, name), owners.get(name, 0))
            if entry.isreg():
                files += 1
                with path.open("rb") as content:
                    tar.addfile(entry, content)
            else:
                tar.addfile(entry)
    return files


def _walk(directory: Path) -> Iterator[Path]:
    """Everything below `directory`, each directory before what is in it, in a stable order."""
    for path in sorted(directory.iterdir()):
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path)


def _plain(entry: tarfile.TarInfo, owner: int) -> tarfile.TarInfo:
    entry.mode = _mode(entry.mode, entry.isdir())
    entry.uid = entry.gid = owner
    entry.uname = entry.gname = ""
    entry.mtime = EPOCH
    entry.pax_headers = {}
    return entry


def _mode(mode: int, directory: bool) -> int:
    if directory and mode & stat.S_ISVTX:
        return 0o1777
    return 0o755 if directory or mode & stat.S_IXUSR else 0o644
