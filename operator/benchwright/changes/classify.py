"""What kind of file a path is: decides what crosses to the evaluator and how a change is counted.

By path alone (research/coverage-compose-git.md §4, "Test/source classification"), so that it can
be told without the content and again later. Rules, the first that applies decides:

 1. the task's own globs: `sources`, then `support`, then `tests` (source first: a wrong `sources`
    is seen in the list of what was dropped, a wrong `tests` would let source across unseen);
 2. vendored and generated directories, compiled files;
 3. data of tests, wherever (`testdata/`, `__snapshots__/`, `tests/**/fixtures/`);
 4. lock files, reports, generated code by name;
 5. configuration of tests and builds, also inside test directories: `tests/pytest.ini` decides
    what a run means just as one at the root does;
 6. test files by name, then everything else in a test directory;
 7. documentation; 8. source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from . import names
from .overrides import Overrides
from .pathclass import EXCLUDED, TESTS, PathClass
from .testnames import is_test_name

__all__ = ["EXCLUDED", "TESTS", "Overrides", "PathClass", "classify", "is_output", "is_text_name"]

_TEST_SUFFIXED_DIR = (".tests", ".test", ".unittests", ".integrationtests")
# Gradle, sbt and Android source sets, case sensitive so that `src/latest` is no test.
_SOURCE_SET = re.compile(r"test([A-Z_-].*)?|tests|it|.*[a-z](Test|Tests|_test|-test)")


def classify(path: bytes | str, overrides: Overrides | None = None) -> PathClass:
    """The class of a file at `path`, relative to the repository's root. Never raises."""
    raw = path if isinstance(path, bytes) else path.encode("utf-8", "surrogateescape")
    if overrides is not None and (found := overrides.find(raw)) is not None:
        return found
    *dirs, name = raw.decode("utf-8", "surrogateescape").split("/")
    return _by_rules(dirs, [part.lower() for part in dirs], name)


def is_text_name(path: bytes) -> bool:
    """Whether the name says text, whatever bytes are in it."""
    return _extension(path.rpartition(b"/")[2].decode("latin-1").lower()) in names.TEXT_EXTENSIONS


def is_output(path: bytes) -> bool:
    """Whether a file that the base ignores lies where builds put things: `tsc` and setuptools copy
    whole test suites to `dist/` and `build/`, which nobody wrote."""
    dirs = path.decode("latin-1").lower().split("/")[:-1]
    return not names.OUTPUT_DIRS.isdisjoint(dirs)


def _by_rules(dirs: Sequence[str], lower: Sequence[str], name: str) -> PathClass:
    plain = name.lower()
    extension = _extension(plain)
    if not names.VENDORED_DIRS.isdisjoint(lower):
        return PathClass.VENDORED
    if _in_generated_dir(lower) or extension in names.GENERATED_EXTENSIONS:
        return PathClass.GENERATED
    tested_at = _test_dir(dirs, lower, extension)
    if not _starts_python(plain) and _is_fixture(lower, tested_at):
        return PathClass.TEST_SUPPORT
    if _is_generated_name(plain):
        return PathClass.GENERATED
    if _is_config(lower, plain, extension):
        return PathClass.TEST_CONFIG
    if (test := _as_test(dirs, name, extension, tested_at)) is not None:
        return test
    return PathClass.DOCS if _is_docs(lower, plain, extension) else PathClass.SOURCE


def _extension(name: str) -> str:
    stem, dot, extension = name.rpartition(".")
    return dot + extension if stem else ""


def _in_generated_dir(lower: Sequence[str]) -> bool:
    if not names.GENERATED_DIRS.isdisjoint(lower):
        return True
    if any(pair in names.GENERATED_PAIRS for pair in pairwise(lower)):
        return True
    return any(part.endswith((".egg-info", ".dist-info")) for part in lower)


def _test_dir(dirs: Sequence[str], lower: Sequence[str], extension: str) -> int | None:
    """Index of the outermost test directory on the way, if any."""
    for at, part in enumerate(lower):
        if part in names.TEST_DIRS or part.endswith(_TEST_SUFFIXED_DIR):
            return at
        if part in names.SPEC_DIRS and _specs(lower, at, extension):
            return at
        if part == "t" and (extension == ".t" or (at == 0 and extension in (".pl", ".pm"))):
            return at
        if part == "src" and at + 1 < len(dirs) and _SOURCE_SET.fullmatch(dirs[at + 1]):
            return at + 1
    return None


def _specs(lower: Sequence[str], at: int, extension: str) -> bool:
    return extension in names.SPEC_EXTENSIONS or not names.SUPPORT_DIRS.isdisjoint(lower[at + 1 :])


def _starts_python(name: str) -> bool:
    """Files that an interpreter runs by itself at start, from any directory on its path."""
    return name in ("sitecustomize.py", "usercustomize.py") or name.endswith(".pth")


def _is_fixture(lower: Sequence[str], tested_at: int | None) -> bool:
    if not names.FIXTURE_DIRS.isdisjoint(lower):
        return True
    return tested_at is not None and not names.SUPPORT_DIRS.isdisjoint(lower[tested_at + 1 :])


def _is_generated_name(name: str) -> bool:
    if name in names.LOCK_FILES or name in names.REPORT_FILES:
        return True
    return name.endswith(names.GENERATED_SUFFIXES) or name.startswith(".coverage.")


def _is_config(lower: Sequence[str], name: str, extension: str) -> bool:
    if name in names.CONFIG_FILES or extension in names.CONFIG_EXTENSIONS:
        return True
    return name.startswith(names.CONFIG_PREFIXES) or not names.CONFIG_DIRS.isdisjoint(lower)


def _as_test(
    dirs: Sequence[str], name: str, extension: str, tested_at: int | None
) -> PathClass | None:
    if name.lower() in names.SUPPORT_FILES or extension in names.SUPPORT_EXTENSIONS:
        return PathClass.TEST_SUPPORT
    if is_test_name(dirs, name, extension):
        return PathClass.TEST
    if tested_at is None:
        return None
    helper = name[: len(name) - len(extension)].lower() in names.SUPPORT_STEMS
    code = extension in names.CODE_EXTENSIONS
    return PathClass.TEST if code and not helper else PathClass.TEST_SUPPORT


def _is_docs(lower: Sequence[str], name: str, extension: str) -> bool:
    if extension in names.DOC_EXTENSIONS or not names.DOC_DIRS.isdisjoint(lower):
        return True
    return name.partition(".")[0] in names.DOC_STEMS and extension in ("", ".txt")
