"""The base's paths by directory, for looking them up where they should be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_NONE: frozenset[bytes] = frozenset()


def join(above: bytes, name: bytes) -> bytes:
    """`name` in the directory `above` (b"" is the root)."""
    return above + b"/" + name if above else name


class Index:
    """Which names each directory of the base holds: files, and directories with files in them."""

    def __init__(self, files: Iterable[bytes]) -> None:
        self._names: dict[bytes, set[bytes]] = {}
        for path in files:
            self._enter(path)

    def _enter(self, path: bytes) -> None:
        while path:
            above, _, name = path.rpartition(b"/")
            names = self._names.setdefault(above, set())
            if name in names:
                return
            names.add(name)
            path = above

    def names(self, directory: bytes) -> set[bytes] | frozenset[bytes]:
        """The names in a directory; none where the base has no such directory."""
        return self._names.get(directory, _NONE)

    def files_at(self, path: bytes) -> Iterator[bytes]:
        """`path` itself where it is a file, else every file below it."""
        pending = [path]
        while pending:
            at = pending.pop()
            names = self.names(at)
            if not names:
                yield at
            pending.extend(join(at, name) for name in sorted(names))
