"""overlay.tar: the part of the tar format that the harness writes, and a reader of nothing more.

Own code instead of tarfile, because what is read may be hostile (tarfile of 3.11 loops for ever on
a negative offset, CVE-2025-8194) and what is written must be the same bytes whatever the Python.
Only regular files and symlinks; names are bytes; GNU long names where 100 bytes do not do, which
GNU tar, bsdtar, busybox and Python all read. No times, no owners.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

from benchwright.changes.modes import FILE, SYMLINK

_BLOCK = 512
_REGULAR, _LINK, _LONG_NAME, _LONG_TARGET = b"0", b"2", b"L", b"K"
_MAX_NAME = 4096
_END = bytes(2 * _BLOCK)


class TarError(ValueError):
    """Not a tar that this module wrote."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file (`target` None; `size` bytes follow) or a symlink. `mode` is git's."""

    name: bytes
    mode: int
    size: int
    target: bytes | None = None


def write_member(out: BinaryIO, member: Member, data: bytes) -> None:
    """Append one member; `data` is a file's content (b"" for a symlink)."""
    target = member.target or b""
    if len(target) > 100:
        _write_long(out, _LONG_TARGET, target)
    if len(member.name) > 100:
        _write_long(out, _LONG_NAME, member.name)
    kind = _LINK if member.target is not None else _REGULAR
    mode = 0o777 if member.target is not None else member.mode & 0o777
    out.write(_header(member.name[:100], mode, len(data), kind, target[:100]))
    out.write(data + _padding(len(data)))


def write_end(out: BinaryIO) -> None:
    """The two empty blocks that end an archive."""
    out.write(_END)


def _write_long(out: BinaryIO, kind: bytes, text: bytes) -> None:
    data = text + b"\0"
    out.write(_header(b"././@LongLink", 0, len(data), kind, b""))
    out.write(data + _padding(len(data)))


def _padding(size: int) -> bytes:
    return bytes(-size % _BLOCK)


def _header(name: bytes, mode: int, size: int, kind: bytes, target: bytes) -> bytes:
    fields = (
        name.ljust(100, b"\0"),
        b"%07o\0" % mode,
        b"%07o\0" % 0,  # uid
        b"%07o\0" % 0,  # gid
        b"%011o\0" % size,
        b"%011o\0" % 0,  # mtime
        b" " * 8,
        kind,
        target.ljust(100, b"\0"),
        b"ustar  \0",
    )
    block = b"".join(fields).ljust(_BLOCK, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def read_header(source: BinaryIO) -> Member | None:
    """The next member, None at the end of the archive. Its data, if any, must then be read with
    `skip_padding` after it. TarError for anything that `write_member` would not have written."""
    name = target = None
    while True:
        block = source.read(_BLOCK)
        if block == bytes(_BLOCK):
            return None
        _check(block)
        kind, size = block[156:157], _octal(block[124:136])
        if kind == _LONG_NAME and name is None:
            name = _read_long(source, size)
        elif kind == _LONG_TARGET and target is None:
            target = _read_long(source, size)
        else:
            return _member(block, kind, size, name, target)


def _member(
    block: bytes, kind: bytes, size: int, name: bytes | None, target: bytes | None
) -> Member:
    name = name if name is not None else block[:100].rstrip(b"\0")
    target = target if target is not None else block[157:257].rstrip(b"\0")
    if kind == _LINK and size == 0:
        return Member(name, SYMLINK, 0, target)
    if kind == _REGULAR and not target:
        return Member(name, (FILE & ~0o777) | _octal(block[100:108]) & 0o777, size)
    raise TarError(f"member of type {kind!r}")


def skip_padding(source: BinaryIO, size: int) -> None:
    """Pass what fills the last block of `size` bytes of data."""
    if source.read(-size % _BLOCK).strip(b"\0"):
        raise TarError("padding is not empty")


def _check(block: bytes) -> None:
    if len(block) != _BLOCK:
        raise TarError("archive ends early")
    total = sum(block) - sum(block[148:156]) + 8 * 0x20
    if block[257:265] != b"ustar  \0" or _octal(block[148:156].rstrip(b" ")) != total:
        raise TarError("not a header")


def _octal(text: bytes) -> int:
    digits = text.rstrip(b"\0")
    if not digits or digits.strip(b"01234567"):
        raise TarError(f"not an octal number: {text!r}")
    return int(digits, 8)


def _read_long(source: BinaryIO, size: int) -> bytes:
    if not 0 < size <= _MAX_NAME + 1:
        raise TarError(f"name of {size} bytes")
    text = source.read(size)
    if len(text) != size or not text.endswith(b"\0"):
        raise TarError("archive ends early")
    skip_padding(source, size)
    return text[:-1]
