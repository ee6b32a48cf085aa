"""Paths as text: reports are made elsewhere, so nothing here looks at a file system."""

import posixpath
import re

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def normal(path: str) -> str:
    """Collapse `.`, `..` and `//`, and turn Windows separators round.

    A backslash is a legal character of a posix name, so it is a separator only after a drive
    letter or where no slash is to be seen.
    """
    if "\\" in path and (_DRIVE.match(path) or "/" not in path):
        path = path.replace("\\", "/")
    return _normpath(path)


def _normpath(path: str) -> str:
    path = posixpath.normpath(path)
    # POSIX gives exactly two leading slashes a meaning of their own; no report means that.
    return path[1:] if path.startswith("//") else path


def is_absolute(path: str) -> bool:
    """Absolute here or on Windows; `path` is normal."""
    return path.startswith("/") or _DRIVE.match(path) is not None


def is_clean(path: str) -> bool:
    """Whether `path` is a normalised path below the root of a repository, and a file's."""
    return (
        path not in ("", ".", "..")
        and not path.startswith(("/", "../"))
        and "\0" not in path
        and _normpath(path) == path
    )


def relative_to(path: str, root: str) -> str | None:
    """`path` below `root` ("" for `root` itself), or None outside; both normal and absolute."""
    if path == root:
        return ""
    prefix = root if root.endswith("/") else root + "/"
    return path[len(prefix) :] if path.startswith(prefix) else None
