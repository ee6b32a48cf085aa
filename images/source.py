"""Benchwright's own packages, from the checkout that the tool runs in.

They are copied as pyproject.toml maps them into the wheel, without building one: the result is the
same files in a hundredth of the time, which is what a change of the source waits for.
"""

import shutil
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from images.errors import ImageError

_JUNK = shutil.ignore_patterns("__pycache__", "*.pyc", ".*", "*~")


@dataclass(frozen=True)
class Project:
    """What pyproject.toml says of the packages."""

    name: str
    version: str
    packages: dict[str, Path]
    scripts: dict[str, str]


def read_project(root: Path) -> Project:
    """Read pyproject.toml of the checkout at `root`."""
    path = root / "pyproject.toml"
    if not path.is_file():
        raise ImageError(f"No {path.name} in {root}: run this from the top of the repository.")
    data: dict[str, Any] = tomllib.loads(path.read_text())
    project, wheel = data["project"], data["tool"]["hatch"]["build"]["targets"]["wheel"]
    return Project(
        name=project["name"],
        version=project["version"],
        packages={Path(package).name: root / package for package in wheel["packages"]},
        scripts=project["scripts"],
    )


def copy(project: Project, names: Iterable[str], site: Path) -> None:
    """Copy packages into `site`, with the metadata by which they find their version."""
    for name in names:
        shutil.copytree(project.packages[name], site / name, ignore=_JUNK)
    info = site / f"{project.name}-{project.version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project.name}\nVersion: {project.version}\n"
    )


def files(directory: Path) -> list[Path]:
    """The files that `copy` takes from a package."""
    found: list[Path] = []
    for path in sorted(directory.iterdir()):
        if path.name in _JUNK(str(directory), [path.name]):
            continue
        found += files(path) if path.is_dir() else [path]
    return found
