"""Fixtures of the results service's tests."""

import tracemalloc
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.unit.results.archives import Sandbox
from tests.unit.results.support import Service, running


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path)


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


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with running(tmp_path) as started:
        yield started
