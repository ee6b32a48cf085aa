"""An image is built again when something that goes into it changed, and only then."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from images import fingerprint
from images.catalogue import IMAGES, debian_packages

CHECKOUT = Path(__file__).parents[3]
PYPROJECT = """\
[project]
name = "benchwright"
version = "1"
[project.scripts]
[tool.hatch.build.targets.wheel]
packages = ["operator/benchwright", "proxy/benchwright_proxy"]
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small checkout with what the layers read."""
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    for name in ("operator/benchwright", "proxy/benchwright_proxy"):
        (tmp_path / name / "part").mkdir(parents=True)
        (tmp_path / name / "__init__.py").write_text("")
        (tmp_path / name / "part/code.py").write_text("X = 1\n")
    for name in ("requirements", "images/agent-mini-swe-agent"):
        shutil.copytree(CHECKOUT / name, tmp_path / name)
    return tmp_path


def keys(checkout: Path, packages: tuple[str, ...] = debian_packages()) -> dict[str, str]:
    """The keys of all images."""
    return {
        image.name: fingerprint.of_image(
            image, [fingerprint.of_layer(item, checkout, packages) for item in image.layers], {}
        )
        for image in IMAGES
    }


def changed(checkout: Path, change: Callable[[], object]) -> set[str]:
    before = keys(checkout)
    change()
    after = keys(checkout)
    return {name for name in before if before[name] != after[name]}


def append(path: Path) -> None:
    path.write_text(path.read_text() + "# more\n")


@pytest.mark.parametrize(
    ("name", "images"),
    [
        ("operator/benchwright/part/code.py", {"operator", "harness"}),
        ("proxy/benchwright_proxy/part/code.py", {"operator", "harness", "proxy"}),
        ("requirements/runtime.lock", {"operator", "harness", "proxy"}),
        ("requirements/dev.lock", {"task-python"}),
        ("images/agent-mini-swe-agent/start.py", {"agent-mini-swe-agent"}),
        ("images/agent-mini-swe-agent/requirements.lock", {"agent-mini-swe-agent"}),
    ],
)
def test_a_change_reaches_the_images_that_hold_it(
    checkout: Path, name: str, images: set[str]
) -> None:
    assert changed(checkout, lambda: append(checkout / name)) == images


def test_new_renamed_and_deleted_files_count(checkout: Path) -> None:
    part = checkout / "operator/benchwright/part"
    images = {"operator", "harness"}
    assert changed(checkout, lambda: (part / "new.py").write_text("")) == images
    assert changed(checkout, lambda: (part / "new.py").rename(part / "other.py")) == images
    assert changed(checkout, lambda: (part / "other.py").unlink()) == images


def test_times_compiled_files_and_editors_do_not_count(checkout: Path) -> None:
    part = checkout / "operator/benchwright/part"

    def change() -> None:
        (part / "code.py").touch()
        (part / "__pycache__").mkdir()
        (part / "__pycache__/code.cpython-311.pyc").write_bytes(b"x")
        (part / ".code.py.swp").write_bytes(b"x")
        (part / "code.py~").write_bytes(b"x")

    assert changed(checkout, change) == set()


def test_being_executable_counts(checkout: Path) -> None:
    run = checkout / "images/agent-mini-swe-agent/run"
    assert changed(checkout, lambda: run.chmod(0o644)) == {"agent-mini-swe-agent"}


def test_a_debian_package_more_rebuilds_all(checkout: Path) -> None:
    before, after = keys(checkout), keys(checkout, (*debian_packages(), "vim"))
    assert all(before[name] != after[name] for name in before)
