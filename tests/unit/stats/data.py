"""The files of tests/data, read once a session."""

import csv
import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "data"
REFERENCE = DATA / "stats_reference.json"


@cache
def reference() -> dict[str, Any]:
    """Cases and whole-set values. Not to be changed: copy first."""
    found: dict[str, Any] = json.loads(REFERENCE.read_text())
    return found


@cache
def rows(name: str) -> list[dict[str, str]]:
    """A table as it is."""
    data = (DATA / name).read_bytes()
    text = (gzip.decompress(data) if name.endswith(".gz") else data).decode()
    return list(csv.DictReader(text.splitlines()))
