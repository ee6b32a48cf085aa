"""Unpacking source archives that nobody vouches for.

Written out here because Debian 12's Python (3.11.2) has no extraction filters (PEP 706). Only
folders, files and links within the tree come out; everything else is refused.
"""

import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, cast

from benchwright.results.bounded import Bounded, decompressed
from benchwright.results.tree import Tree, show

MAX_HEADER = 1024 * 1024
"""Of a member: its name, link and extended headers, which tarfile reads whole."""
MAX_HEADERS = 512 * 1024 * 1024
"""Of all members."""
MAX_DIRECTORY = 32 * 1024 * 1024
"""Of a zip archive, likewise."""
BROKEN = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error,
    OSError, ValueError, EOFError, LookupError, RuntimeError,
)  # fmt: skip
"""What unpacking may raise for an archive that is damaged, encrypted or refused."""


def unpack(archive: Path, into: Path, strip: int) -> None:
    """Unpack a tar (gzip, bzip2, xz or plain) or zip, without the first `strip` folders of each name."""
    unpacker = _Unpacker(Tree(into), strip)
    with archive.open("rb") as raw:
        # Not zipfile.is_zipfile: it also says yes to a tar whose last member is a zip archive.
        if raw.read(4) in {b"PK\3\4", b"PK\5\6"}:
            unpacker.zip(raw)
        else:
            unpacker.tar(raw)
    unpacker.tree.check_links()


class _Unpacker:
    def __init__(self, tree: Tree, strip: int):
        self.tree, self._strip = tree, strip
        self._top: str | None = None

    def tar(self, raw: IO[bytes]) -> None:
        with closing(decompressed(raw)) as stream:
            bounded = Bounded(stream, MAX_HEADER)
            with tarfile.open(fileobj=bounded, mode="r:") as tar:
                for member in _members(tar, bounded):
                    self._tar_member(tar, member)

    def _tar_member(self, tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        path = self._stripped(member.name, is_folder=member.isdir())
        if member.size < 0:  # tarfile would go back to where it was
            raise ValueError(f"{show(member.name)} has a negative size")
        if path is None:
            return
        if member.isdir():
            self.tree.folder(path)
        elif member.issym():
            self.tree.link(path, member.linkname)
        elif member.islnk():
            self.tree.copy(path, self._stripped(member.linkname, is_folder=False) or "")
        elif member.isreg() and (stream := tar.extractfile(member)):
            executable = bool(member.mode & stat.S_IXUSR)
            self.tree.file(path, stream, size=member.size, executable=executable)
        else:
            raise ValueError(f"{show(member.name)} is neither file, folder nor link")

    def zip(self, raw: IO[bytes]) -> None:
        bounded = Bounded(raw, MAX_DIRECTORY)
        with zipfile.ZipFile(cast(IO[bytes], bounded)) as zipped:
            for info in zipped.infolist():
                bounded.left = MAX_HEADER + 2 * info.compress_size
                self._zip_member(zipped, info)

    def _zip_member(self, zipped: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        path = self._stripped(info.filename, is_folder=info.is_dir())
        mode = info.external_attr >> 16
        if path is None:
            return
        if info.is_dir():
            self.tree.folder(path)
            return
        if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            # zipfile inflates the others without a limit.
            raise ValueError(f"{show(info.filename)} is not compressed by deflate: pack it anew")
        with zipped.open(info) as stream:
            if stat.S_ISLNK(mode):
                target = stream.read(MAX_HEADER)
                self.tree.link(path, target.decode("utf-8", "surrogateescape"))
            else:
                executable = bool(mode & stat.S_IXUSR)
                self.tree.file(path, stream, size=info.file_size, executable=executable)

    def _stripped(self, name: str, *, is_folder: bool) -> str | None:
        parts = [p for p in name.split("/") if p not in {"", "."}]
        if ".." in parts or name.startswith("/") or "\0" in name:
            raise ValueError(f"{show(name)} leads out of the archive")
        kept = parts[self._strip :]
        if kept or not is_folder:
            self._check_top("/".join(parts[: self._strip]), name)
        return "/".join(kept) if kept else None

    def _check_top(self, top: str, name: str) -> None:
        """Two folders would become one, or a file would vanish: then stripping is a mistake."""
        if name.rpartition("/")[2].startswith("._"):
            return  # what macOS leaves beside the top folder
        if self._top is None:
            self._top = top
        if top != self._top:
            raise ValueError(
                f"{show(name)} is not below {show(self._top)} like what comes before it: an archive "
                "without one top folder needs source.archive.stripComponents: 0"
            )


def _members(tar: tarfile.TarFile, bounded: Bounded) -> Iterator[tarfile.TarInfo]:
    budget = MAX_HEADERS
    while True:
        bounded.left = allowed = min(MAX_HEADER, budget)
        member = tar.next()
        budget -= allowed - bounded.left
        if member is None:
            break
        bounded.left = max(0, member.size)
        yield member
    # tarfile takes a damaged header, or none at all, for the end too.
    if not bounded.last or bounded.last.strip(b"\0"):
        raise tarfile.ReadError("it is damaged or cut short: there is no end mark")
