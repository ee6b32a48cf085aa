"""Test files by their name: each ecosystem's runner's own discovery rule."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from itertools import pairwise

from . import names

# extensions → what a name without its extension must match in full. Case sensitive: so are the
# runners, and `Latest.java`, `contest.py` and `Manifest.cs` are no tests.
_RULES: tuple[tuple[str, str], ...] = (
    (".py", r"test_.*|.*_tests?|tests?"),
    (".js .jsx .ts .tsx .mjs .cjs .mts .cts .vue .svelte",
     r".*\.(test|tests|spec|cy|e2e|e2e-spec|test-d)|.*[-_](test|spec)|test-.*|test"),
    (".go", r".*_test"),
    (".java .kt .kts .scala .groovy", r".*(Test|Tests|TestCase|IT|ITCase|Spec|Specs)|Test[A-Z].*"),
    (".scala", r".*Suite"),
    (".clj .cljs .cljc", r".*_test"),
    (".cs .fs .vb", r".*Tests?"),
    (".rb .cr", r".*_spec|.*_test|test_.*"),
    (".php", r".*(Test|Cest|Spec)"),
    (".phpt .bats .feature .robot", r".*"),
    (".rs", r"tests?|.*_tests?"),
    (".c .cc .cpp .cxx .cu .m .mm", r".*_(test|tests|unittest)|test_.*|.*[a-z](Test|Tests)"),
    (".swift", r".*Tests?"),
    (".exs .ex", r".*_test"),
    (".erl", r".*_SUITE|.*_tests?"),
    (".dart", r".*_test"),
    (".hs .lhs .elm .purs", r".*(Spec|Test|Tests)|Spec|Tests?"),
    (".t", r".*"),
    (".lua .moon", r".*_spec|.*_test|test_.*"),
    (".r", r"test[-_.].*"),
    (".jl", r"runtests|test_.*|.*_tests?"),
    (".sh .bash .ps1", r"test[-_].*|.*[-_.](test|tests|Tests)"),
    (".ml .nim .sol .zig .d", r"test_.*|.*_test|.*\.t"),
)  # fmt: skip


@functools.cache
def _table() -> dict[str, re.Pattern[str]]:
    """extension → pattern. Built on first use: compiling it at import would cost each command."""
    found: dict[str, list[str]] = {}
    for extensions, pattern in _RULES:
        for extension in extensions.split():
            found.setdefault(extension, []).append(pattern)
    return {ext: re.compile("|".join(parts), re.DOTALL) for ext, parts in found.items()}


def is_test_name(dirs: Sequence[str], name: str, extension: str) -> bool:
    """Whether `name` (with `extension` in lower case) is one that its language's runner collects.

    Java's `src/main/` never holds tests, whatever the names in it (`LoadTest.java`)."""
    pattern = _table().get(extension)
    if pattern is None or not pattern.fullmatch(name[: len(name) - len(extension)]):
        return False
    return not (extension in names.JVM_EXTENSIONS and _in_main(dirs))


def _in_main(dirs: Sequence[str]) -> bool:
    return ("src", "main") in pairwise(dirs)
