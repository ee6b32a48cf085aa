"""Lines added to files, and files brought to the disk."""

import contextlib
import os
from pathlib import Path


def append_line(fd: int, line: bytes, size: int) -> None:
    """Add a line to a file of `size` bytes. Raises OSError, and then nothing was added: a half-written
    line (a full disk) is taken back, so that the next one starts clean."""
    try:
        written = os.write(fd, line)
        while written < len(line):
            written += os.write(fd, line[written:])
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(fd, size)
        raise


def sync(path: Path) -> None:
    """Bring a file to the disk, or what a folder has: a new file is only sure to be found again when
    its folder is there too. Blocks. Raises OSError."""
    opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
