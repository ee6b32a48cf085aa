"""Fixtures: a proxy with the scripted model, and one in front of a fake provider."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from .helpers import FakeProvider, Running, fake_provider, running


@pytest.fixture
async def provider() -> AsyncIterator[FakeProvider]:
    async with fake_provider() as fake:
        yield fake


@pytest.fixture
async def proxy(tmp_path: Path, provider: FakeProvider) -> AsyncIterator[Running]:
    async with running(tmp_path, provider.port) as started:
        yield started
