"""What unit tests of several packages measure with."""

import tracemalloc
from collections.abc import Callable

import pytest


@pytest.fixture
def peak() -> Callable[[Callable[[], object]], int]:
    """The most memory that some work had allocated at once."""

    def measure(work: Callable[[], object]) -> int:
        tracemalloc.start()
        try:
            work()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    return measure
