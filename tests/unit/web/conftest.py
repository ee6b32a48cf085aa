"""The whole results service with trials in it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.unit.results.support import Service, running
from tests.unit.web.samples import fill


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with running(tmp_path) as started:
        await fill(started.store)
        yield started
