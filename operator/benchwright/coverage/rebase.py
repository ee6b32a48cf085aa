"""From the paths of a report to those of the base tree: surest rule first, never a guess.

1. The place that the report names: `<source>` + filename, or an absolute path below the
   workspace. Files under several sources make the path ambiguous (coveragepy/coveragepy#1475:
   coverage.py writes not which source it was, and drops all but one of such files).
2. Exactly a path of the base.
3. A unique suffix, only where the report knows another world than `root` throughout, i.e. where
   the rules above place none of its paths anywhere. Were it tried path by path, a new file
   `tests/x/src/calc.py`, or `/tmp/src/calc.py`, would pass for the base's `src/calc.py`.

diff_cover#342, #104, #91 and #132 are all paths that did not match and that nobody was told of:
what stays unmapped is returned with its reason.
"""

import posixpath
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchwright.coverage.model import BaseTree, Match, UnmappedReason
from benchwright.coverage.paths import is_absolute, normal, relative_to


@dataclass(frozen=True, slots=True)
class Found:
    path: str
    how: Match


@dataclass(frozen=True, slots=True)
class Lost:
    reason: UnmappedReason
    placed: bool = True
    """Whether it is known where the file is: then the report speaks of this workspace."""


def rebase(
    paths: Iterable[str], base: BaseTree, *, root: str, sources: Sequence[str], cwd: str | None
) -> dict[str, Found | Lost]:
    """Map each path of a report; `root` and `cwd` are absolute (ValueError otherwise)."""
    places = _Places(base, root, sources, cwd)
    placed = {path: places.find(path) for path in paths}
    if any(isinstance(place, Found) or place.placed for place in placed.values()):
        return placed
    return placed | _by_suffix(list(placed), base)


class _Places:
    """Rules 1 and 2."""

    def __init__(self, base: BaseTree, root: str, sources: Sequence[str], cwd: str | None) -> None:
        self._base = base
        self._root = _absolute(root)
        home = self._root if cwd is None else _absolute(cwd)
        places = dict.fromkeys(normal(posixpath.join(home, normal(s or "."))) for s in sources)
        if not sources and cwd is not None:
            places = {home: None}
        inside = [relative_to(place, self._root) for place in places]
        self._prefixes = [prefix for prefix in inside if prefix is not None]
        self._no_sources = not places
        self._all_inside = bool(places) and len(inside) == len(self._prefixes)

    def find(self, path: str) -> Found | Lost:
        clean = normal(path)
        if is_absolute(clean):
            return self._find_absolute(clean)
        exact = {name for name in (path, clean) if self._base.knows(name)}
        joined = self._joined(clean)
        # Where all sources are inside, the file is in one of them: the format says so. What is
        # written relative to the root in spite of its sources is found by `exact`.
        candidates = joined if joined and self._all_inside else joined | exact
        if len(candidates) > 1:
            return Lost(UnmappedReason.AMBIGUOUS)
        for only in candidates:
            return self._in_base(only, self._how(only, exact))
        if self._no_sources and clean.startswith("../"):
            return Lost(UnmappedReason.OUTSIDE)
        return Lost(UnmappedReason.NOT_IN_BASE, placed=self._all_inside)

    def _joined(self, clean: str) -> set[str]:
        joins = [f"{prefix}/{clean}" if prefix else clean for prefix in self._prefixes]
        if clean.startswith(".."):
            joins = [normal(path) for path in joins]  # else they are: this loop may be hot
        return {path for path in joins if self._base.knows(path)}

    def _how(self, only: str, exact: set[str]) -> Match:
        if only in exact:
            return Match.EXACT
        return Match.SOURCE if len(self._prefixes) == 1 else Match.ONE_OF_SOURCES

    def _find_absolute(self, clean: str) -> Found | Lost:
        inside = relative_to(clean, self._root)
        if inside is None:
            return Lost(UnmappedReason.OUTSIDE, placed=False)
        return self._in_base(inside, Match.ROOT)

    def _in_base(self, path: str, how: Match) -> Found | Lost:
        return Found(path, how) if path in self._base.lines else Lost(UnmappedReason.NOT_IN_BASE)


def _absolute(path: str) -> str:
    if not path.startswith("/"):
        raise ValueError(f"no absolute path: {path!r}")
    return normal(path)


def _by_suffix(paths: Sequence[str], base: BaseTree) -> dict[str, Found | Lost]:
    """Rule 3. Two paths of the report that come to the same file are both ambiguous."""
    index = _Suffixes(base)
    candidates = {path: index.find(path) for path in paths}
    claims = Counter(only for found in candidates.values() if len(found) == 1 for only in found)
    placed: dict[str, Found | Lost] = {}
    for path, found in candidates.items():
        for only in found:
            unique = len(found) == 1 and claims[only] == 1
            placed[path] = Found(only, Match.SUFFIX) if unique else Lost(UnmappedReason.AMBIGUOUS)
    for path, place in placed.items():
        if isinstance(place, Found) and place.path not in base.lines:
            placed[path] = Lost(UnmappedReason.NOT_IN_BASE)
    return placed


class _Suffixes:
    """Base paths by their ends: reversed and sorted, so that a lookup is a bisection."""

    def __init__(self, base: BaseTree) -> None:
        self._base = base
        paths = (*base.lines, *base.extra)
        self._keys = sorted(_reversed(path.split("/")) for path in paths)
        self._depth = max((path.count("/") + 1 for path in paths), default=0)

    def find(self, path: str) -> set[str]:
        """Base files of which one is the other's end (at most two: more says no more)."""
        parts = [part for part in normal(path).split("/") if part not in ("", "..")]
        return self._longer(parts) | self._shorter(parts)

    def _longer(self, parts: list[str]) -> set[str]:
        """Base paths that end with `parts`: the tool left out the source root."""
        key = _reversed(parts)
        start = bisect_left(self._keys, key)
        near = self._keys[start : start + 2] if parts else []
        return {"/".join(reversed(k[:-1].split("/"))) for k in near if k.startswith(key)}

    def _shorter(self, parts: list[str]) -> set[str]:
        """Base paths that `parts` end with: made elsewhere. One name alone says too little."""
        ends = ("/".join(parts[-n:]) for n in range(2, min(len(parts), self._depth) + 1))
        return {end for end in ends if self._base.knows(end)}


def _reversed(parts: list[str]) -> str:
    return "/".join(reversed(parts)) + "/"
