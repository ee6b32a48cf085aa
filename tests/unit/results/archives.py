"""Archives made by hand, as only an attacker or an old tool would write them."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from benchwright.results.sources import extract
from benchwright.tasks.errors import TaskError

Squeeze = Callable[[bytes], bytes]
SQUEEZE: dict[str, Squeeze] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "plain": bytes,
}


@dataclass(frozen=True)
class Member:
    name: str
    data: bytes = b""
    kind: bytes = tarfile.REGTYPE
    link: str = ""
    mode: int = 0o644
    pax: dict[str, str] = field(default_factory=dict)

    def info(self) -> tarfile.TarInfo:
        info = tarfile.TarInfo(self.name)
        info.type, info.linkname, info.mode = self.kind, self.link, self.mode
        info.size, info.pax_headers = len(self.data), dict(self.pax)
        return info


def file(name: str, data: bytes = b"x", mode: int = 0o644, **pax: str) -> Member:
    return Member(name, data, mode=mode, pax=pax)


def folder(name: str) -> Member:
    return Member(name, kind=tarfile.DIRTYPE, mode=0o755)


def link(name: str, target: str) -> Member:
    return Member(name, kind=tarfile.SYMTYPE, link=target)


def hard(name: str, target: str) -> Member:
    return Member(name, kind=tarfile.LNKTYPE, link=target)


def tar(*members: Member, form: int = tarfile.PAX_FORMAT, squeeze: str = "gzip") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form) as out:
        for member in members:
            out.addfile(member.info(), io.BytesIO(member.data))
    return SQUEEZE[squeeze](stream.getvalue())


def zipped(*members: Member, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as out:
        for member in members:
            info = zipfile.ZipInfo(member.name)
            info.compress_type = method
            kind = 0o120000 if member.kind == tarfile.SYMTYPE else 0o100000
            info.external_attr = (kind | member.mode) << 16
            out.writestr(info, member.link.encode() or member.data)
    return stream.getvalue()


@dataclass
class Sandbox:
    """A place to unpack in, with neighbours that must not change."""

    top: Path

    def __post_init__(self) -> None:
        self.into = self.top / "a/b/into"
        self.into.mkdir(parents=True)
        (self.top / "a/secret").write_bytes(b"secret")
        self._before = self._outside()

    def unpack(self, data: bytes, strip: int = 0) -> dict[str, object]:
        """What came out: content by name, links as `→ target`."""
        archive = self.top / "archive"
        archive.write_bytes(data)
        try:
            extract(archive, self.into, strip, "task")
        finally:
            archive.unlink()
            assert self._outside() == self._before, "written outside"
        return self.found()

    def refuse(self, data: bytes, strip: int = 0) -> str:
        """The words of the refusal; anything but TaskError would leave a TaskSet without a word."""
        with pytest.raises(TaskError) as caught:
            self.unpack(data, strip)
        assert caught.value.reason == "ArchiveUnreadable"
        assert "\n" not in caught.value.message
        return caught.value.message

    def found(self) -> dict[str, object]:
        out: dict[str, object] = {}
        for path in sorted(self.into.rglob("*")):
            name = path.relative_to(self.into).as_posix()
            if path.is_symlink():
                out[name] = f"→ {path.readlink()}"
            elif path.is_file():
                out[name] = path.read_bytes()
        return out

    def _outside(self) -> dict[str, bytes | None]:
        return {
            str(path): path.read_bytes() if path.is_file() else None
            for path in self.top.rglob("*")
            if not path.is_relative_to(self.into) and path.name != "archive"
        }
