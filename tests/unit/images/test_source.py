"""Our packages are taken from the checkout as pyproject.toml maps them."""

from pathlib import Path

import pytest

from images import source, wheels
from images.errors import ImageError

PYPROJECT = """\
[project]
name = "thing"
version = "1.2"
[project.scripts]
thing = "thing.cli:main"
[tool.hatch.build.targets.wheel]
packages = ["src/thing"]
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    for name in ("cli.py", "__init__.py", "page.html", "run.sh", ".hidden", "__pycache__/x.pyc"):
        path = tmp_path / "src/thing" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return tmp_path


def test_copies_sources_and_data_with_metadata(checkout: Path, tmp_path: Path) -> None:
    project = source.read_project(checkout)
    source.copy(project, ["thing"], tmp_path / "site")
    files = {
        str(p.relative_to(tmp_path / "site")) for p in tmp_path.glob("site/**/*.*") if p.is_file()
    }
    assert files == {"thing/cli.py", "thing/__init__.py", "thing/page.html", "thing/run.sh"}
    metadata = (tmp_path / "site/thing-1.2.dist-info/METADATA").read_text()
    assert metadata == "Metadata-Version: 2.1\nName: thing\nVersion: 1.2\n"


def test_files_are_those_that_are_copied(checkout: Path, tmp_path: Path) -> None:
    project = source.read_project(checkout)
    source.copy(project, ["thing"], tmp_path / "site")
    copied = {p.relative_to(tmp_path / "site/thing") for p in tmp_path.glob("site/thing/**/*")}
    package = project.packages["thing"]
    assert {path.relative_to(package) for path in source.files(package)} == copied


def test_outside_a_checkout_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="run this from the top of the repository"):
        source.read_project(tmp_path)


def test_scripts_start_their_function(tmp_path: Path) -> None:
    wheels.write_scripts({"thing": "thing.cli:main"}, tmp_path / "bin", "/opt/python3")
    text = (tmp_path / "bin/thing").read_text()
    assert text.startswith("#!/opt/python3\n")
    assert "from thing.cli import main\n" in text
    assert (tmp_path / "bin/thing").stat().st_mode & 0o111 == 0o111
