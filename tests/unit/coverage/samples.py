"""The sample reports, and the base trees that they were made from."""

import json
from pathlib import Path
from typing import Any

from benchwright.coverage import BaseTree, CoverageReport, FileCoverage, read

DATA = Path(__file__).parent / "data"

PYTHON = BaseTree(
    {
        "src/pkg/__init__.py": 0,
        "src/pkg/calc.py": 31,
        "src/pkg/naïve.py": 2,
        "src/pkg/never.py": 4,
        "tests/test_calc.py": 20,
    }
)
C = BaseTree({"calc.c": 12, "calc.h": 8, "main.c": 6})
JS = BaseTree({"src/calc.js": 15, "src/never.js": 5})
TRAPS = {
    "traps/cobertura-dup-class.xml": BaseTree({"p/Outer.kt": 9}),
    "traps/cobertura-benign-doctype.xml": BaseTree({"c.py": 1}),
    "traps/lcov-two-tests-same-file.info": BaseTree({"src/a.c": 2}),
    "traps/lcov-lies.info": BaseTree({"outside.c": 4}),
}
FORMATS = {".json": "coveragepy-json", ".xml": "cobertura", ".lcov": "lcov", ".info": "lcov"}


def expected() -> list[dict[str, Any]]:
    """Counts that an independent parser got from the samples."""
    rows: list[dict[str, Any]] = json.loads((DATA / "expected.json").read_text("utf-8"))
    return rows


def data(name: str) -> bytes:
    return (DATA / name).read_bytes()


def sample(name: str) -> CoverageReport:
    """Read a sample as its workspace was when it was made."""
    family = name.partition("/")[0]
    base = {"coveragepy": PYTHON, "c": C, "js": JS}.get(family) or TRAPS[name]
    root = {"coveragepy": "/build/w/py", "c": "/build/w/c", "js": "/build/w/js"}.get(family, "/w")
    return read(data(name), FORMATS[Path(name).suffix], base, root=root)


def report(**files: tuple[set[int], set[int]]) -> CoverageReport:
    """A report of (measured, covered) lines by file name."""
    return CoverageReport(
        format="lcov",
        files={path: FileCoverage(frozenset(m), frozenset(c)) for path, (m, c) in files.items()},
    )
