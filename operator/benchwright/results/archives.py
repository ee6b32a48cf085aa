"""Unpacking source archives that nobody vouches for.

Written out here because Debian 12's Python (3.11.2) has no extraction filters (PEP 706). Only
folders, files and links within the tree come out; everything else is refused.
"""

import posixpath
import shutil
import stat
import tarfile
import zipfile
from pathlib import Path
from typing import IO

MAX_FILES = 200_000
MAX_BYTES = 2 * 1024**3
BROKEN = (tarfile.TarError, zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError)
"""What unpacking may raise for an archive that is damaged or refused."""


def unpack(archive: Path, into: Path, strip: int) -> None:
    """Unpack a tar (any compression) or zip, without the first `strip` folders of each name."""
    unpacker = _Unpacker(into, strip)
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped:
            for info in zipped.infolist():
                unpacker.zip_member(zipped, info)
        return
    with tarfile.open(archive) as tar:
        for member in tar:
            unpacker.tar_member(tar, member)


class _Unpacker:
    def __init__(self, into: Path, strip: int):
        self._into, self._strip = into, strip
        self._files = 0
        self._bytes = 0

    def tar_member(self, tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        path = self._place(member.name, member.size)
        if path is None:
            return
        if member.isdir():
            path.mkdir(parents=True, exist_ok=True)
        elif member.issym():
            self._link(path, member.linkname)
        elif member.isreg() or member.islnk():  # a hard link is a copy of what it names
            stream = tar.extractfile(member)
            if stream is None:
                raise ValueError(f"{member.name!r} has no content")
            self._file(path, stream, executable=bool(member.mode & stat.S_IXUSR))
        else:
            raise ValueError(f"{member.name!r} is a device or pipe")

    def zip_member(self, zipped: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        path = self._place(info.filename, info.file_size)
        if path is None:
            return
        if info.is_dir():
            path.mkdir(parents=True, exist_ok=True)
            return
        mode = info.external_attr >> 16
        if stat.S_ISLNK(mode):
            self._link(path, zipped.read(info).decode("utf-8", "surrogateescape"))
            return
        with zipped.open(info) as stream:
            self._file(path, stream, executable=bool(mode & stat.S_IXUSR))

    def _place(self, name: str, size: int) -> Path | None:
        self._files += 1
        self._bytes += size
        if self._files > MAX_FILES or self._bytes > MAX_BYTES:
            raise ValueError(f"larger than {MAX_FILES} files or {MAX_BYTES} bytes")
        parts = [p for p in name.split("/") if p not in {"", "."}]
        if ".." in parts or name.startswith("/") or "\0" in name:
            raise ValueError(f"{name!r} leads out of the archive")
        kept = parts[self._strip :]
        return self._into.joinpath(*kept) if kept else None

    def _file(self, path: Path, stream: IO[bytes], *, executable: bool) -> None:
        self._clear(path)
        with path.open("wb") as out:
            shutil.copyfileobj(stream, out)
        path.chmod(0o755 if executable else 0o644)

    def _link(self, path: Path, target: str) -> None:
        inside = path.parent.relative_to(self._into).as_posix()
        resolved = posixpath.normpath(posixpath.join(inside, target))
        if target.startswith("/") or resolved.startswith("..") or "\0" in target:
            raise ValueError(f"link {path.name!r} to {target!r} leads out of the archive")
        self._clear(path)
        path.symlink_to(target)

    def _clear(self, path: Path) -> None:
        """Make room for `path`, and see to it that no parent of it is a link."""
        at = self._into
        for part in path.parent.relative_to(self._into).parts:
            at = at / part
            if at.is_symlink():
                raise ValueError(f"{part!r} is a link, and files are to go below it")
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() or path.is_file():
            path.unlink()
