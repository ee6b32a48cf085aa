"""The classes of files."""

from __future__ import annotations

from enum import StrEnum


class PathClass(StrEnum):
    """Whether a file is binary is no class: it is told from the content, see `numbers`."""

    TEST = "test"
    TEST_SUPPORT = "test_support"
    TEST_CONFIG = "test_config"
    SOURCE = "source"
    DOCS = "docs"
    GENERATED = "generated"
    VENDORED = "vendored"


# The classes that the primary numbers leave out and list apart.
EXCLUDED = frozenset({PathClass.GENERATED, PathClass.VENDORED})
# The classes that are tests, for what crosses and for `test_files`.
TESTS = frozenset({PathClass.TEST, PathClass.TEST_SUPPORT})
