"""Task directories ↔ one .tar.gz, for a ConfigMap (deterministic; read as hostile)."""

import gzip
import io
import tarfile
import zlib
from collections.abc import Mapping

from benchwright.tasks.errors import TaskError

MAX_PACKED = 1024 * 1024
MAX_UNPACKED = 64 * 1024 * 1024
MAX_FILES = 20000


def pack(files: Mapping[str, bytes]) -> bytes:
    """Files by path (`<task>/task.yaml`, …) → the same bytes each time."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, data in sorted(files.items()):
            info = tarfile.TarInfo(path)
            info.size, info.mode = len(data), 0o644
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(stream.getvalue(), mtime=0)


def unpack(data: bytes) -> dict[str, dict[str, bytes]]:
    """Task directory name → its files. Only regular files are read; links and devices are refused."""
    tasks: dict[str, dict[str, bytes]] = {}
    total = 0
    try:
        plain = _decompress(data)
        with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as tar:
            for number, member in enumerate(tar):
                if number >= MAX_FILES:
                    raise TaskError("PackTooLarge", "archive", f"more than {MAX_FILES} entries")
                if member.isdir():
                    continue
                total += member.size
                name, path = _split(member, total)
                stream = tar.extractfile(member)
                assert stream is not None
                tasks.setdefault(name, {})[path] = stream.read()
    except (tarfile.TarError, EOFError, OSError, ValueError, zlib.error) as error:
        raise TaskError(
            "PackUnreadable", "archive", f"not a .tar.gz of task directories: {error}"
        ) from error
    return tasks


def _decompress(data: bytes) -> bytes:
    """Bounded before anything looks at it: tarfile reads extended headers whole."""
    limit = MAX_UNPACKED + MAX_FILES * 2 * tarfile.BLOCKSIZE
    limit = min(limit, 2 * MAX_UNPACKED)
    reader = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    plain = reader.decompress(data, limit + 1)
    if len(plain) > limit:
        raise TaskError("PackTooLarge", "archive", f"more than {MAX_UNPACKED} bytes unpacked")
    if not reader.eof:
        raise EOFError("the archive is cut short")
    return plain


def _split(member: tarfile.TarInfo, total: int) -> tuple[str, str]:
    path = member.name.removeprefix("./")
    if not member.isreg():
        raise TaskError("PackUnreadable", "archive", f"{path!r} is neither a file nor a folder")
    if total > MAX_UNPACKED:
        raise TaskError("PackTooLarge", "archive", f"more than {MAX_UNPACKED} bytes unpacked")
    name, slash, rest = path.partition("/")
    if not slash or not rest:
        raise TaskError("PackUnreadable", "archive", f"{path!r} is in no task directory")
    return name, rest
