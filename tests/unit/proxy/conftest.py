"""Fixtures: a proxy with the scripted model, and one in front of a fake provider."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import uvloop

from .helpers import FakeProvider, Running, fake_provider, running


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The loop that the proxy runs on (cli.py): some of what a transport does is its own."""
    return {"uvloop": uvloop.new_event_loop}


@pytest.fixture
async def provider() -> AsyncIterator[FakeProvider]:
    async with fake_provider() as fake:
        yield fake


@pytest.fixture
async def proxy(tmp_path: Path, provider: FakeProvider) -> AsyncIterator[Running]:
    async with running(tmp_path, provider.port) as started:
        yield started
