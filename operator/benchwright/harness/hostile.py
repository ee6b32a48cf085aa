"""Reading files from folders that an agent could write: no links, no pipes, no surprises in size."""

import os
import stat
from pathlib import Path


def read_regular(folder: Path, name: str, limit: int) -> bytes | None:
    """Content of a regular file below `folder`; None where there is none or it is too large.

    No component of the path may be a symbolic link: it could lead to the harness's own files.
    """
    descriptors = []
    try:
        at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        descriptors.append(at)
        *parents, last = name.split("/")
        for part in parents:
            at = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
            descriptors.append(at)
        # NONBLOCK: opening a pipe would wait for its other end.
        file = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
        descriptors.append(file)
        return _content(file, limit)
    except OSError:
        return None
    finally:
        for descriptor in reversed(descriptors):
            os.close(descriptor)


def _content(file: int, limit: int) -> bytes | None:
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
        return None
    data = bytearray()
    while chunk := os.read(file, min(1024 * 1024, limit + 1 - len(data))):
        data += chunk
        if len(data) > limit:
            return None
    return bytes(data)
