"""gitignore rules, as git applies them, over the BASE's .gitignore files.

The agent's own .gitignore, .git/info/exclude and core.excludesFile hide its changes from
`git status` (research/coverage-compose-git.md §4: "exclude hides new tests"), so they count for
nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from .globs import compile_glob


@dataclass(frozen=True, slots=True)
class Rule:
    """One line: matched against the name (`by_name`) or against the path below its own file."""

    pattern: re.Pattern[bytes]
    negated: bool
    directories_only: bool
    by_name: bool


def parse(content: bytes) -> tuple[Rule, ...]:
    """The rules of one .gitignore, in order."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return tuple(rule for line in lines if (rule := _rule(line)) is not None)


def _rule(line: bytes) -> Rule | None:
    text = _trimmed(line.removesuffix(b"\r"))
    if not text or text.startswith(b"#"):
        return None
    negated = text.startswith(b"!")
    text = text[1:] if negated else text
    directories_only = text.endswith(b"/")
    text = text[:-1] if directories_only else text
    by_name = b"/" not in text
    return Rule(compile_glob(text.removeprefix(b"/")), negated, directories_only, by_name)


def _trimmed(line: bytes) -> bytes:
    """Without trailing spaces, but for one that a backslash quotes."""
    bare = line.rstrip(b" ")
    slashes = len(bare) - len(bare.rstrip(b"\\"))
    return bare + b" " if slashes % 2 and len(bare) < len(line) else bare


@dataclass(frozen=True, slots=True)
class Ignore:
    """`files`: directory of a .gitignore (b"" for the root) → its rules."""

    files: Mapping[bytes, tuple[Rule, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, contents: Mapping[bytes, bytes]) -> Ignore:
        """From directory → bytes of its .gitignore."""
        return cls({where: parse(content) for where, content in contents.items()})

    def matches(self, path: bytes, *, is_dir: bool) -> bool:
        """Whether `path` itself is ignored, its parents not being so. The deepest file decides,
        and in a file the last rule that matches."""
        if not self.files:
            return False
        name = path.rpartition(b"/")[2]
        for where in _above(path):
            rules = self.files.get(where)
            if rules is None:
                continue
            below = path[len(where) + 1 :] if where else path
            for rule in reversed(rules):
                if rule.directories_only and not is_dir:
                    continue
                if rule.pattern.fullmatch(name if rule.by_name else below):
                    return not rule.negated
        return False

    def covers(self, path: bytes) -> bool:
        """Whether the file `path` is ignored by itself or through a directory above it. Nothing
        below an ignored directory can be re-included."""
        at = path.find(b"/")
        while at != -1:
            if self.matches(path[:at], is_dir=True):
                return True
            at = path.find(b"/", at + 1)
        return self.matches(path, is_dir=False)


def _above(path: bytes) -> list[bytes]:
    """The directories that hold `path`, innermost first, the root (b"") last."""
    found = []
    while path:
        path = path.rpartition(b"/")[0]
        found.append(path)
    return found
