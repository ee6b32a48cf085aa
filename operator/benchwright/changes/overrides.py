"""What a task says of its own paths."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from .globs import compile_any
from .pathclass import PathClass


@dataclass(frozen=True, slots=True)
class Overrides:
    """A task's own globs (gitignore-like, no `!`; see `globs.compile_any`). They win over all."""

    tests: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    support: tuple[str, ...] = ()

    def find(self, path: bytes) -> PathClass | None:
        """The class that the task gives `path`, if any."""
        ordered = (
            (self.sources, PathClass.SOURCE),
            (self.support, PathClass.TEST_SUPPORT),
            (self.tests, PathClass.TEST),
        )
        for globs, cls in ordered:
            if globs and _compiled(globs).fullmatch(path):
                return cls
        return None


_compiled = functools.lru_cache(maxsize=64)(compile_any)
