from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.harness_snapshot.support import Case, Node


@pytest.fixture
def case(tmp_path: Path) -> Callable[[dict[bytes, Node]], Case]:
    return lambda base: Case(tmp_path, base)
