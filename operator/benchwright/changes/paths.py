"""Paths of a tree that an agent has touched: bytes, as the kernel has them.

Nothing here decodes a path to compare it. Text forms exist for two readers only: people (`show`)
and JSON (`encode`/`decode`, which round trip every byte string and never hold a lone surrogate,
which PostgreSQL and many JSON readers refuse).
"""

from __future__ import annotations

import re

MAX_PATH = 4096
MAX_TREE_PATH, MAX_TREE_DEPTH = 1024, 100
"""Of what a base may hold and a snapshot takes."""
_MAX_NAME = 255
_NOT_NORMAL = re.compile(rb"(?:\A|/)\.{0,2}(?:/|\Z)")  # an empty component, `.` or `..`
_ESCAPED = "bytes:"
# Code points that HFS+ ignores in names: `.g\u200cit` is `.git` there (git's is_hfs_dotgit).
_HFS_IGNORED = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)


def is_git_name(name: bytes) -> bool:
    """Whether one path component is `.git` on some file system: `.GIT`, `git~1`, `.git .`, ...

    Such a thing is repository metadata (and code: hooks, fsmonitor), never content. The rules are
    git's own for what it refuses to store (verify_path with protectHFS and protectNTFS).
    """
    if name.isascii() and b"git" not in name.lower():
        return False
    text = name.decode("utf-8", "replace").translate(_HFS_IGNORED).lower()
    head = text.split("\\", 1)[0].split(":", 1)[0].rstrip(" .")
    return head in (".git", "git~1")


def has_git_name(path: bytes) -> bool:
    """Whether any component of `path` is a `.git` variant."""
    if path.isascii() and b"git" not in path.lower():
        return False
    return any(is_git_name(part) for part in path.split(b"/"))


def problem(path: bytes) -> str | None:
    """Why `path` may not be written below a root, or None. Purely lexical."""
    if not path:
        return "empty path"
    if len(path) > MAX_PATH:
        return "path too long"
    if b"\0" in path:
        return "NUL in path"
    if _NOT_NORMAL.search(path):
        return "path is absolute or not normal"
    if len(path) > _MAX_NAME and any(len(part) > _MAX_NAME for part in path.split(b"/")):
        return "name too long"
    if has_git_name(path):
        return "path names git metadata"
    return None


def link_problem(path: bytes, target: bytes) -> str | None:
    """Why a symlink at `path` to `target` leaves the tree, or None. Purely lexical."""
    if target.startswith(b"/"):
        return "symlink_absolute"
    depth = path.count(b"/")
    for part in target.split(b"/"):
        if part == b"..":
            depth -= 1
        elif part not in (b"", b"."):
            depth += 1
        if depth < 0:
            return "symlink_escapes"
    return None


def parents(path: bytes) -> list[bytes]:
    """The directories above `path`, outermost first, no root: b"a/b/c" → [b"a", b"a/b"]."""
    found = []
    at = path.find(b"/")
    while at != -1:
        found.append(path[:at])
        at = path.find(b"/", at + 1)
    return found


def encode(path: bytes) -> str:
    """`path` as JSON-safe text: itself where it is UTF-8, else `bytes:` and %XX escapes."""
    try:
        text = path.decode("utf-8")
    except UnicodeDecodeError:
        text = _ESCAPED
    if text.startswith(_ESCAPED) or "\0" in text:
        return _ESCAPED + "".join(map(_escape, path))
    return text


def _escape(byte: int) -> str:
    return chr(byte) if 0x20 < byte < 0x7F and byte != 0x25 else f"%{byte:02X}"


def decode(text: str) -> bytes:
    """The path that `encode` was given. ValueError where it could not have come from `encode`."""
    path = _unescape(text[len(_ESCAPED) :]) if text.startswith(_ESCAPED) else text.encode()
    if encode(path) != text:
        raise ValueError("not a canonical encoded path")
    return path


def _unescape(text: str) -> bytes:
    head, *rest = text.encode("ascii").split(b"%")
    return head + b"".join(bytes.fromhex(part[:2].decode()) + part[2:] for part in rest)


def show(path: bytes) -> str:
    """`path` on one printable line for people: control characters and raw bytes as `\\xNN`."""
    text = path.decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
