"""Fixtures of the results service's tests."""

from collections.abc import AsyncIterator
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
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with running(tmp_path) as started:
        yield started


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    return Origin(tmp_path / "origin")


@pytest.fixture
def bundles(tmp_path: Path) -> Bundles:
    return Bundles(tmp_path)
