"""docs/proxy-cases.md names tests that exist, and no case without one."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
ROWS = [
    line
    for line in (FOLDER.parents[2] / "docs/proxy-cases.md").read_text().splitlines()
    if re.match(r"\| \d+ \|", line)
]
#: Looked at by a benchmark, or impossible: each says why.
OTHERS = {"33": "cannot happen here", "72": "--soak"}


def test_all_cases_are_there() -> None:
    assert [row.split(" | ")[0].strip("| ") for row in ROWS] == [str(n) for n in range(1, 78)]


@pytest.mark.parametrize("row", ROWS, ids=[row.split(" ")[1] for row in ROWS])
def test_a_case_has_a_test(row: str) -> None:
    number, where = row.split(" ")[1], row.rsplit(" | ", 1)[1]
    if number in OTHERS:
        assert OTHERS[number] in where
        return
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", where)
    assert named
    for file, test in named:
        assert re.search(rf"def {test}\(", (FOLDER / file).read_text()), f"{file}::{test}"
