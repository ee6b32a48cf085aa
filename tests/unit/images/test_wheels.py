"""Installed packages lose what no run needs, and keep their licences."""

from pathlib import Path

import pytest

from images import wheels

FILES = (
    "pkg/__init__.py",
    "pkg/types.pyi",
    "pkg/fast.c",
    "pkg/tests/test_it.py",
    "pkg/tests/data/big.bin",
    "pkg-1.dist-info/METADATA",
    "pkg-1.dist-info/RECORD",
    "pkg-1.dist-info/licenses/LICENSE",
    "pkg-1.dist-info/WHEEL",
    ".lock",
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name in FILES:
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"text of {name}")
    return tmp_path / "site"


def names(site: Path) -> set[str]:
    return {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}


def test_prune(site: Path) -> None:
    wheels.prune(site, ["*/tests/*"])
    assert names(site) == {
        "pkg/__init__.py",
        "pkg-1.dist-info/METADATA",
        "pkg-1.dist-info/licenses/LICENSE",
        "pkg-1.dist-info/WHEEL",
    }
    assert not (site / "pkg/tests").exists()


def test_licences_are_gathered(site: Path, tmp_path: Path) -> None:
    wheels.gather_licences(site, tmp_path / "LICENSES")
    assert (tmp_path / "LICENSES").read_text() == (
        "==== pkg-1.dist-info/licenses/LICENSE\ntext of pkg-1.dist-info/licenses/LICENSE\n"
    )
    assert {name for name in names(site) if ".dist-info" in name} == {"pkg-1.dist-info/METADATA"}


def test_console_scripts_are_found(site: Path) -> None:
    (site / "pkg-1.dist-info/entry_points.txt").write_text(
        "[console_scripts]\npkg = pkg.cli:main\n[other]\nx = y\n"
    )
    assert wheels.scripts(site)["pkg"] == "pkg.cli:main"
