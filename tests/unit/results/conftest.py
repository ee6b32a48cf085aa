"""Fixtures of the results service's tests."""

import tracemalloc
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.unit.results.archives import Sandbox
from tests.unit.results.bundles import Bundles
from tests.unit.results.origin import Origin
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


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    return Origin(tmp_path / "origin")


@pytest.fixture
def bundles(tmp_path: Path) -> Bundles:
    return Bundles(tmp_path)
