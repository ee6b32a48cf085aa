"""Small archives that would become large: on the disk, in memory, or in the time they take."""

import tarfile
from collections.abc import Callable

import pytest

from benchwright.results import archives, tree
from tests.unit.results.archives import (
    Member,
    Sandbox,
    file,
    folder,
    hard,
    link,
    tar,
    zipped,
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a test reaches quickly."""
    monkeypatch.setattr(tree, "MAX_BYTES", 1_000_000)
    monkeypatch.setattr(tree, "MAX_FILES", 20)
    monkeypatch.setattr(archives, "MAX_HEADER", 100_000)
    monkeypatch.setattr(archives, "MAX_HEADERS", 1_000_000)


SPARSE = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}
BIG = b"\0" * 600_000
BOMBS: dict[str, Callable[[], bytes]] = {
    "one file": lambda: tar(file("a", b"\0" * 2_000_000)),
    "files together": lambda: tar(file("a", BIG), file("b", BIG)),
    "the same file again and again": lambda: tar(*[file("a", BIG)] * 4),
    "hard links to one file": lambda: tar(file("a", BIG), hard("b", "a"), hard("c", "a")),
    "a declared size and nothing behind it": lambda: tar(file("a", size="5000000")),
    "a sparse member": lambda: tar(
        Member("a", b"0\n".ljust(512, b"\0"), pax={**SPARSE, "GNU.sparse.realsize": "50000000"})
    ),
    "many files": lambda: tar(*(file(f"f{n}", b"") for n in range(21))),
    "many folders": lambda: tar(*(folder(f"f{n}") for n in range(21))),
    "many links": lambda: tar(*(link(f"f{n}", "x") for n in range(21))),
    "a long name": lambda: tar(file("n" * 20_000_000), form=tarfile.GNU_FORMAT),
    "an extended header": lambda: tar(file("a", comment="n" * 20_000_000)),
    "a sparse map without an end": lambda: tar(
        Member("a", b"\1" * 20_000_000, pax={**SPARSE, "GNU.sparse.realsize": "1"})
    ),
    "a zip of one file": lambda: zipped(file("a", b"\0" * 2_000_000)),
    "a zip of files together": lambda: zipped(file("a", BIG), file("b", BIG)),
    "a zip of many files": lambda: zipped(*(file(f"f{n}", b"") for n in range(21))),
    "a link target in a zip": lambda: zipped(link("l", "x" * 20_000_000)),
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_before_it_fills_the_disk_or_the_memory(
    sandbox: Sandbox, name: str, peak: Callable[[Callable[[], object]], int]
) -> None:
    data = BOMBS[name]()
    assert peak(lambda: sandbox.refuse(data)) < 8_000_000
    written = sum(p.stat().st_size for p in sandbox.into.rglob("*") if p.is_file())
    assert written < 2_000_000
