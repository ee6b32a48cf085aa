"""The packaged chart: what a user gets who has no checkout of this repository."""

import tarfile
from pathlib import Path

import pytest

from tests.e2e.chart import CHART, MODELS, ROOT, helm, template


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the package unpacks to, far from everything that a link could point to."""
    folder = tmp_path_factory.mktemp("package")
    helm("package", CHART, "--destination", folder)
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as tar:
        for member in tar:
            assert member.isreg(), f"{member.name} is no file: links lead nowhere in a package"
            stream = tar.extractfile(member)
            assert stream is not None
            path = folder / member.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(stream.read())
    return folder / "benchwright"


def test_the_definitions_are_in_it_as_they_are_in_crds(package: Path) -> None:
    """In the folder they are a link to crds/."""
    packed = {p.name: p.read_bytes() for p in (package / "files/crds").iterdir()}
    assert packed == {p.name: p.read_bytes() for p in (ROOT / "crds").iterdir()}
    assert len(packed) == 4


def test_it_holds_what_the_folder_holds_and_nothing_else(package: Path) -> None:
    def files(top: Path) -> set[str]:
        links = {p for p in top.rglob("*") if p.is_symlink() and p.is_dir()}
        inside = [f for link in links for f in link.rglob("*")]
        found = [*top.rglob("*"), *inside]
        return {p.relative_to(top).as_posix() for p in found if p.is_file()}

    assert files(package) == files(CHART)


@pytest.mark.parametrize("values", [{}, MODELS], ids=["defaults", "one of every model"])
def test_it_renders_as_the_folder_does(package: Path, values: dict[str, object]) -> None:
    def text(chart: Path) -> list[str]:
        rendered = template(values, chart=chart).stdout.splitlines()
        return [line for line in rendered if not line.startswith("  signing: ")]

    here, there = text(CHART), text(package)
    assert here == there
    assert len(here) > 2000, "the definitions are among it"


def test_it_has_nothing_that_lint_would_say(package: Path) -> None:
    assert "0 chart(s) failed" in helm("lint", "--strict", package).stdout
